public import Wire

// `any Error` conforms to no protocol, so a `Result` with such a failure cannot be `Replicated`. These overloads of what
// `@Replicated` generates accept it as a payload or a field: it is written and read as a `Result` whose failure is a
// `ReplicatedError`.

extension Result where Failure == any Error {
  /// The result as it is sent.
  fileprivate var sent: Result<Success, ReplicatedError> { mapError { ReplicatedError($0) } }

  fileprivate init(_ sent: Result<Success, ReplicatedError>) { self = sent.mapError { $0 } }
}

extension Expansion {
  /// Writes a result.
  public static func encode<Success: Replicated>(
    _ value: Result<Success, any Error>, to encoder: inout CBOREncoder
  ) {
    value.sent.encode(to: &encoder)
  }

  /// Reads a result; a failure is a `ReplicatedError`.
  public static func value<Success: Replicated>(
    from decoder: inout CBORDecoder
  ) throws(WireError) -> Result<Success, any Error> {
    Result(try Result<Success, ReplicatedError>(from: &decoder))
  }

  /// Returns true if the bytes of two results differ.
  public static func differs<Success: Replicated>(
    _ value: Result<Success, any Error>, from base: Result<Success, any Error>
  ) -> Bool {
    value.sent.differs(from: base.sent)
  }

  /// Writes the delta that turns `base` into the result.
  public static func encodeDelta<Success: Replicated>(
    _ value: Result<Success, any Error>, from base: Result<Success, any Error>, to encoder: inout CBOREncoder
  ) {
    value.sent.encodeDelta(from: base.sent, to: &encoder)
  }

  /// Reads a delta and applies it.
  public static func apply<Success: Replicated>(
    _ decoder: inout CBORDecoder, to value: inout Result<Success, any Error>
  ) throws(WireError) {
    var changed = value.sent
    try changed.apply(delta: &decoder)
    value = Result(changed)
  }

  /// The part of a result that a path leads to.
  public static func part<Success: Replicated>(
    of value: Result<Success, any Error>, at path: ArraySlice<PathStep>
  ) -> (any Replicated)? {
    value.sent.part(at: path)
  }
}

extension SchemaBuilder.Cases {
  /// Adds a case whose last payload, or only one, is a result with any error.
  public mutating func replicated<Root, Success: Replicated, each Before: Replicated>(
    _ name: String, key: UInt64, labels: [String],
    _ constructor: (repeat each Before, Result<Success, any Error>) -> Root
  ) {
    enumCase(name, key: key, labels: labels) { builder in
      var types: [SchemaType] = []
      for type in repeat (each Before).self { types.append(type.schema(in: &builder)) }
      return types + [Result<Success, ReplicatedError>.schema(in: &builder)]
    }
  }

  /// Adds a case whose first payload of several is a result with any error.
  public mutating func replicated<Root, Success: Replicated, Next: Replicated, each After: Replicated>(
    _ name: String, key: UInt64, labels: [String],
    _ constructor: (Result<Success, any Error>, Next, repeat each After) -> Root
  ) {
    enumCase(name, key: key, labels: labels) { builder in
      var types = [Result<Success, ReplicatedError>.schema(in: &builder), Next.schema(in: &builder)]
      for type in repeat (each After).self { types.append(type.schema(in: &builder)) }
      return types
    }
  }
}

extension SchemaBuilder.Fields {
  /// Adds a field that is a result with any error.
  public mutating func replicated<Root, Success: Replicated>(
    _ name: String, key: UInt64, _ path: KeyPath<Root, Result<Success, any Error>>, hasDefault: Bool
  ) {
    let sent: KeyPath<Root, Result<Success, ReplicatedError>> = path.appending(path: \.sent)
    replicated(name, key: key, sent, hasDefault: hasDefault)
  }
}
