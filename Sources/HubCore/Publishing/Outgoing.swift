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

  /// The number of bytes of this turn.
  var byteCount: Int { writer.count - start }

  /// The place of this turn's first byte: the sent ones of earlier turns may precede it.
  private var start = 0

  /// Ends the turn, whose bytes are not needed any more, and keeps the memory.
  ///
  /// Emptying an array costs 100 instructions however few elements it has, so that is done for many turns at once.
  mutating func removeAll() {
    if writer.count > Self.sentByteLimit { writer.removeAll() }
    start = writer.count
    ranges.removeAll()
    (openCount, runByteCount) = (0, 0)
  }

  /// The number of sent bytes that may precede those of a turn.
  private static var sentByteLimit: Int { 1024 }
}
