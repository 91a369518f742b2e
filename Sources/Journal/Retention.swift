internal import SQLite
internal import TurnLog
internal import Wire

extension Writer {
  /// The last turn that recovery does not need: it can start from the older of two snapshots.
  private var trimLimit: UInt64 { snapshots.count >= 2 ? snapshots[0].position : 0 }

  /// Starts trimming if enough turns are too old or too many. At least a sixteenth of the limit is removed, so that not
  /// every commit has to trim.
  func noticeExcess() {
    guard !isTrimming, trimLimit > head.base.position else { return }
    let excess = head.tail.total - head.base.total > UInt64(options.retainedBytes / 16 * 17)
    isTrimming = excess || trimPosition > head.base.position + 1 || isOverdue
  }

  /// True if the oldest kept turn exceeds the retention by a sixteenth.
  private var isOverdue: Bool {
    oldestTime.map { $0 < time(before: retention + retention / 16) } ?? false
  }

  /// Removes some of the unwanted turns that recovery does not need.
  func trimTurns() throws(SQLiteError) {
    guard isTrimming else { return }
    let place = try lastUnwanted()
    guard let place, place.position > head.base.position else { return isTrimming = false }
    try retentionStatements.remove(upTo: place.position)
    head.base = place
  }

  /// The end of the next run of unwanted turns.
  private func lastUnwanted() throws(SQLiteError) -> Head.Place? {
    var last: Head.Place?
    for (place, time) in try retentionStatements.turns(after: head.base.position, limit: Self.turnsPerStep) {
      oldestTime = time
      guard place.position <= trimLimit, isUnwanted(place, time) else { break }
      last = place
    }
    return last
  }

  private func isUnwanted(_ place: Head.Place, _ time: Int64) -> Bool {
    place.position < trimPosition || time < self.time(before: retention)
      || head.tail.total - place.total >= UInt64(options.retainedBytes)
  }

  /// Returns some free pages to the file system if there are many.
  func shrink() throws(SQLiteError) {
    isShrinking = false
    let pages = try database.run("PRAGMA page_count", for: "count the pages") ?? 0
    let free = try freePages()
    guard free > 4 * Self.pagesPerStep, free > pages / 4 else { return }
    try database.run("PRAGMA incremental_vacuum(\(Self.pagesPerStep))", for: "shrink the file")
    // A database that another program has rewritten without `auto_vacuum` does not shrink.
    isShrinking = try freePages() < free
  }

  private func freePages() throws(SQLiteError) -> Int64 {
    try database.run("PRAGMA freelist_count", for: "count the free pages") ?? 0
  }

  /// Removes some pieces of an obsolete snapshot.
  func removeObsolete() throws(SQLiteError) {
    guard let id = obsolete.last else { return }
    try snapshotStatements.remove(id)
    if try !snapshotStatements.removePieces(of: id, limit: 16 * Self.piecesPerStep) { obsolete.removeLast() }
  }
}

/// The statements that find and remove old turns.
struct RetentionStatements {
  private let oldest: Statement
  private let single: Statement
  private let removal: Statement

  init(_ database: Database) throws(SQLiteError) {
    oldest = try database.prepare(
      "SELECT position, time_ms, total, checksum FROM turns WHERE position > ? ORDER BY position LIMIT ?",
      for: "look for old turns")
    single = try database.prepare("SELECT checksum, time_ms FROM turns WHERE position = ?", for: "read a turn")
    removal = try database.prepare("DELETE FROM turns WHERE position <= ?", for: "remove old turns")
  }

  /// The next turns, each with its time.
  func turns(after position: UInt64, limit: Int64) throws(SQLiteError) -> [(Head.Place, time: Int64)] {
    oldest.bind(1, bits: position)
    oldest.bind(2, limit)
    defer { oldest.reset() }
    var result: [(Head.Place, time: Int64)] = []
    while try oldest.step() {
      let place = Head.Place(position: oldest.bits(0), total: oldest.bits(2), checksum: oldest.bits(3))
      result.append((place, time: oldest.integer(1)))
    }
    return result
  }

  /// The checksum and the time of a turn; nil if it is missing.
  func turn(at position: UInt64) throws(SQLiteError) -> (checksum: UInt64, time: Int64)? {
    single.bind(1, bits: position)
    defer { single.reset() }
    return try single.step() ? (single.bits(0), single.integer(1)) : nil
  }

  /// Removes the turns up to and including a position.
  func remove(upTo position: UInt64) throws(SQLiteError) {
    removal.bind(1, bits: position)
    try removal.run()
  }
}
