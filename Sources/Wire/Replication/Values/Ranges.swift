extension Range: WireValue where Bound: WireValue {
  /// Writes `[lower bound, upper bound]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    lowerBound.encode(to: &encoder)
    upperBound.encode(to: &encoder)
  }

  /// Reads two bounds in order.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    try decoder.tuple(2)
    let (lower, upper) = (try Bound(from: &decoder), try Bound(from: &decoder))
    guard lower <= upper else { throw WireError(.outOfRange(type: "Range"), at: start) }
    self = lower..<upper
  }

  /// A range and its bounds' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("Range", [Bound.schema(in: &builder)])
  }
}

extension Range: Replicated where Bound: Replicated {
  /// Returns true if a bound differs.
  public func differs(from base: Self) -> Bool {
    lowerBound.differs(from: base.lowerBound) || upperBound.differs(from: base.upperBound)
  }
}

extension ClosedRange: WireValue where Bound: WireValue {
  /// Writes `[lower bound, upper bound]`.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 2)
    lowerBound.encode(to: &encoder)
    upperBound.encode(to: &encoder)
  }

  /// Reads two bounds in order.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    try decoder.tuple(2)
    let (lower, upper) = (try Bound(from: &decoder), try Bound(from: &decoder))
    guard lower <= upper else { throw WireError(.outOfRange(type: "ClosedRange"), at: start) }
    self = lower...upper
  }

  /// A range and its bounds' type.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType {
    .named("ClosedRange", [Bound.schema(in: &builder)])
  }
}

extension ClosedRange: Replicated where Bound: Replicated {
  /// Returns true if a bound differs.
  public func differs(from base: Self) -> Bool {
    lowerBound.differs(from: base.lowerBound) || upperBound.differs(from: base.upperBound)
  }
}
