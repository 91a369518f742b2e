public import FeatureCore
public import Wire

extension TaskResult: WireValue where Success: WireValue {
  /// Writes the result; a failure as a `ReplicatedError`.
  public func encode(to encoder: inout CBOREncoder) { sent.encode(to: &encoder) }

  /// Reads a result; a failure is a `ReplicatedError`.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self.init(try Result<Success, ReplicatedError>(from: &decoder))
  }

  /// A `Result` with a `ReplicatedError`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    Result<Success, ReplicatedError>.schema(in: &builder)
  }

  private var sent: Result<Success, ReplicatedError> { Result(self).mapError { ReplicatedError($0) } }
}

extension TaskResult: Replicated where Success: Replicated {
  /// True: a payload may change individually.
  public static var hasParts: Bool { true }

  /// Returns true if the bytes differ.
  public func differs(from base: Self) -> Bool { sent.differs(from: base.sent) }

  /// Writes `{case: delta}` if the case is the same, and the new result otherwise.
  public func encodeDelta(from base: Self, to encoder: inout CBOREncoder) {
    sent.encodeDelta(from: base.sent, to: &encoder)
  }

  /// Replaces the result, or changes its payload.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    var changed = sent
    try changed.apply(delta: &decoder)
    self = TaskResult(changed)
  }

  /// The payload, for the step of its case.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? { path.isEmpty ? self : sent.part(at: path) }
}
