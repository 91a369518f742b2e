/// The 16 bytes before every payload, little-endian: `length u32 · kind u8 · flags u8 · scope u16 · revision u64`.
///
/// `length` counts only the payload. Fields that a kind does not use are zero.
public struct FrameHeader: Equatable, Sendable {
  /// The size of a header in bytes.
  @inlinable public static var byteCount: Int { 16 }

  /// The payload's size in bytes.
  public var length: UInt32
  /// The kind of the payload; a `FrameKind` if the receiver knows it.
  public var kind: UInt8
  /// Flags specific to the kind; see `SnapshotPiece.finalFlag`.
  public var flags: UInt8
  /// The frame's scope, numbered by the client that attached it.
  public var scope: UInt16
  /// The revision of the state that the frame leads to; in *actions*, see `seenRevision`.
  public var revision: UInt64

  /// Creates a header.
  @inlinable
  public init(kind: FrameKind, flags: UInt8 = 0, scope: UInt16 = 0, revision: UInt64 = 0, length: UInt32 = 0) {
    self.length = length
    self.kind = kind.rawValue
    self.flags = flags
    self.scope = scope
    self.revision = revision
  }

  /// Reads the header at an offset.
  /// - Precondition: `bytes` has at least `byteCount` bytes from there on.
  @inlinable
  @inline(__always)
  package init(_ bytes: RawSpan, at offset: Int) {
    precondition(
      offset >= 0 && bytes.byteCount - offset >= Self.byteCount, "a frame header has 16 bytes")
    let first = unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    length = UInt32(truncatingIfNeeded: first)
    kind = UInt8(truncatingIfNeeded: first >> 32)
    flags = UInt8(truncatingIfNeeded: first >> 40)
    scope = UInt16(truncatingIfNeeded: first >> 48)
    revision = unsafe UInt64(
      littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset + 8, as: UInt64.self))
  }

  /// The flag of *actions* whose header has a `seenRevision`.
  @inlinable public static var seenFlag: UInt8 { 1 }

  /// The flag of *actions* whose effects the client may cancel by their numbers.
  @inlinable public static var cancelFlag: UInt8 { 2 }

  /// The header of *actions*.
  ///
  /// - Parameters:
  ///   - seenRevision: The revision of the last state that the client had received; nil if it does not say so.
  ///   - mayCancel: True if the client may cancel the effects of the actions.
  @inlinable
  public static func actions(seen seenRevision: UInt64?, mayCancel: Bool = false) -> Self {
    let flags = (seenRevision == nil ? 0 : seenFlag) | (mayCancel ? cancelFlag : 0)
    return FrameHeader(kind: .actions, flags: flags, revision: seenRevision ?? 0)
  }

  /// True if the sender of *actions* may cancel their effects.
  @inlinable package var mayCancel: Bool { flags & Self.cancelFlag != 0 }

  /// The revision of the last state that the sender of *actions* had received when its user acted; nil if the client
  /// does not say so.
  @inlinable package var seenRevision: UInt64? { flags & Self.seenFlag == 0 ? nil : revision }

  /// The 16 bytes as two numbers; the first one contains bytes 0 to 7, least significant first.
  @inlinable
  @inline(__always)
  var words: (UInt64, UInt64) {
    (
      UInt64(length) | UInt64(kind) << 32 | UInt64(flags) << 40 | UInt64(scope) << 48,
      revision
    )
  }

  /// Appends the header's bytes.
  package func append(to bytes: inout [UInt8]) {
    unsafe withUnsafeBytes(of: (words.0.littleEndian, words.1.littleEndian)) { unsafe bytes.append(contentsOf: $0) }
  }
}
