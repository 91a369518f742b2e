/// The 16 bytes before every payload, little-endian: `length u32 · kind u8 · flags u8 · scope u16 · revision u64`.
///
/// `length` counts the payload alone. A field that a kind has no use for is zero.
public struct FrameHeader: Equatable, Sendable {
  /// The size of a header in bytes.
  public static var byteCount: Int { 16 }

  /// The payload's size in bytes.
  public var length: UInt32
  /// What the payload is, a `FrameKind` where the receiver knows it.
  public var kind: UInt8
  /// Bits that belong to the kind; see `SnapshotChunk.finalFlag`.
  public var flags: UInt8
  /// The scope that the frame speaks of, numbered by the client that attached it.
  public var scope: UInt16
  /// The revision of the state after what the frame carries.
  public var revision: UInt64

  /// Creates a header.
  public init(kind: FrameKind, flags: UInt8 = 0, scope: UInt16 = 0, revision: UInt64 = 0, length: UInt32 = 0) {
    self.length = length
    self.kind = kind.rawValue
    self.flags = flags
    self.scope = scope
    self.revision = revision
  }

  /// Reads a header.
  /// - Precondition: `bytes` holds at least `byteCount` bytes.
  package init(_ bytes: RawSpan) {
    precondition(bytes.byteCount >= Self.byteCount, "a frame header has 16 bytes")
    length = UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self))
    kind = bytes.unsafeLoad(fromUncheckedByteOffset: 4, as: UInt8.self)
    flags = bytes.unsafeLoad(fromUncheckedByteOffset: 5, as: UInt8.self)
    scope = UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 6, as: UInt16.self))
    revision = UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: 8, as: UInt64.self))
  }

  /// Appends the header's bytes.
  package func append(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: (length.littleEndian, kind, flags, scope.littleEndian, revision.littleEndian)) {
      bytes.append(contentsOf: $0)
    }
  }
}
