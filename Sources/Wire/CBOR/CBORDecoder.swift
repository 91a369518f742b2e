/// Reads deterministic CBOR (RFC 8949 §4.2) from borrowed bytes, one item after another.
///
/// It refuses bytes that are not deterministic (a longer form than needed, an indefinite length, keys out of order),
/// with their offset. Lengths are checked against the available bytes before anything is allocated. The decoder cannot
/// outlive the bytes; it copies only strings.
///
/// ```swift
/// var decoder = CBORDecoder(bytes)
/// let sequence = try decoder.unsigned()
/// while !decoder.isAtEnd { actions.append(try Action(from: &decoder)) }
/// ```
///
/// - Complexity: Each read is O(bytes of the item); numbers and headers allocate nothing.
public struct CBORDecoder: ~Copyable, ~Escapable {
  /// The maximum nesting depth of values of recursive types.
  public static var depthLimit: Int { 64 }
  /// The nesting depth of items at which `skip` gives up, to protect the stack. It leaves room for values within
  /// `depthLimit`, each of which is encoded as a few nested items.
  public static var nestingLimit: Int { 5 * depthLimit }

  @usableFromInline let bytes: RawSpan
  @usableFromInline var position: Int
  /// The current nesting depth of values of recursive types.
  @usableFromInline var depth = 0
  /// True while a change is merged, and no delta applied; see `Replicated.merge(change:)`.
  package internal(set) var isMerging = false

  /// The next byte to read, from the start of the span.
  @inlinable public var offset: Int { position }

  /// Creates a decoder at a byte of `bytes`, by default the first.
  /// - Precondition: `offset` is between 0 and the number of bytes.
  @inlinable
  @_lifetime(copy bytes)
  public init(_ bytes: RawSpan, at offset: Int = 0) {
    precondition(offset >= 0 && offset <= bytes.byteCount, "a decoder begins inside its bytes")
    self.bytes = bytes
    position = offset
  }

  /// True if all bytes were read.
  @inlinable public var isAtEnd: Bool { position == bytes.byteCount }

  /// Refuses bytes after the last item.
  public func finish() throws(WireError) {
    guard isAtEnd else { throw WireError(.trailingBytes, at: offset) }
  }

