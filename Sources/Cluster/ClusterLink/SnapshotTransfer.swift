import Wire

/// The bytes of a snapshot, which the shell has in a file.
package protocol SnapshotSource {
  /// The number of bytes.
  var byteCount: UInt64 { get }
  /// The checksum of all pieces, each with that of those before as its seed; 0 for none.
  var checksum: UInt64 { get }
  /// Returns the next piece, which is smaller than a frame's limit and not empty; nil if it cannot be read.
  mutating func nextPiece() -> [UInt8]?
}

/// A snapshot in memory.
package struct SnapshotBytes: SnapshotSource {
  package let checksum: UInt64
  private let bytes: [UInt8]
  private let pieceBytes: Int
  private var sentCount = 0

  /// Takes the bytes, which are sent in pieces of this size.
  package init(_ bytes: [UInt8], pieceBytes: Int = 64 << 10) {
    (self.bytes, self.pieceBytes) = (bytes, pieceBytes)
    var sum: UInt64 = 0
    for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
      sum = Checksum.of(Array(bytes[start..<min(start + pieceBytes, bytes.count)]).span.bytes, seed: sum)
    }
    checksum = sum
  }

  package var byteCount: UInt64 { UInt64(bytes.count) }

  package mutating func nextPiece() -> [UInt8]? {
    let piece = Array(bytes[sentCount..<min(sentCount + pieceBytes, bytes.count)])
    sentCount += piece.count
    return piece
  }
}

/// A snapshot that is being sent.
struct OutgoingSnapshot {
  private var source: any SnapshotSource
  private var sentCount: UInt64 = 0

  init(_ source: any SnapshotSource) { self.source = source }

  var isComplete: Bool { sentCount >= source.byteCount }

  /// The next bytes; nil if they cannot be read, or are not those that were announced.
  /// - Precondition: It is not complete.
  mutating func nextPiece() -> [UInt8]? {
    precondition(!isComplete, "there is no further piece")
    guard let piece = source.nextPiece(), !piece.isEmpty, sentCount + UInt64(piece.count) <= source.byteCount else {
      return nil
    }
    sentCount += UInt64(piece.count)
    return piece
  }
}

/// A snapshot that is arriving. The shell takes its bytes piece by piece.
struct IncomingSnapshot {
  let head: SnapshotHead
  /// True if it cannot be used: its pieces only pass by.
  let isIgnored: Bool
  private var byteCount: UInt64 = 0
  private var checksum: UInt64 = 0

  init(_ head: SnapshotHead, isIgnored: Bool) { (self.head, self.isIgnored) = (head, isIgnored) }

  var isComplete: Bool { byteCount == head.byteCount }

  /// True if the bytes are those that were announced.
  var isSound: Bool { checksum == head.checksum }

  /// Notes a piece; false if it has more bytes than were announced.
  mutating func note(_ piece: [UInt8]) -> Bool {
    guard UInt64(piece.count) <= head.byteCount - byteCount else { return false }
    byteCount += UInt64(piece.count)
    if !isIgnored { checksum = Checksum.of(piece.span.bytes, seed: checksum) }
    return true
  }
}
