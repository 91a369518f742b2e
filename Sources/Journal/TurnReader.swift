internal import SQLite
internal import TurnLog

/// Reads stored turns on a separate connection, concurrently with the writer.
final class TurnReader {
  private let directory: StateDirectory
  private let database: Database
  private let headStatement: HeadStatement
  private let place: Statement
  private let search: Statement
  private var cursor: TurnCursor

  init(_ directory: StateDirectory, options: JournalOptions) throws(SQLiteError) {
    self.directory = directory
    database = try Database(directory.database, vfs: options.vfs, keepsWAL: true)
    headStatement = try HeadStatement(database)
    place = try database.prepare("SELECT revision, total, checksum FROM turns WHERE position = ?", for: "read a turn")
    search = try database.prepare("SELECT revision FROM turns WHERE position = ?", for: "look for a revision")
    cursor = try TurnCursor(database, after: Head.Place(checksum: 0))
  }

  /// Reads turns from a position on.
  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] {
    try consistently { () throws(LogError) -> [LoggedTurn] in
      let head = try loadHead()
      guard position <= head.tail.position else { return [] }
      guard position > head.base.position else {
        throw LogError(
          .trimmed, "turn \(position) is not kept any more; the journal begins with \(head.base.position + 1)")
      }
      let before = try start(before: position, head)
      cursor.restart(after: before.0)
      defer { cursor.pause() }
      return try take(byteLimit: byteLimit, soundRevision: before.revision)
    }
  }

  /// The turns from the cursor on, up to the limit.
  private func take(byteLimit: Int, soundRevision: UInt64?) throws(LogError) -> [LoggedTurn] {
    var turns: [LoggedTurn] = []
    var byteCount = 0
    repeat {
      do throws(TurnCursor.Fault) {
        guard let turn = try cursor.next() else { break }
        byteCount += turn.byteCount
        turns.append(turn)
      } catch { throw error.logError(in: directory, soundRevision: turns.last?.revision ?? soundRevision) }
    } while byteCount < byteLimit
    return turns
  }

  /// The last position with at most this revision; nil if it is no longer kept.
  func position(of revision: UInt64) throws(LogError) -> UInt64? {
    try consistently { () throws(LogError) -> UInt64? in
      let head = try loadHead()
      var (low, high) = (head.base.position, head.tail.position)
      // Turns up to `low` have at most the revision; turns after `high` have more.
      while low < high {
        let middle = high - (high - low) / 2
        search.bind(1, bits: middle)
        defer { search.reset() }
        let isFound = try directory.attempt { () throws(SQLiteError) in try search.step() }
        guard isFound else { throw .damaged("turn \(middle) is missing", in: directory, soundRevision: nil) }
        if search.bits(0) <= revision { low = middle } else { high = middle - 1 }
      }
      return low > head.base.position || low == 0 ? low : nil
    }
  }

  /// Reads one version of the database, regardless of the writer.
  private func consistently<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    _ = try directory.attempt { () throws(SQLiteError) in try database.run("BEGIN", for: "begin to read") }
    defer { _ = try? database.run("COMMIT", for: "end reading") }
    return try body()
  }

  private func loadHead() throws(LogError) -> Head {
    let head = try directory.attempt { () throws(SQLiteError) in try headStatement.load() }
    guard let head else {
      throw .damaged("the row of its table meta is not what was written", in: directory, soundRevision: nil)
    }
    return head
  }

  /// The place before a turn.
  private func start(before position: UInt64, _ head: Head) throws(LogError) -> (Head.Place, revision: UInt64?) {
    if position == head.base.position + 1 { return (head.base, nil) }
    place.bind(1, bits: position - 1)
    defer { place.reset() }
    let isFound = try directory.attempt { () throws(SQLiteError) in try place.step() }
    guard isFound else { throw .damaged("turn \(position - 1) is missing", in: directory, soundRevision: nil) }
    return (
      Head.Place(position: position - 1, total: place.bits(1), checksum: place.bits(2)), revision: place.bits(0)
    )
  }
}

extension TurnCursor.Fault {
  /// A description of the fault.
  func logError(in directory: StateDirectory, soundRevision: UInt64?) -> LogError {
    switch self {
    case .damaged(let position):
      .damaged(
        "turn \(position) is missing or not what was written", in: directory, soundRevision: soundRevision)
    case .database(let error):
      LogError(
        error, in: directory, soundRevision: soundRevision,
        soundness: error.isDamage ? soundRevision.map { "it is sound up to revision \($0)" } : nil)
    }
  }
}
