extension WireValue where Self: FixedWidthInteger & SignedInteger {
  /// The type's name.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("\(Self.self)") }

  /// Writes an integer.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.integer(Int64(self))
  }

  /// Reads an integer that fits the type.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = Self(exactly: try decoder.integer()) else {
      throw outOfRange(Self.self, at: start)
    }
    self = value
  }
}

extension WireValue where Self: FixedWidthInteger & UnsignedInteger {
  /// The type's name.
  public static func schema(in builder: inout SchemaBuilder) -> SchemaType { .named("\(Self.self)") }

  /// Writes an integer.
  @inlinable
  public func encode(to encoder: inout CBOREncoder) {
    encoder.unsigned(UInt64(self))
  }

  /// Reads an integer that fits the type.
  @inlinable
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    guard let value = Self(exactly: try decoder.unsigned()) else {
      throw outOfRange(Self.self, at: start)
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

@usableFromInline
@inline(never)
func outOfRange(_ type: Any.Type, at offset: Int) -> WireError {
  WireError(.outOfRange(type: "\(type)"), at: offset)
}
