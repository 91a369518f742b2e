// 128-bit integers are ordinary CBOR integers if they fit, and bignums (RFC 8949 §3.4.3) otherwise.

extension Int128: Replicated {
  /// Writes an integer, or a bignum if it is longer than 64 bits.
  public func encode(to encoder: inout CBOREncoder) {
    let isNegative = self < 0
    encoder.wide(isNegative ? UInt128(-1 - self) : UInt128(self), isNegative: isNegative)
  }

  /// Reads an integer that fits the type.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let (argument, isNegative) = try decoder.wide()
    guard let magnitude = Int128(exactly: argument) else { throw WireError(.outOfRange(type: "Int128"), at: start) }
    self = isNegative ? -1 - magnitude : magnitude
  }
}

extension UInt128: Replicated {
  /// Writes an integer, or a bignum if it is longer than 64 bits.
  public func encode(to encoder: inout CBOREncoder) {
    encoder.wide(self, isNegative: false)
  }

  /// Reads an integer that fits the type.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let (argument, isNegative) = try decoder.wide()
    guard !isNegative else { throw WireError(.outOfRange(type: "UInt128"), at: start) }
    self = argument
  }
}

extension CBOREncoder {
  fileprivate mutating func wide(_ argument: UInt128, isNegative: Bool) {
    if let short = UInt64(exactly: argument) { return head(isNegative ? .negative : .unsigned, short) }
    tag(isNegative ? 3 : 2)
    let width = (128 - argument.leadingZeroBitCount + 7) / 8
    head(.bytes, UInt64(width))
    for index in (0..<width).reversed() { buffer.append(UInt8(truncatingIfNeeded: argument >> (8 * index))) }
  }
}

extension CBORDecoder {
  @_lifetime(self: copy self)
  fileprivate mutating func wide() throws(WireError) -> (UInt128, isNegative: Bool) {
    let start = offset
    let (type, argument) = try head()
    switch (type, argument) {
    case (.unsigned, _): return (UInt128(argument), false)
    case (.negative, _): return (UInt128(argument), true)
    case (.tag, 2), (.tag, 3):
      let digits = try byteString(limit: 16)
      guard digits.byteCount > 8, unsafe digits.unsafeLoad(as: UInt8.self) != 0 else {
        throw WireError(.notShortest, at: start)
      }
      var value: UInt128 = 0
      for index in 0..<digits.byteCount {
        value = unsafe value << 8 | UInt128(digits.unsafeLoad(fromByteOffset: index, as: UInt8.self))
      }
      return (value, argument == 3)
    default: throw WireError(.typeMismatch(expected: "an integer"), at: start)
    }
  }
}
