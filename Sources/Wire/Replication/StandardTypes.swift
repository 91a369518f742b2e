extension WireValue where Self: FixedWidthInteger & SignedInteger {
  /// Writes an integer.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.integer(Int64(self))
  }

  /// Reads an integer that fits the type.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = Self(exactly: try decoder.integer()) else {
      throw WireError(.outOfRange(type: "\(Self.self)"), at: start)
    }
    self = value
  }
}

extension WireValue where Self: FixedWidthInteger & UnsignedInteger {
  /// Writes an integer.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.unsigned(UInt64(self))
  }

  /// Reads an integer that fits the type.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = Self(exactly: try decoder.unsigned()) else {
      throw WireError(.outOfRange(type: "\(Self.self)"), at: start)
    }
    self = value
  }
}

extension Int: Replicated {}
extension Int8: Replicated {}
extension Int16: Replicated {}
extension Int32: Replicated {}
extension Int64: Replicated {}
extension UInt: Replicated {}
extension UInt8: Replicated {}
extension UInt16: Replicated {}
extension UInt32: Replicated {}
extension UInt64: Replicated {}

extension Bool: Replicated {
  /// Writes false or true.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.bool(self)
  }

  /// Reads false or true.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.bool()
  }
}

extension Double: Replicated {
  /// Whether the bits differ.
  public func differs(from base: Double) -> Bool { bitPattern != base.bitPattern }

  /// Writes a float in the shortest width that keeps the value.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.float(self)
  }

  /// Reads a float of any width.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.float()
  }
}

extension String: Replicated {
  /// Whether the UTF-8 differs.
  public func differs(from base: String) -> Bool { !utf8.elementsEqual(base.utf8) }

  /// Writes a text string.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.text(self)
  }

  /// Reads a text string.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    self = try decoder.text()
  }
}

extension Optional: WireValue where Wrapped: WireValue {
  /// Writes null, or an array of the one value, so that an optional of an optional stays what it is.
  public func encode(to encoder: inout CBOREncoder) {
    guard let self else { return encoder.null() }
    encoder.arrayHeader(count: 1)
    self.encode(to: &encoder)
  }

  /// Reads null, or an array of one value.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    guard !(try decoder.null()) else {
      self = nil
      return
    }
    try decoder.tuple(1)
    self = try Wrapped(from: &decoder)
  }
}

extension Optional: Replicated where Wrapped: Replicated {
  /// Whether one is nil and the other is not, or what they hold differs.
  public func differs(from base: Wrapped?) -> Bool {
    switch (self, base) {
    case (nil, nil): false
    case (let value?, let base?): value.differs(from: base)
    default: true
    }
  }
}

extension Result: WireValue where Success: WireValue, Failure: WireValue {
  /// Writes case 0 with the success, or case 1 with the failure.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .success(let value):
      encoder.enumCase(0, payloadCount: 1)
      value.encode(to: &encoder)
    case .failure(let error):
      encoder.enumCase(1, payloadCount: 1)
      error.encode(to: &encoder)
    }
  }

  /// Reads a success or a failure.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    switch try decoder.caseKey() {
    case (0, 1): self = .success(try Success(from: &decoder))
    case (1, 1): self = .failure(try Failure(from: &decoder))
    case (let key, _): throw WireError(.unknownCase(key, type: "Result"), at: start)
    }
  }
}