  /// Skips the next item if it consists of the same bytes as the previous one.
  ///
  /// Items of more than eight bytes, and items that begin in the first eight bytes, are not compared.
  ///
  /// - Parameter length: The number of bytes of the previous item, which ends at the current offset.
  /// - Returns: True if the item was skipped.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  package mutating func skipRepetition(ofLength length: Int) -> Bool {
    // Also false for lengths that no item has, of a type that moves the offset back.
    guard UInt(bitPattern: length &- 1) < 8, position >= 8, bytes.byteCount - position >= length else { return false }
    let end = position &+ length
    // The eight bytes before each end, of which the last ones count: the highest ones of a little-endian number.
    let previous = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position &- 8, as: UInt64.self)
    let next = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: end &- 8, as: UInt64.self)
    guard UInt64(littleEndian: previous ^ next) &>> UInt64(truncatingIfNeeded: 64 &- 8 &* length) == 0 else {
      return false
    }
    position = end
    return true
  }

  /// Reads an integer of major type 0.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func unsigned() throws(WireError) -> UInt64 {
    guard let small = smallArgument(of: .unsigned) else { return try longUnsigned() }
    return small
  }

  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func longUnsigned() throws(WireError) -> UInt64 {
    // Two and four bytes first: each frame of actions begins with two numbers, most of them of these sizes. This saves
    // 50 instructions for each.
    if bytes.byteCount - position >= 5 {
      switch loadByte() {
      case 0x19:
        let argument = unsafe UInt16(
          bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position + 1, as: UInt16.self))
        guard argument > 0xff else { break }
        position += 3
        return UInt64(argument)
      case 0x1a:
        let argument = unsafe UInt32(
          bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position + 1, as: UInt32.self))
        guard argument > 0xffff else { break }
        position += 5
        return UInt64(argument)
      default: break
      }
    }
    let start = position
    let (type, argument) = try head()
    guard type == .unsigned else { throw WireError(.typeMismatch(expected: "an unsigned integer"), at: start) }
    return argument
  }

  /// Reads an integer of major type 0 or 1 that fits in a signed 64-bit integer.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func integer() throws(WireError) -> Int64 {
    guard let small = smallArgument(of: .unsigned) else { return try longInteger() }
    return Int64(truncatingIfNeeded: small)
  }

  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func longInteger() throws(WireError) -> Int64 {
    let start = position
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
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func bool() throws(WireError) -> Bool {
    // False is 0xf4, true is 0xf5.
    guard position < bytes.byteCount, loadByte() | 1 == 0xf5 else { throw notBool() }
    position += 1
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position - 1, as: UInt8.self) == 0xf5
  }

  @usableFromInline
  @inline(never)
  func notBool() -> WireError {
    WireError(isAtEnd ? .truncated : .typeMismatch(expected: "a boolean"), at: position)
  }

  /// Reads a null if it is the next item; returns true if it was.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func null() throws(WireError) -> Bool {
    guard try peek() == 0xf6 else { return false }
    position += 1
    return true
  }

  /// Reads a float of any width; refuses one that is wider than its value needs.
  @_lifetime(self: copy self)
  public mutating func float() throws(WireError) -> Double {
    let start = offset
    let initial = try peek()
    switch initial {
    case 0xf9:
      position += 1
      return HalfFloat.value(bits: try bigEndian(UInt16.self, of: start))
    case 0xfa:
      position += 1
      let bits = try bigEndian(UInt32.self, of: start)
      let value = Double(singleBits: bits)
      guard HalfFloat.bits(exactly: value) == nil else { throw WireError(.notShortest, at: start) }
      return value
    case 0xfb:
      position += 1
      let value = Double(bitPattern: try bigEndian(UInt64.self, of: start))
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
    let utf8 = unsafe bytes.extracting(unchecked: offset..<offset + length)
    let text = unsafe utf8.withUnsafeBytes { raw in
      // Not `String(validating:as:)`, which looks up generic metadata each time.
      unsafe raw.withMemoryRebound(to: UInt8.self) { units -> String? in
        guard let valid = try? unsafe UTF8Span(validating: units.span) else { return nil }
        return String(copying: valid)
      }
    }
    guard let text else { throw WireError(.invalidUTF8, at: start) }
    position += length
    return text
  }

  /// Reads a byte string of at most `limit` bytes, which borrows from the decoded bytes.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  public mutating func byteString(limit: Int = .max) throws(WireError) -> RawSpan {
    let length = try length(of: .bytes, expected: "a byte string", limit: limit)
    let value = unsafe bytes.extracting(unchecked: offset..<offset + length)
    position += length
    return value
  }

  /// Reads the head of an array and returns the number of items that follow.
  ///
  /// The count is at most the number of remaining bytes, so reserving space for it is bounded by the input.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func arrayHeader() throws(WireError) -> Int {
    guard let small = smallArgument(of: .array) else { return try longArrayHeader() }
    guard small <= UInt64(bytes.byteCount - position) else { throw truncated(at: position - 1) }
    return Int(truncatingIfNeeded: small)
  }

  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func longArrayHeader() throws(WireError) -> Int {
    try count(of: .array, expected: "an array", bytesPerElement: 1)
  }

  /// Reads the head of a map and returns the number of pairs that follow; see `arrayHeader()` for the bound.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  public mutating func mapHeader() throws(WireError) -> Int {
    guard let small = smallArgument(of: .map) else { return try longMapHeader() }
    guard 2 * small <= UInt64(bytes.byteCount - position) else { throw truncated(at: position - 1) }
    return Int(truncatingIfNeeded: small)
  }

  @usableFromInline
  @inline(never)
  @_lifetime(self: copy self)
  mutating func longMapHeader() throws(WireError) -> Int {
    try count(of: .map, expected: "a map", bytesPerElement: 2)
  }

  /// Reads a tag; the tagged item follows.
  @_lifetime(self: copy self)
  public mutating func tag() throws(WireError) -> UInt64 {
    let start = offset
    let (type, argument) = try head()
    guard type == .tag else { throw WireError(.typeMismatch(expected: "a tag"), at: start) }
    return argument
  }

  /// The major type of the next item.
  @inlinable
  @inline(__always)
  public func nextType() throws(WireError) -> CBORMajorType {
    Self.majorType(try peek())
  }

  /// The complete next item, checked to be well-formed and deterministic, without moving past it.
  @_lifetime(copy self)
  public func nextItem() throws(WireError) -> RawSpan {
    var ahead = CBORDecoder(bytes, at: offset)
    try ahead.skip()
    return unsafe bytes.extracting(unchecked: offset..<ahead.offset)
  }

  /// Moves past the next item of any type, checked to be well-formed and deterministic, and returns its bytes.
  @_lifetime(copy self)
  @_lifetime(self: copy self)
  package mutating func item() throws(WireError) -> RawSpan {
    let start = position
    try skip()
    return unsafe bytes.extracting(unchecked: start..<position)
  }

  /// True if an empty map comes next, which is the delta without changes.
  package var isAtEmptyMap: Bool { (try? peek()) == 0xa0 }

  /// Moves past one item of any type, checking that it is well-formed and deterministic.
  @_lifetime(self: copy self)
  public mutating func skip() throws(WireError) {
    try skip(depth: Self.nestingLimit, limit: Self.nestingLimit)
  }

  /// Moves past one item that is nested at most `limit` deep.
  @_lifetime(self: copy self)
  package mutating func skip(limit: Int) throws(WireError) {
    try skip(depth: limit, limit: limit)
  }

  /// Moves past one action that need not be decoded. It may be as deep as a decoded one: values within `depthLimit`, and
  /// within these an unknown field.
  @_lifetime(self: copy self)
  package mutating func skipAction() throws(WireError) {
    let limit = 2 * Self.nestingLimit
    try skip(depth: limit, limit: limit)
  }

  /// Moves past one item without a depth limit: for trusted bytes, which this process wrote by the same recursion.
  @_lifetime(self: copy self)
  package mutating func skipOwn() throws(WireError) {
    try skip(depth: .max, limit: .max)
  }
}

