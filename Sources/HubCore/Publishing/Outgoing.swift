import Wire

/// The output of a turn: bytes, and the order of their ranges in each connection's write.
struct Outgoing: ~Copyable {
  /// The bytes for all connections.
  var writer = FrameWriter()
  /// Ranges of the bytes; each write command refers to a run of these.
  var ranges = TurnList<Range<Int>>()
  /// The bytes of snapshots that may still be written in this turn.
  var snapshotBudget = 0
  /// The size of the pieces in which it is spent.
  var pieceLimit = SnapshotPiece.byteLimit
  /// The bytes of elements that may still be hashed in this turn.
  var hashBudget = 0
  /// True if a hash that the current connection is to get needs more turns.
  var isHashUnfinished = false
  /// The time of the turn.
  var now = Duration.zero

  /// Adds a whole frame for one connection.
  mutating func add(_ range: Range<Int>) {
    runByteCount += range.count
    // Frames of one connection are often adjacent.
    if let last = ranges.last, last.upperBound == range.lowerBound, !last.isEmpty, ranges.count > openCount {
      ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
    } else if !range.isEmpty {
      ranges.append(range)
    }
  }

  /// The beginning of the current connection's run.
  private(set) var openCount = 0

  /// The bytes of the current connection's run.
  private(set) var runByteCount = 0

  /// Begins the run of another connection.
  mutating func begin() { (openCount, runByteCount, isHashUnfinished) = (ranges.count, 0, false) }

  /// The current connection's run.
  var run: Range<Int> { openCount..<ranges.count }

  /// Discards the bytes and keeps the memory.
  mutating func removeAll() {
    writer.removeAll()
    ranges.removeAll()
    (openCount, runByteCount) = (0, 0)
  }
}
