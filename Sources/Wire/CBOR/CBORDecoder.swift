/// Reads deterministic CBOR (RFC 8949 §4.2) from borrowed bytes, one item after another.
///
/// Anything that is not deterministic (a longer form than needed, an indefinite length, keys out of order) is
/// refused with the byte's offset, and lengths are checked against what is there before anything is allocated.
/// The decoder cannot outlive the bytes; nothing is copied but strings.
///
/// ```swift
/// var decoder = CBORDecoder(bytes)
/// let sequence = try decoder.unsigned()
/// while !decoder.isAtEnd { actions.append(try Action(from: &decoder)) }
/// ```
///
/// - Complexity: Each read is O(bytes of the item); numbers and headers allocate nothing.
public struct CBORDecoder: ~Copyable, ~Escapable {
  /// How deep values of types that contain themselves may be inside one another.
  public static var depthLimit: Int { 64 }
  /// How deep items may nest before `skip` refuses them: a guard of the stack, with room for the items that values within
  /// `depthLimit` are written as, of which each is a few deep.
  public static var nestingLimit: Int { 5 * depthLimit }

  @usableFromInline let bytes: RawSpan
  @usableFromInline var position: Int
  /// How many values of recursive types are being read, each inside the one before.
  @usableFromInline var depth = 0

  /// The next byte to read, from the start of the span.
  @inlinable public var offset: Int { position }

