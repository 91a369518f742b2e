/// The eight major types of CBOR: the top three bits of an item's first byte (RFC 8949 §3.1).
@frozen
public enum CBORMajorType: UInt8, Sendable {
  /// 0: an integer from 0 to 2⁶⁴ − 1.
  case unsigned
  /// 1: an integer from −2⁶⁴ to −1, written as −1 minus the argument.
  case negative
  /// 2: a string of bytes.
  case bytes
  /// 3: a string of UTF-8 text.
  case text
  /// 4: an array of items.
  case array
  /// 5: a map of pairs of items.
  case map
  /// 6: a tag for the following item.
  case tag
  /// 7: false, true, null, other simple values and floats.
  case simple

  /// The major type as the upper three bits of an initial byte.
  @inlinable var bits: UInt8 { rawValue << 5 }
}
