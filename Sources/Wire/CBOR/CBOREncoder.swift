/// Appends deterministic CBOR (RFC 8949 §4.2) to a reusable buffer.
///
/// Integers, lengths and floats are written in their shortest form and every length is definite, so equal values have
/// equal bytes. The caller must write a map's keys in ascending order.
///
/// ```swift
/// var encoder = CBOREncoder()
/// encoder.mapHeader(count: 1)
/// encoder.unsigned(0)
/// encoder.text("hello")          // {0: "hello"}
/// ```
///
/// - Complexity: Each call is O(bytes written); once the buffer has grown to its working size nothing is allocated.
public struct CBOREncoder {
  /// The storage of `bytes`, under another name so that inlined code can write to it.
  @usableFromInline var buffer: [UInt8]
  /// The positions of elements that are not written yet, in a `PiecewiseEncoder`; nil elsewhere.
  var openings: [EncoderOpening]?
  /// An estimate of the memory that the encoded values do not share with the bases of their deltas, beyond the size of
  /// the deltas. It is the cost of keeping another version.
  @usableFromInline package internal(set) var unsharedByteCount = 0

  /// True while a change that is to be merged is written, and not a delta; see `Replicated.encodeChange(from:to:)`.
  @usableFromInline package internal(set) var isMerging = false

  /// True if identified arrays are replaced by their count and hash.
  let isSummary: Bool
  /// The bytes of identified arrays' elements that may still be hashed for a summary; `.min` if it is incomplete.
  var hashBudget = Int.max

  /// Creates an encoder with an empty buffer.
  public init() {
    self.init(isSummary: false)
  }

  init(isSummary: Bool) {
    buffer = []
    self.isSummary = isSummary
  }

  /// A copy of the bytes written so far, which shares its memory with the encoder until the next write.
  @inlinable public var bytes: [UInt8] { buffer }

  /// The bytes written so far, borrowed until the next write.
  @inlinable public var span: RawSpan {
    @_lifetime(borrow self) borrowing get { unsafe buffer.span.bytes }
  }

  /// The number of bytes written so far.
  @inlinable public var count: Int { buffer.count }

  /// Removes the written bytes and keeps the memory.
  @inlinable
  public mutating func removeAll() {
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes an integer of major type 0.
  @inlinable
  public mutating func unsigned(_ value: UInt64) {
    head(.unsigned, value)
  }

  /// Writes an integer of major type 0 or 1.
  @inlinable
  public mutating func integer(_ value: Int64) {
    if value >= 0 {
      head(.unsigned, UInt64(value))
    } else {
      head(.negative, UInt64(-1 - value))
    }
  }

  /// Writes false or true.
  @inlinable
  public mutating func bool(_ value: Bool) {
    buffer.append(value ? 0xf5 : 0xf4)
  }

  /// Writes null.
  @inlinable
  public mutating func null() {
    buffer.append(0xf6)
  }

  /// Writes a simple value that is not false, true or null (RFC 8949 §3.3).
  /// - Precondition: `value` is not one of the reserved 24–31.
  public mutating func simple(_ value: UInt8) {
    precondition(!(24...31).contains(value), "simple values 24 to 31 are reserved")
    head(.simple, UInt64(value))
  }

  /// Writes a float in the shortest of the three widths that preserves its value; a NaN keeps its payload.
  public mutating func float(_ value: Double) {
    if let half = HalfFloat.bits(exactly: value) {
      buffer.append(0xf9)
      block(half)
    } else if let single = value.exactSingleBits {
      buffer.append(0xfa)
      block(single)
    } else {
      buffer.append(0xfb)
      block(value.bitPattern)
    }
  }

  /// Writes a text string.
  public mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { utf8 in
      head(.text, UInt64(utf8.count))
      unsafe buffer.append(contentsOf: utf8)
    }
  }

  /// Writes a byte string.
  @inlinable
  public mutating func byteString(_ value: RawSpan) {
    head(.bytes, UInt64(value.byteCount))
    append(value)
  }

  /// Begins a byte string of `count` bytes, which the caller then writes.
  package mutating func byteStringHeader(count: Int) {
    head(.bytes, UInt64(count))
  }

  /// Begins an array of `count` items, which the caller then writes.
  @inlinable
  public mutating func arrayHeader(count: Int) {
    head(.array, UInt64(count))
  }

  /// Begins a map of `count` pairs, which the caller then writes with keys in ascending order.
  @inlinable
  public mutating func mapHeader(count: Int) {
    head(.map, UInt64(count))
  }

  /// Writes a tag; the caller then writes the tagged item.
  @inlinable
  public mutating func tag(_ value: UInt64) {
    head(.tag, value)
  }

  /// Appends bytes that are already CBOR.
  @inlinable
  public mutating func append(_ encoded: RawSpan) {
    unsafe encoded.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
  }

  @inlinable
  @inline(__always)
  mutating func head(_ type: CBORMajorType, _ argument: UInt64) {
    // Keys, counts and small numbers take one byte; the rest is written out of line.
    guard argument < 24 else { return longHead(type, argument) }
    buffer.append(type.bits | UInt8(truncatingIfNeeded: argument))
  }

  @usableFromInline
  @inline(never)
  mutating func longHead(_ type: CBORMajorType, _ argument: UInt64) {
    let head = Head(type, argument)
    unsafe withUnsafeBytes(of: (head.first.littleEndian, head.last)) { bytes in
      unsafe buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<head.count]))
    }
  }

  /// The bytes of an item's head in its shortest form, as numbers: the first eight, least significant first, and the
  /// ninth.
  struct Head {
    let first: UInt64
    let last: UInt8
    let count: Int

    @inline(__always)
    init(_ type: CBORMajorType, _ argument: UInt64) {
      let bits = UInt64(type.bits)
      last = UInt8(truncatingIfNeeded: argument)
      switch argument {
      case 0..<24: (first, count) = (bits | argument, 1)
      case 24...0xff: (first, count) = (bits | 24 | argument << 8, 2)
      case 0x100...0xffff:
        (first, count) = (bits | 25 | UInt64(UInt16(truncatingIfNeeded: argument).byteSwapped) << 8, 3)
      case 0x1_0000...0xffff_ffff:
        (first, count) = (bits | 26 | UInt64(UInt32(truncatingIfNeeded: argument).byteSwapped) << 8, 5)
      default: (first, count) = (bits | 27 | argument.byteSwapped << 8, 9)
      }
    }
  }

  /// Writes a number's bytes, most significant first, with one check of the capacity.
  @inline(__always)
  private mutating func block(_ value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe buffer.append(contentsOf: $0) }
  }
}

extension Double {
  /// The bits of the single-precision float that has exactly this value, including a NaN's payload.
  var exactSingleBits: UInt32? {
    if isNaN {
      // A payload fits in a narrower float if the bits to be cut off are all zero.
      guard bitPattern & 0x1fff_ffff == 0 else { return nil }
      return UInt32(truncatingIfNeeded: bitPattern >> 32 & 0x8000_0000)
        | 0x7f80_0000 | UInt32(truncatingIfNeeded: bitPattern >> 29 & 0x7f_ffff)
    }
    let single = Float(self)
    return Double(single) == self ? single.bitPattern : nil
  }
}
