internal import SQLite
internal import Wire

/// The single row of `meta`: the beginning and the end of the history, and the row counts of the other tables.
///
/// The row's end follows the turns at a distance, because a commit of turns would otherwise write a second page. A head
/// that is read ends with the last turn there is. The row is current whenever the write-ahead log is copied into the
/// database; until then the log's own checksums tell if a turn at the end is missing.
struct Head: Equatable {
  /// A place between two turns. The next turn is chained to this checksum.
  struct Place: Equatable {
    var position: UInt64 = 0
    /// The bytes of all turns up to here since the history began.
    var total: UInt64 = 0
    var checksum: UInt64
  }

  /// The identity of the history. The chain of checksums continues if it changes, since ``base`` is stored.
  var epoch: Epoch
  let created: Int64
  /// True if the journal was closed cleanly.
  var isClean = true
  /// The beginning of the kept turns.
  var base: Place
  /// The end of the turns.
  var tail: Place
  var revision: UInt64 = 0
  /// The time of the last turn.
  var time: Int64 = 0
  var schemaCount: UInt64 = 0
  var schemaChecksum: UInt64 = 0
  var sessionCount: UInt64 = 0
  /// The sum of the checksums of all sessions.
  var sessionSum: UInt64 = 0
  /// The last turn whose changes of sessions are in the table `sessions`; later turns have their own.
  var sessionPosition: UInt64 = 0
  /// The newest complete snapshot; 0 for none.
  var snapshot: Int64 = 0

  /// Creates the head of a new history.
  init(epoch: Epoch, created: Int64) {
    (self.epoch, self.created) = (epoch, created)
    base = Place(checksum: Checksum.of(words: [epoch.high, epoch.low]))
    tail = base
  }

  /// True if a row and the turns after its end say the same as this head.
  func follows(_ row: Head) -> Bool {
    var row = row
    (row.tail, row.revision, row.time) = (tail, revision, time)
    return row == self
  }

  /// False for numbers that no hub has written, whose sums and differences could overflow. A row with a sound checksum
  /// has such numbers if another node has sent it that is faulty or was taken over.
  fileprivate var isPossible: Bool {
    base.position <= tail.position && sessionPosition <= tail.position && base.total <= tail.total
      && max(tail.position, tail.total, revision) < UInt64(Int64.max)
  }

  /// The checksum of the row.
  var checksum: UInt64 { checksum(version: Tables.version) }

  fileprivate func checksum(version: Int64) -> UInt64 {
    let words: InlineArray<18, UInt64> = [
      epoch.high, epoch.low, UInt64(bitPattern: created), isClean ? 1 : 0, base.position, base.total, base.checksum,
      tail.position, revision, UInt64(bitPattern: time), tail.total, tail.checksum, schemaCount, schemaChecksum,
      sessionCount, sessionSum, UInt64(bitPattern: snapshot), sessionPosition,
    ]
    return Checksum.of(words.span.extracting(first: version == Tables.firstVersion ? 17 : 18).bytes)
  }
}

extension Head {
  /// Writes the row with these values in this order.
  static let write = """
    INSERT OR REPLACE INTO meta (id, epoch, created_ms, clean, base_position, base_total, base_checksum, tail_position,
      tail_revision, tail_time_ms, tail_total, tail_checksum, schema_count, schema_checksum, session_count, session_sum,
      session_position, snapshot, checksum)
    VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// Writes the row with the statement above.
  func store(with statement: Statement) throws(SQLiteError) {
    statement.bind(1, copying: epoch.bytes)
    statement.bind(2, created)
    statement.bind(3, isClean ? 1 : 0)
    statement.bind(4, bits: base.position)
    statement.bind(5, bits: base.total)
    statement.bind(6, bits: base.checksum)
    statement.bind(7, bits: tail.position)
    statement.bind(8, bits: revision)
    statement.bind(9, time)
    statement.bind(10, bits: tail.total)
    statement.bind(11, bits: tail.checksum)
    statement.bind(12, bits: schemaCount)
    statement.bind(13, bits: schemaChecksum)
    statement.bind(14, bits: sessionCount)
    statement.bind(15, bits: sessionSum)
    statement.bind(16, bits: sessionPosition)
    statement.bind(17, snapshot)
    statement.bind(18, bits: checksum)
    try statement.run()
  }
}

/// The statements that read the head.
struct HeadStatement {
  private let row: Statement
  private let lastTurn: Statement
  private let version: Int64

  /// Prepares the statement for the version of the tables that a database has.
  init(_ database: Database) throws(SQLiteError) {
    version = try database.run("PRAGMA user_version", for: "read the version of the file") ?? Tables.version
    let sessionPosition = version == Tables.firstVersion ? "tail_position" : "session_position"
    row = try database.prepare(
      """
      SELECT epoch, created_ms, clean, base_position, base_total, base_checksum, tail_position, tail_revision,
        tail_time_ms, tail_total, tail_checksum, schema_count, schema_checksum, session_count, session_sum,
        \(sessionPosition), snapshot, checksum FROM meta WHERE id = 1
      """, for: "read the head of the journal")
    lastTurn = try database.prepare(
      "SELECT position, revision, time_ms, total, checksum FROM turns ORDER BY position DESC LIMIT 1",
      for: "read the end of the journal")
  }

  /// Reads the row, and the end of the turns if that is later; nil if the row is missing or damaged.
  ///
  /// The last turn is not checked: whoever reads the turns checks each of them up to this end. Nor does damage that
  /// prevents SQLite from reading it matter here, see ``checkEnd()``.
  func load() throws(SQLiteError) -> Head? {
    defer { row.reset() }
    guard try row.step(), let epoch = Epoch(bytes: row.bytes(0)) else { return nil }
    var head = Head(epoch: epoch, created: row.integer(1))
    head.isClean = row.integer(2) != 0
    head.base = Head.Place(position: row.bits(3), total: row.bits(4), checksum: row.bits(5))
    head.revision = row.bits(7)
    head.time = row.integer(8)
    head.tail = Head.Place(position: row.bits(6), total: row.bits(9), checksum: row.bits(10))
    head.schemaCount = row.bits(11)
    head.schemaChecksum = row.bits(12)
    head.sessionCount = row.bits(13)
    head.sessionSum = row.bits(14)
    head.sessionPosition = row.bits(15)
    head.snapshot = row.integer(16)
    guard head.checksum(version: version) == row.bits(17), head.isPossible else { return nil }
    defer { lastTurn.reset() }
    do throws(SQLiteError) {
      guard try lastTurn.step(), lastTurn.bits(0) > head.tail.position else { return head }
    } catch {
      guard error.isDamage else { throw error }
      return head
    }
    head.tail = Head.Place(position: lastTurn.bits(0), total: lastTurn.bits(3), checksum: lastTurn.bits(4))
    (head.revision, head.time) = (lastTurn.bits(1), lastTurn.integer(2))
    return head
  }

  /// Throws if SQLite cannot read the last turn.
  func checkEnd() throws(SQLiteError) {
    defer { lastTurn.reset() }
    _ = try lastTurn.step()
  }
}
