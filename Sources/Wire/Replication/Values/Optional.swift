extension Optional: WireValue where Wrapped: WireValue {
  /// Writes null, or an array of the value, so that nested optionals are preserved.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    guard let self else { return encoder.null() }
    encoder.arrayHeader(count: 1)
    self.encode(to: &encoder)
  }

  /// Reads null, or an array of one value.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    guard !(try decoder.null()) else {
      self = nil
      return
    }
    try decoder.tuple(1)
    self = try Wrapped(from: &decoder)
  }

  /// An optional and the wrapped type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Optional", [Wrapped.schema(in: &builder)])
  }
}

extension Optional: Replicated where Wrapped: Replicated {
  /// True if the wrapped type has parts that can change individually.
  @inlinable
  public static var hasParts: Bool { Wrapped.hasParts }

  /// Returns true if only one of them is nil, or if the values differ.
  @inlinable
  public func differs(from base: Wrapped?) -> Bool {
    guard let self, let base else { return (self == nil) != (base == nil) }
    return self.differs(from: base)
  }

  /// Writes `{0: delta}` if both have a value with parts, and the new optional otherwise.
  @inlinable
  public func encodeDelta(from base: Wrapped?, to encoder: inout CBOREncoder) {
    guard Wrapped.hasParts, let self, let base else { return encode(to: &encoder) }
    encoder.change(of: 0)
    self.encodeDelta(from: base, to: &encoder)
  }

  /// Replaces the optional, or changes its value.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let key = try decoder.change() else {
      self = try Self(from: &decoder)
      return
    }
    guard key == 0, case .some = self else { return try decoder.passOver("Optional", at: start) }
    try self?.apply(delta: &decoder)
  }
  /// The value, for the step 0.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    // Not 'self', which would be the value.
    guard let step = path.first else { return .some(self) }
    return step == .key(0) ? self?.part(at: path.dropFirst()) : nil
  }
}