  /// Creates a decoder at a byte of `bytes`, the first one unless said otherwise.
  /// - Precondition: `offset` is from 0 to the number of bytes.
  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan, at offset: Int = 0) {
    precondition(offset >= 0 && offset <= bytes.byteCount, "a decoder begins inside its bytes")
    self.bytes = bytes
    position = offset
  }

  /// Whether every byte was read.
  @inlinable public var isAtEnd: Bool { position == bytes.byteCount }

  /// Refuses bytes after the last item.
  public func finish() throws(WireError) {
    guard isAtEnd else { throw WireError(.trailingBytes, at: offset) }
  }

  /// Reads an integer of major type 0.
  @inlinable
  @_lifetime(self: copy self)
  public mutating func unsigned() throws(WireError) -> UInt64 {
    // Keys and small numbers are one byte; everything else goes the long way.
    let initial = try peek()
    guard initial >= 24 else {
      position += 1
      return UInt64(initial)
    }
    return try longUnsigned()
  }

  @usableFromInline
  @_lifetime(self: copy self)
  mutating func longUnsigned() throws(WireError) -> UInt64 {
    let start = offset
    let (type, argument) = try head()
    guard type == .unsigned else { throw WireError(.typeMismatch(expected: "an unsigned integer"), at: start) }
    return argument
  }

  /// Reads an integer of major type 0 or 1 that fits 64 bits with a sign.
  @_lifetime(self: copy self)
  public mutating func integer() throws(WireError) -> Int64 {
    let start = offset
    let (type, argument) = try head()
    guard type == .unsigned || type == .negative else {
      throw WireError(.typeMismatch(expected: "an integer"), at: start)
    }
    guard let magnitude = Int64(exactly: argument) else {
      throw WireError(.outOfRange(type: "Int64"), at: start)
    }
    return type == .unsigned ? magnitude : -1 - magnitude
  }

  /// Reads false or true.
  @_lifetime(self: copy self)
  public mutating func bool() throws(WireError) -> Bool {
    switch try peek() {
    case 0xf4:
      position += 1
      return false
    case 0xf5:
      position += 1
      return true
    default:
      throw WireError(.typeMismatch(expected: "a boolean"), at: offset)
    }
  }

  /// Reads a null if one comes next, and says whether it did.
  @_lifetime(self: copy self)
  public mutating func null() throws(WireError) -> Bool {
    guard try peek() == 0xf6 else { return false }
    position += 1
    return true
  }

  /// Reads a float of any width, refusing a wider one than its value needs.
  @_lifetime(self: copy self)
  public mutating func float() throws(WireError) -> Double {
    let start = offset
    let initial = try peek()
    switch initial {
    case 0xf9:
      position += 1
      return HalfFloat.value(bits: UInt16(truncatingIfNeeded: try bigEndian(2, of: start)))
    case 0xfa:
      position += 1
      let bits = UInt32(truncatingIfNeeded: try bigEndian(4, of: start))
      let value = Double(singleBits: bits)
      guard HalfFloat.bits(exactly: value) == nil else { throw WireError(.notShortest, at: start) }
      return value
    case 0xfb:
      position += 1
      let value = Double(bitPattern: try bigEndian(8, of: start))
      guard value.exactSingleBits == nil else { throw WireError(.notShortest, at: start) }
      return value
    default:
      throw WireError(.typeMismatch(expected: "a float"), at: start)
    }
  }

  /// Reads a text string of at most `limit` bytes.
  @_lifetime(self: copy self)
  public mutating func text(limit: Int = .max) throws(WireError) -> String {
    let start = offset
    let length = try length(of: .text, expected: "text", limit: limit)
    let utf8 = bytes.extracting(unchecked: offset..<offset + length)
    let text = utf8.withUnsafeBytes { String(validating: $0, as: UTF8.self) }
    guard let text else { throw WireError(.invalidUTF8, at: start) }
    position += length
    return text
  }

  /// Reads a byte string of at most `limit` bytes and lends it for as long as the decoded bytes live.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  public mutating func byteString(limit: Int = .max) throws(WireError) -> RawSpan {
    let length = try length(of: .bytes, expected: "a byte string", limit: limit)
    let value = bytes.extracting(unchecked: offset..<offset + length)
    position += length
    return value
  }

  /// Reads the head of an array and returns how many items follow.
  ///
  /// The count is at most the number of bytes left, so reserving that many items is bounded by the input.
  @_lifetime(self: copy self)
  public mutating func arrayHeader() throws(WireError) -> Int {
    try count(of: .array, expected: "an array", bytesPerElement: 1)
  }

  /// Reads the head of a map and returns how many pairs follow; see `arrayHeader()` for the bound.
  @_lifetime(self: copy self)
  public mutating func mapHeader() throws(WireError) -> Int {
    try count(of: .map, expected: "a map", bytesPerElement: 2)
  }

  /// Reads a tag; the tagged item comes next.
  @_lifetime(self: copy self)
  public mutating func tag() throws(WireError) -> UInt64 {
    let start = offset
    let (type, argument) = try head()
    guard type == .tag else { throw WireError(.typeMismatch(expected: "a tag"), at: start) }
    return argument
  }

  /// The major type of the next item.
  public func nextType() throws(WireError) -> CBORMajorType {
    Self.majorType(try peek())
  }

  /// The item that comes next, whole and checked to be well-formed and deterministic, without moving past it.
  @_lifetime(copy self)
  public func nextItem() throws(WireError) -> RawSpan {
    var ahead = CBORDecoder(bytes, at: offset)
    try ahead.skip()
    return bytes.extracting(unchecked: offset..<ahead.offset)
  }

  /// Whether an empty map comes next: the change that changes nothing.
  package var isAtEmptyMap: Bool { (try? peek()) == 0xa0 }

  /// Moves past one item, whatever it is, checking that it is well-formed and deterministic.
  @_lifetime(self: copy self)
  public mutating func skip() throws(WireError) {
    try skip(depth: Self.nestingLimit, limit: Self.nestingLimit)
  }

  /// Moves past one item however deep it nests: for bytes of our own, which were written by going as deep.
  @_lifetime(self: copy self)
  package mutating func skipOwn() throws(WireError) {
    try skip(depth: .max, limit: .max)
  }

  /// Moves back to an offset that this decoder stood at before.
  /// - Precondition: `offset` is not past the current one.
  @_lifetime(self: copy self)
  public mutating func rewind(to offset: Int) {
    precondition(offset >= 0 && offset <= position, "a decoder rewinds only to where it has been")
    position = offset
  }
}

// MARK: - Heads

extension CBORDecoder {
  static func majorType(_ initial: UInt8) -> CBORMajorType {
    CBORMajorType(rawValue: initial >> 5).unsafelyUnwrapped
  }

  @inlinable func peek() throws(WireError) -> UInt8 {
    guard offset < bytes.byteCount else { throw WireError(.truncated, at: offset) }
    return bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
  }

