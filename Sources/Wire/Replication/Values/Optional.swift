extension Optional: WireValue where Wrapped: WireValue {
  /// Writes null, or an array of the one value, so that an optional of an optional stays what it is.
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

  /// An optional and what it wraps.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Optional", [Wrapped.schema(in: &builder)])
  }
}

extension Optional: Replicated where Wrapped: Replicated {
  /// Whether what is wrapped has parts that can change alone.
  public static var hasParts: Bool { Wrapped.hasParts }

  /// Whether one is nil and the other is not, or what they hold differs.
  public func differs(from base: Wrapped?) -> Bool {
    switch (self, base) {
    case (nil, nil): false
    case (let value?, let base?): value.differs(from: base)
    default: true
    }
  }

  /// Writes `{0: delta}` when both hold something that has parts, and the new optional otherwise.
  public func encodeDelta(from base: Wrapped?, to encoder: inout CBOREncoder) {
    guard Wrapped.hasParts, let self, let base else { return encode(to: &encoder) }
    encoder.change(of: 0)
    self.encodeDelta(from: base, to: &encoder)
  }

  /// Replaces the optional, or changes what it holds.
  public mutating func apply(delta decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let key = try decoder.change() else {
      self = try Self(from: &decoder)
      return
    }
    guard key == 0, case .some = self else { throw WireError(.doesNotFit(type: "Optional"), at: start) }
    try self?.apply(delta: &decoder)
  }
  /// What it holds at the step 0.
  public func part(at path: ArraySlice<PathStep>) -> (any Replicated)? {
    // Not 'self', which would be what it holds.
    guard let step = path.first else { return .some(self) }
    return step == .key(0) ? self?.part(at: path.dropFirst()) : nil
  }
}
