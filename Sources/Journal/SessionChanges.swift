internal import SQLite
internal import TurnLog
internal import Wire

/// The changes of sessions that are stored with their turns, but not yet in the table `sessions`.
///
/// A turn of many clients changes many sessions. Writing their rows at random places would cost more than storing the
/// turn, so the table follows the turns at a distance.
struct SessionChanges {
  /// The last change of each session.
  private var rows: [SessionID: SessionRow] = [:]
  /// The time of the oldest change; nil if there is none.
  private(set) var firstTime: Int64?

  var count: Int { rows.count }

  /// The changed sessions in the order of their last changes.
  var inOrder: [SessionRow] { rows.values.sorted { $0.position < $1.position } }

  init() {}

  /// Adds the changes of a turn.
  mutating func add(_ sessions: [LoggedSession], at position: UInt64, revision: UInt64, time: Int64) {
    guard !sessions.isEmpty else { return }
    firstTime = firstTime ?? time
    for session in sessions {
      rows.advance(to: SessionRow(session: session, position: position, revision: revision, time: time))
    }
  }

  /// Reads the changes of the turns after a position.
  ///
  /// Their checksums are not checked here: recovery, which begins before these turns, checks each of them.
  init(_ database: Database, after position: UInt64) throws(SQLiteError) {
    let (operation, name) = ("read the sessions", "the sessions of turn")
    var changes = Self()
    try database.with(
      "SELECT position, revision, time_ms, sessions FROM turns WHERE position > ? ORDER BY position", for: operation
    ) { statement throws(SQLiteError) in
      statement.bind(1, bits: position)
      while try statement.step() {
        let position = statement.bits(0)
        let sessions = statement.withBytes(3) { bytes in
          bytes.isEmpty ? [] : try? [LoggedSession](decoding: bytes.bytes)
        }
        guard let sessions else {
          throw SQLiteError.malformed("\(name) \(position) are malformed", operation)
        }
        changes.add(sessions, at: position, revision: statement.bits(1), time: statement.integer(2))
      }
    }
    self = changes
  }

  /// The sessions after the last turn, in the order of their last changes.
  ///
  /// - Parameter stored: The rows of the table in that order.
  func applied(to stored: [SessionRow]) -> [SessionRow] {
    var changed: [SessionID: SessionRow] = [:]
    var unchanged: [SessionRow] = []
    for row in stored {
      if rows[row.session.id] == nil { unchanged.append(row) } else { changed[row.session.id] = row }
    }
    for row in rows.values { changed.advance(to: row) }
    return unchanged + changed.values.filter(\.session.isComplete).sorted { $0.position < $1.position }
  }
}

extension [SessionID: SessionRow] {
  /// Adds a later row of a session.
  mutating func advance(to next: SessionRow) {
    if self[next.session.id]?.advance(to: next) == nil { self[next.session.id] = next }
  }
}

extension LoggedSession {
  /// True if the session can be restored from the record. Otherwise it has ended, or its earlier record has expired, and
  /// with it some rejections: its client gets a new session.
  var isComplete: Bool { !hasEnded && firstKept == nil }
}

extension Writer {
  /// The number of changed sessions at which their rows are written.
  private static let changeLimit = 1024

  private var expiry: Int64 { time(before: sessionExpiry) }

  /// True if rows must be written or removed: many sessions have changed or too many exist, one has expired, or a start
  /// of the hub would have to read many turns.
  var mustWriteSessions: Bool {
    changes.count >= Self.changeLimit || sessions.count + changes.count > options.sessionLimit
      || head.tail.position - head.sessionPosition >= options.sessionTurns
      || sessions.oldest.map { $0.time < expiry } ?? false || changes.firstTime.map { $0 < expiry } ?? false
  }

  /// Writes each changed session once, and removes those that ended or have expired.
  func writeSessions() throws(SQLiteError) {
    for change in changes.inOrder {
      let row = try sessionStatements.completed(change)
      if row.session.isComplete {
        let checksum = try sessionStatements.store(row)
        sessions.touch(row.session.id, checksum: checksum, time: row.time)
      } else if sessions.remove(row.session.id) {
        try sessionStatements.remove(row.session.id)
      }
    }
    changes = SessionChanges()
    head.sessionPosition = head.tail.position
    while let oldest = sessions.oldest, sessions.count > options.sessionLimit || oldest.time < expiry {
      try sessionStatements.remove(oldest.id)
      sessions.remove(oldest.id)
    }
  }

  /// Writes the sessions that turns up to a position have changed, in a separate transaction.
  ///
  /// - Returns: Nil, or the error if the disk is full. In that case nothing was changed.
  func writeSessions(upTo position: UInt64) throws(LogError) -> SQLiteError? {
    guard head.sessionPosition < position else { return nil }
    let (sessions, changes) = (sessions, changes)
    do throws(SQLiteError) {
      try transaction { writer throws(SQLiteError) in try writer.writeSessions() }
      return nil
    } catch {
      guard error.isFull else { throw failure(error) }
      do throws(SQLiteError) { try undo() } catch { throw failure(error) }
      (head, self.sessions, self.changes) = (committed, sessions, changes)
      return error
    }
  }
}
