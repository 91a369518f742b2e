import Wire

/// What one turn writes: bytes, and the order of their pieces in each connection's write.
struct Outgoing: ~Copyable {
  /// The bytes of all.
  var writer = FrameWriter()
  /// Ranges of the bytes; each write command names a run of these.
  var pieces = TurnList<Range<Int>>()
  /// How many bytes of snapshots may still be written in this turn.
  var snapshotBudget = 0

  /// Adds a whole frame that is for one connection alone.
  mutating func add(_ range: Range<Int>) {
    // Frames of one connection often stand one behind the other.
    if let last = pieces.last, last.upperBound == range.lowerBound, !last.isEmpty, pieces.count > openCount {
      pieces[pieces.count - 1] = last.lowerBound..<range.upperBound
    } else if !range.isEmpty {
      pieces.append(range)
    }
  }

  /// Where the run of the connection that is being written to begins.
  private(set) var openCount = 0

  /// Begins the run of another connection.
  mutating func begin() { openCount = pieces.count }

  /// The run of the connection that was written to.
  var run: Range<Int> { openCount..<pieces.count }

  /// Forgets the bytes and keeps the memory.
  mutating func removeAll() {
    writer.removeAll()
    pieces.removeAll()
    openCount = 0
  }
}