  /// The initial byte and its argument (RFC 8949 §3), in shortest form. Floats and simple values are not heads
  /// with a numeric argument and are read by their own methods, except by `skip` and `CBORValue`.
  @_lifetime(self: copy self)
  mutating func head() throws(WireError) -> (CBORMajorType, UInt64) {
    let start = offset
    let initial = try peek()
    position += 1
    let type = Self.majorType(initial)
    switch initial & 0x1f {
    case let small where small < 24:
      return (type, UInt64(small))
    case 24:
      return (type, try argument(1, atLeast: 24, of: start))
    case 25:
      return (type, try argument(2, atLeast: 0x100, of: start))
    case 26:
      return (type, try argument(4, atLeast: 0x1_0000, of: start))
    case 27:
      return (type, try argument(8, atLeast: 0x1_0000_0000, of: start))
    case 31:
      throw WireError(.indefiniteLength, at: start)
    default:
      throw WireError(.reserved, at: start)
    }
  }

  @_lifetime(self: copy self)
  mutating func argument(_ width: Int, atLeast least: UInt64, of start: Int) throws(WireError) -> UInt64 {
    let value = try bigEndian(width, of: start)
    guard value >= least else { throw WireError(.notShortest, at: start) }
    return value
  }

  @_lifetime(self: copy self)
  mutating func bigEndian(_ width: Int, of start: Int) throws(WireError) -> UInt64 {
    guard bytes.byteCount - offset >= width else { throw WireError(.truncated, at: start) }
    var value: UInt64 = 0
    for _ in 0..<width {
      value = value << 8 | UInt64(bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
      position += 1
    }
    return value
  }

  @_lifetime(self: copy self)
  private mutating func length(
    of wanted: CBORMajorType, expected: String, limit: Int
  ) throws(WireError) -> Int {
    let start = offset
    let (type, length) = try head()
    guard type == wanted else { throw WireError(.typeMismatch(expected: expected), at: start) }
    guard length <= UInt64(limit) else { throw WireError(.tooLong(length: length, limit: limit), at: start) }
    guard length <= UInt64(bytes.byteCount - offset) else { throw WireError(.truncated, at: start) }
    return Int(length)
  }

  @_lifetime(self: copy self)
  private mutating func count(
    of wanted: CBORMajorType, expected: String, bytesPerElement: Int
  ) throws(WireError) -> Int {
    let start = offset
    let (type, count) = try head()
    guard type == wanted else { throw WireError(.typeMismatch(expected: expected), at: start) }
    guard count <= UInt64((bytes.byteCount - offset) / bytesPerElement) else {
      throw WireError(.truncated, at: start)
    }
    return Int(count)
  }

  /// Moves past one item of which the parts are at most `depth` deep, `limit` being what a refusal tells.
  @_lifetime(self: copy self)
  mutating func skip(depth: Int, limit: Int) throws(WireError) {
    guard depth > 0 else { throw WireError(.tooDeep(limit: limit), at: offset) }
    let start = offset
    switch try nextType() {
    case .unsigned, .negative:
      _ = try head()
    case .bytes:
      _ = try byteString()
    case .text:
      _ = try text()
    case .array:
      for _ in 0..<(try arrayHeader()) { try skip(depth: depth - 1, limit: limit) }
    case .map:
      try skipMap(depth: depth, limit: limit)
    case .tag:
      _ = try head()
      try skip(depth: depth - 1, limit: limit)
    case .simple:
      switch try peek() & 0x1f {
      case 24:
        position += 1
        guard try bigEndian(1, of: start) >= 32 else { throw WireError(.reserved, at: start) }
      case 25...27:
        _ = try float()
      default:
        _ = try head()
      }
    }
  }

  @_lifetime(self: copy self)
  private mutating func skipMap(depth: Int, limit: Int) throws(WireError) {
    let pairs = try mapHeader()
    var previous = 0..<0
    for _ in 0..<pairs {
      let start = offset
      try skip(depth: depth - 1, limit: limit)
      let key = start..<offset
      guard precedes(previous, key) else { throw WireError(.keysOutOfOrder, at: start) }
      previous = key
      try skip(depth: depth - 1, limit: limit)
    }
  }

  /// Whether the bytes of one key come before another's in bytewise lexicographic order (RFC 8949 §4.2.1).
  private func precedes(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
    bytes.withUnsafeBytes { $0[first].lexicographicallyPrecedes($0[second]) }
  }
}

extension Double {
  /// The value of a single-precision float given by its bits, NaN payload included.
  init(singleBits bits: UInt32) {
    let single = Float(bitPattern: bits)
    guard single.isNaN else {
      self.init(single)
      return
    }
    self.init(
      bitPattern: UInt64(bits & 0x8000_0000) << 32 | 0x7ff0_0000_0000_0000 | UInt64(bits & 0x7f_ffff) << 29)
  }
}
