import Reducers
import Wire

/// The state of one place at one revision, sent in pieces to the subscribers that read it at about the same time.
struct Snapshot {
  let node: Int
  let revision: UInt64
  /// The number of subscribers that read it.
  var readers = 0
  private var encoder: PiecewiseEncoder
  /// The encoded pieces that are still kept, after those that were dropped.
  private var pieces: [(offset: UInt64, bytes: [UInt8])] = []
  private var droppedCount = 0
  private var byteCount: UInt64 = 0
  private var isEncoded = false

  /// The number of pieces that are kept for readers slower than the fastest.
  private let pieceLimit: Int

  init(of part: any Replicated, node: Int, revision: UInt64, pieceLimit: Int) {
    (self.node, self.revision, self.pieceLimit) = (node, revision, pieceLimit)
    encoder = Reducing.unobserved { PiecewiseEncoder(part) }
  }

  /// True if another reader can still get all of it.
  var isWhole: Bool { droppedCount == 0 }

  /// A piece with its offset in the whole, and whether it is the last; nil if it was dropped. A new one has `limit` bytes.
  /// - Complexity: O(bytes of a piece).
  mutating func piece(_ index: Int, limit: Int) -> (offset: UInt64, bytes: [UInt8], isLast: Bool)? {
    guard index >= droppedCount else { return nil }
    // One more than requested: the last one is known by having no successor.
    while !isEncoded, index - droppedCount + 1 >= pieces.count { encodeNext(limit) }
    let piece = pieces[index - droppedCount]
    let isLast = isEncoded && index - droppedCount == pieces.count - 1
    if pieces.count > pieceLimit {
      let surplus = min(pieces.count - pieceLimit, index - droppedCount)
      pieces.removeFirst(surplus)
      droppedCount += surplus
    }
    return (piece.offset, piece.bytes, isLast)
  }

  private mutating func encodeNext(_ limit: Int) {
    guard let bytes = Reducing.unobserved({ encoder.next(limit: limit) }) else {
      isEncoded = true
      return
    }
    pieces.append((byteCount, bytes))
    byteCount += UInt64(bytes.count)
  }
}