// MARK: - Heads

extension CBORDecoder {
  @inlinable
  @inline(__always)
  static func majorType(_ initial: UInt8) -> CBORMajorType {
    // Safe: the raw values of the enum are 0 to 7, which are all values of three bits.
    unsafe unsafeBitCast(initial >> 5, to: CBORMajorType.self)
  }

  /// The next byte, unchecked: the caller knows that one is left.
  @inlinable
  @inline(__always)
  func loadByte() -> UInt8 { unsafe bytes.unsafeLoad(fromUncheckedByteOffset: position, as: UInt8.self) }

  @inlinable
  @inline(__always)
  func peek() throws(WireError) -> UInt8 {
    guard position < bytes.byteCount else { throw truncated(at: position) }
    return loadByte()
  }

  /// Errors are created out of line, so that each inlined check is a compare and a jump.
  @usableFromInline
  @inline(never)
  func truncated(at offset: Int) -> WireError { WireError(.truncated, at: offset) }

  /// Reads the head of an item of this type if its argument is in the initial byte; otherwise returns nil and does not
  /// move.
  @inlinable
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func smallArgument(of type: CBORMajorType) -> UInt64? {
    guard position < bytes.byteCount else { return nil }
    let argument = loadByte() ^ type.bits
    guard argument < 24 else { return nil }
    position += 1
    return UInt64(argument)
  }

  /// The initial byte and its argument (RFC 8949 §3), in shortest form. Floats and simple values have no numeric
  /// argument; except in `skip` and `CBORValue`, their own methods read them.
  @_lifetime(self: copy self)
  mutating func head() throws(WireError) -> (CBORMajorType, UInt64) {
    let start = position
    let initial = try peek()
    position += 1
    let type = Self.majorType(initial)
    switch initial & 0x1f {
    case let small where small < 24:
      return (type, UInt64(small))
    case 24:
      return (type, try shortest(UInt64(try bigEndian(UInt8.self, of: start)), atLeast: 24, of: start))
    case 25:
      return (type, try shortest(UInt64(try bigEndian(UInt16.self, of: start)), atLeast: 0x100, of: start))
    case 26:
      return (type, try shortest(UInt64(try bigEndian(UInt32.self, of: start)), atLeast: 0x1_0000, of: start))
    case 27:
      return (type, try shortest(try bigEndian(UInt64.self, of: start), atLeast: 0x1_0000_0000, of: start))
    case 31:
      throw WireError(.indefiniteLength, at: start)
    default:
      throw WireError(.reserved, at: start)
    }
  }

  @inline(__always)
  private func shortest(_ value: UInt64, atLeast least: UInt64, of start: Int) throws(WireError) -> UInt64 {
    guard value >= least else { throw WireError(.notShortest, at: start) }
    return value
  }

  /// Reads a number of the type's width, most significant byte first.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func bigEndian<Number: FixedWidthInteger & BitwiseCopyable>(
    _ type: Number.Type, of start: Int
  ) throws(WireError) -> Number {
    guard bytes.byteCount - position >= MemoryLayout<Number>.size else { throw truncated(at: start) }
    let value = unsafe Number(bigEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: position, as: type))
    position += MemoryLayout<Number>.size
    return value
  }

  @_lifetime(self: copy self)
  private mutating func length(
    of wanted: CBORMajorType, expected: String, limit: Int
  ) throws(WireError) -> Int {
    let start = position
    if let small = smallArgument(of: wanted), small <= UInt64(limit), small <= UInt64(bytes.byteCount - position) {
      return Int(small)
    }
    position = start
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

  /// Moves past one item nested at most `depth` deep; the error names `limit`.
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
        guard try bigEndian(UInt8.self, of: start) >= 32 else { throw WireError(.reserved, at: start) }
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
    for pair in 0..<pairs {
      let start = offset
      try skip(depth: depth - 1, limit: limit)
      let key = start..<offset
      try requireAscending(pair == 0 ? nil : previous, key)
      previous = key
      try skip(depth: depth - 1, limit: limit)
    }
  }
}

extension Double {
  /// The value of a single-precision float with these bits, including a NaN's payload.
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
