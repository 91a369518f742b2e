/// Any CBOR item as a value, for tools that show or build bytes of types unknown at compile time.
///
/// Features do not use it: their types read and write their bytes themselves.
public enum CBORValue: Sendable {
  /// An integer of major type 0.
  case unsigned(UInt64)
  /// −1 minus the argument, an integer of major type 1.
  case negative(UInt64)
  /// A byte string.
  case bytes([UInt8])
  /// A text string.
  case text(String)
  /// An array.
  case array([CBORValue])
  /// An array whose elements have ids, as `SchemaValues` reads identified arrays and stacks. It equals an `array` of the
  /// same elements.
  case elements(CBORElements)
  /// A map; the pairs are in the order of their keys' bytes.
  case map([Pair])
  /// A tagged item.
  indirect case tagged(UInt64, CBORValue)
  /// A simple value other than a float: 20 is false, 21 true, 22 null, 23 undefined.
  case simple(UInt8)
  /// A float as the bits of its double-precision form, so that equal NaNs are equal.
  case float(bits: UInt64)

  /// A key and its value.
  public struct Pair: Hashable, Sendable {
    /// The key.
    public var key: CBORValue
    /// The value.
    public var value: CBORValue

    /// Creates a pair.
    public init(key: CBORValue, value: CBORValue) {
      self.key = key
      self.value = value
    }
  }
}

extension CBORValue {
  /// Reads exactly one item.
  ///
  /// - Throws: The errors of `CBORDecoder.skip()` for bytes that are not deterministic, and `trailingBytes`.
  public init(decoding bytes: RawSpan) throws(WireError) {
    var decoder = CBORDecoder(bytes)
    try self.init(from: &decoder)
    try decoder.finish()
  }

  /// Reads the next item.
  public init(from decoder: inout CBORDecoder) throws(WireError) {
    // Checks the whole item once, so that depth, key order and lengths need no checks below.
    _ = try decoder.nextItem()
    self = try Self.read(from: &decoder)
  }

  private static func read(from decoder: inout CBORDecoder) throws(WireError) -> CBORValue {
    switch try decoder.nextType() {
    case .unsigned: return .unsigned(try decoder.head().1)
    case .negative: return .negative(try decoder.head().1)
    case .bytes: return .bytes(Array(try decoder.byteString()))
    case .text: return .text(try decoder.text())
    case .array:
      let count = try decoder.arrayHeader()
      var items: [CBORValue] = []
      items.reserveCapacity(count)
      for _ in 0..<count { items.append(try read(from: &decoder)) }
      return .array(items)
    case .map:
      let count = try decoder.mapHeader()
      var pairs: [Pair] = []
      pairs.reserveCapacity(count)
      for _ in 0..<count { pairs.append(Pair(key: try read(from: &decoder), value: try read(from: &decoder))) }
      return .map(pairs)
    case .tag:
      let tag = try decoder.tag()
      return .tagged(tag, try read(from: &decoder))
    case .simple:
      let initial = try decoder.peek()
      if (0xf9...0xfb).contains(initial) { return .float(bits: try decoder.float().bitPattern) }
      if initial == 0xf8 {
        let start = decoder.offset
        decoder.position += 1
        return .simple(try decoder.bigEndian(UInt8.self, of: start))
      }
      return .simple(UInt8(truncatingIfNeeded: try decoder.head().1))
    }
  }

  /// Writes the item deterministically, sorting the keys of maps.
  /// - Complexity: O(bytes written), plus O(n log n) comparisons for a map of n pairs.
  public func encode(to encoder: inout CBOREncoder) {
    switch self {
    case .unsigned(let value): encoder.unsigned(value)
    case .negative(let argument): encoder.head(.negative, argument)
    case .bytes(let value): unsafe encoder.byteString(value.span.bytes)
    case .text(let value): encoder.text(value)
    case .array(let items):
      encoder.arrayHeader(count: items.count)
      for item in items { item.encode(to: &encoder) }
    case .elements(let items):
      encoder.arrayHeader(count: items.count)
      for item in items { item.encode(to: &encoder) }
    case .map(let pairs):
      encoder.mapHeader(count: pairs.count)
      let sorted = pairs.map { (key: $0.key.encoded(), value: $0.value) }
        .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      for (key, value) in sorted {
        unsafe encoder.append(key.span.bytes)
        value.encode(to: &encoder)
      }
    case .tagged(let tag, let value):
      encoder.tag(tag)
      value.encode(to: &encoder)
    case .simple(let value): encoder.simple(value)
    case .float(let bits): encoder.float(Double(bitPattern: bits))
    }
  }

  /// The item's deterministic bytes.
  public func encoded() -> [UInt8] {
    var encoder = CBOREncoder()
    encode(to: &encoder)
    return encoder.bytes
  }
}

extension CBORValue: CustomStringConvertible {
  /// Diagnostic notation (RFC 8949 §8), such as `{0: "hello", 1: h'0102'}`.
  public var description: String {
    switch self {
    case .unsigned(let value): "\(value)"
    case .negative(let argument):
      argument == .max ? "-18446744073709551616" : "-\(argument + 1)"
    case .bytes(let value): "h'\(value.hexadecimal)'"
    case .text(let value): "\"\(Self.escaped(value))\""
    case .array(let items): "[\(items.map(\.description).joined(separator: ", "))]"
    case .elements(let items): "[\(items.map(\.description).joined(separator: ", "))]"
    case .map(let pairs): "{\(pairs.map { "\($0.key): \($0.value)" }.joined(separator: ", "))}"
    case .tagged(let tag, let value): "\(tag)(\(value))"
    case .simple(20): "false"
    case .simple(21): "true"
    case .simple(22): "null"
    case .simple(23): "undefined"
    case .simple(let value): "simple(\(value))"
    case .float(let bits): Self.notation(of: Double(bitPattern: bits))
    }
  }

  private static func notation(of float: Double) -> String {
    if float.isNaN { return "NaN" }
    if float.isInfinite { return float < 0 ? "-Infinity" : "Infinity" }
    return "\(float)"
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f:
        result += "\\u" + [UInt8(0), UInt8(scalar.value)].hexadecimal
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension [UInt8] {
  /// The bytes of a span.
  package init(_ span: RawSpan) {
    self = unsafe span.withUnsafeBytes { unsafe [UInt8]($0) }
  }
}
