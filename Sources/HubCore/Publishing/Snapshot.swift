import FeatureCore
import Wire

/// The state of one place at one revision, sent in pieces to the subscribers that read it at about the same time.
struct Snapshot {
  let node: Int
  let revision: UInt64
  /// The number of subscribers that read it.
  var readers = 0
  /// The time at which it was read last.
  private(set) var lastRead: Duration
  /// The number of bytes of the kept pieces.
  private(set) var keptByteCount = 0
  /// Keeps the state; nil when the snapshot was discarded.
  private var encoder: PiecewiseEncoder?
  /// The encoded pieces that are still kept, after those that were dropped.
  private var pieces: [(offset: UInt64, bytes: [UInt8])] = []
  private var droppedCount = 0
  private var byteCount: UInt64 = 0
  private var isEncoded = false

  /// The number of pieces that are kept for readers slower than the fastest.
  private let pieceLimit: Int

  init(of part: any Replicated, node: Int, revision: UInt64, pieceLimit: Int, at now: Duration) {
    (self.node, self.revision, self.pieceLimit, lastRead) = (node, revision, pieceLimit, now)
    encoder = Reducing.unobserved { PiecewiseEncoder(part) }
  }

  /// True if another reader can still get all of it.
  var isWhole: Bool { droppedCount == 0 }

  /// True if it has no pieces any more.
  var isDiscarded: Bool { encoder == nil }

  /// Releases the state and all pieces; readers have to start again.
  mutating func discard() {
    (encoder, pieces, keptByteCount, droppedCount) = (nil, [], 0, .max)
  }

  /// A piece with its offset in the whole, and whether it is the last; nil if it was dropped. A new one has `limit` bytes.
  ///
  /// - Parameters:
  ///   - index: The piece.
  ///   - limit: The number of bytes of a new piece.
  ///   - now: A monotonic time.
  /// - Complexity: O(bytes of a piece).
  mutating func piece(_ index: Int, limit: Int, at now: Duration) -> (offset: UInt64, bytes: [UInt8], isLast: Bool)? {
    guard index >= droppedCount else { return nil }
    lastRead = now
    // One more than requested: the last one is known by having no successor.
    while !isEncoded, index - droppedCount + 1 >= pieces.count { encodeNext(limit) }
    let piece = pieces[index - droppedCount]
    let isLast = isEncoded && index - droppedCount == pieces.count - 1
    if pieces.count > pieceLimit {
      let surplus = min(pieces.count - pieceLimit, index - droppedCount)
      for piece in pieces[..<surplus] { keptByteCount -= piece.bytes.count }
      pieces.removeFirst(surplus)
      droppedCount += surplus
    }
    return (piece.offset, piece.bytes, isLast)
  }

  private mutating func encodeNext(_ limit: Int) {
    guard let bytes = Reducing.unobserved({ encoder?.next(limit: limit) }) else {
      isEncoded = true
      return
    }
    pieces.append((byteCount, bytes))
    byteCount += UInt64(bytes.count)
    keptByteCount += bytes.count
  }
}
