extension Bool: Replicated {
  /// `Bool`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Bool") }

  /// Writes false or true.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.bool(self)
  }

  /// Reads false or true.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.bool()
  }
}

extension Double: Replicated {
  /// `Double`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Double") }

  /// Returns true if the bits differ.
  public func differs(from base: Double) -> Bool { bitPattern != base.bitPattern }

  /// Writes a float in the shortest width that preserves the value.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.float(self)
  }

  /// Reads a float of any width.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.float()
  }
}

extension Float: Replicated {
  /// `Float`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Float") }

  /// Returns true if the bits differ.
  public func differs(from base: Float) -> Bool { bitPattern != base.bitPattern }

  /// Writes a float in the shortest width that preserves the value; a NaN keeps its bits.
  public func encode(to encoder: inout CBOREncoder) {
    // From the bits: a conversion would turn a signalling NaN into a quiet one.
    encoder.float(Double(singleBits: bitPattern))
  }

  /// Reads a float that fits single precision.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let bits = try decoder.float().exactSingleBits else {
      throw WireError(.outOfRange(type: "Float"), at: start)
    }
    self = Float(bitPattern: bits)
  }
}

extension Duration: Replicated {
  /// `Duration`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Duration") }

  /// Writes `[seconds, attoseconds]`, both with the duration's sign.
  public func encode(to encoder: inout CBOREncoder) {
    let (seconds, attoseconds) = components
    encoder.arrayHeader(count: 2)
    encoder.integer(seconds)
    encoder.integer(attoseconds)
  }

  /// Reads a duration whose attoseconds are less than a second and have the sign of its seconds.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    try decoder.tuple(2)
    let (seconds, attoseconds) = (try decoder.integer(), try decoder.integer())
    self = Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
    guard attoseconds.magnitude < 1_000_000_000_000_000_000, components == (seconds, attoseconds) else {
      throw WireError(.outOfRange(type: "Duration"), at: start)
    }
  }
}

extension Never: WireValue {
  /// `Never`.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("Never") }

  /// Never called, as there is no value.
  public func encode(to encoder: inout CBOREncoder) {}

  /// Refuses any bytes.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    throw WireError(.typeMismatch(expected: "nothing"), at: decoder.offset)
  }
}

extension Never: Replicated {}
