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
