internal import SQLite
internal import TurnLog
internal import Wire

/// A row of `sessions`: a session, and the turn in which it changed last.
struct SessionRow: Equatable {
  var session: LoggedSession
  var position: UInt64
  var revision: UInt64
  var time: Int64

  /// Replaces the row by a later one of the session.
  mutating func advance(to next: SessionRow) {
    session.advance(to: next.session)
    (position, revision, time) = (next.position, next.revision, next.time)
  }

  /// The checksum of the row, with the encoded rejections.
  func checksum(rejections: [UInt8]) -> UInt64 {
    var name = session.name
    let nameSum = name.withUTF8 { Checksum.of(UnsafeRawBufferPointer($0).bytes) }
    return Checksum.of(words: [
      session.id.high, session.id.low, UInt64(session.user), UInt64(bitPattern: Int64(session.process)), nameSum,
      session.processed, Checksum.of(rejections.span.bytes), position, revision, UInt64(bitPattern: time),
    ])
  }
}

/// The statements on `sessions`.
struct SessionStatements {
  private let insertion: Statement
  private let deletion: Statement
  private let selection: Statement

  init(_ database: Database) throws(SQLiteError) {
    insertion = try database.prepare(
      """
      INSERT OR REPLACE INTO sessions
        (id, user, process, name, processed, rejections, position, revision, time_ms, checksum)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, for: "store a session")
    deletion = try database.prepare("DELETE FROM sessions WHERE id = ?", for: "forget a session")
    selection = try database.prepare("\(Self.columns) WHERE id = ?", for: "read a session")
  }

  private static let columns = """
    SELECT id, user, process, name, processed, rejections, position, revision, time_ms, checksum FROM sessions
    """

  /// Adds the rejections that only the stored row of a session has. Only sessions with such rejections are read.
  func completed(_ change: SessionRow) throws(SQLiteError) -> SessionRow {
    guard change.session.firstKept != nil else { return change }
    selection.bind(1, copying: change.session.id.key)
    defer { selection.reset() }
    guard try selection.step(), var row = SessionRow(selection) else { return change }
    row.advance(to: change)
    return row
  }

  /// Writes a row and returns its checksum.
  func store(_ row: SessionRow) throws(SQLiteError) -> UInt64 {
    let rejections = row.session.rejections.encoded()
    let checksum = row.checksum(rejections: rejections)
    insertion.bind(1, copying: row.session.id.key)
    insertion.bind(2, Int64(row.session.user))
    insertion.bind(3, Int64(row.session.process))
    insertion.bind(4, row.session.name)
    insertion.bind(5, bits: row.session.processed)
    insertion.bind(6, copying: rejections)
    insertion.bind(7, bits: row.position)
    insertion.bind(8, bits: row.revision)
    insertion.bind(9, row.time)
    insertion.bind(10, bits: checksum)
    try insertion.run()
    return checksum
  }

  /// Removes a row.
  func remove(_ id: SessionID) throws(SQLiteError) {
    deletion.bind(1, copying: id.key)
    try deletion.run()
  }

  /// Reads all rows in the order of their last changes. Returns the sound ones with their checksums, and the number of
  /// the others.
  static func load(from database: Database) throws(SQLiteError) -> (
    sound: [(row: SessionRow, checksum: UInt64)], damaged: Int
  ) {
    var (sound, damaged): ([(SessionRow, UInt64)], Int) = ([], 0)
    try database.with("\(columns) ORDER BY position", for: "read the sessions") { statement throws(SQLiteError) in
      while try statement.step() {
        if let row = SessionRow(statement) { sound.append((row, statement.bits(9))) } else { damaged += 1 }
      }
    }
    return (sound, damaged)
  }
}

extension SessionRow {
  /// Reads the current row of the statement above; returns nil if its checksum does not match.
  fileprivate init?(_ row: Statement) {
    let rejections = row.bytes(5)
    guard let epoch = Epoch(bytes: row.bytes(0)), let user = UInt32(exactly: row.integer(1)),
      let process = Int32(exactly: row.integer(2)), row.bits(4) < LoggedTurn.numberLimit,
      let decoded = try? [Rejected](decoding: rejections.span.bytes)
    else { return nil }
    session = LoggedSession(
      id: SessionID(high: epoch.high, low: epoch.low), user: user, process: process, name: row.text(3),
      processed: row.bits(4), rejections: decoded)
    (position, revision, time) = (row.bits(6), row.bits(7), row.integer(8))
    guard checksum(rejections: rejections) == row.bits(9) else { return nil }
  }
}
