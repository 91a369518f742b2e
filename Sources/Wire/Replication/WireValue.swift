/// A type whose values have one deterministic form on the wire, each its own.
///
/// Values that `==` cannot tell apart have the same bytes, with the standard library's exceptions: text travels as
/// the scalars it has, so canonically equivalent strings (`"\u{e9}"` and `"e\u{301}"`) keep their different bytes,
/// and 0.0 and −0.0 keep their signs. A NaN, equal to nothing, comes back with its bits.
///
/// Structs are maps of small integer keys in ascending order; an enum case without a payload is its key alone,
/// one with a payload is an array of the key and the payload's items. Keys are stable names: they are never
/// reused for another field or case.
public protocol WireValue {
  /// Writes exactly one item.
  func encode(to encoder: inout CBOREncoder)

  /// Reads exactly one item.
  ///
  /// - Throws: What is wrong with the bytes, and where; the decoder then stands anywhere inside the item.
  init(from decoder: inout CBORDecoder) throws(WireError)
}

extension WireValue {
  /// The value's deterministic bytes.
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }

  /// Reads exactly one value and refuses anything behind it.
  public init(decoding bytes: RawSpan) throws(WireError) {
    var decoder = CBORDecoder(bytes)
    try self.init(from: &decoder)
    try decoder.finish()
  }
}
