internal import Glibc
internal import ReplicaCore
internal import SQLite
internal import Wire

/// The file of an outbox: a small SQLite database, which one client at a time can use.
///
/// A commit writes to the system and does not wait for the disk, so everything survives the end of the process. Only a
/// commit that begins a session waits, before anything is sent in it, and one with actions that have failed. A loss of
/// power can therefore take the last actions and outcomes, but never makes the file forget a session in which actions were
/// sent, the number of one, or what the hub has been allowed to forget.
final class OutboxFile {
  /// "SHob" (PRAGMA application_id).
  private static let application: Int64 = 0x5348_6f62
  private static let version: Int64 = 1

  private let path: String
  private let schema: [UInt8]
  private let database: Database
  private let statements: Statements

  /// The statements that store changes.
  private struct Statements {
    let begin, commit, settle, remove, refuse, add, session: Statement

    init(_ database: Database) throws(SQLiteError) {
      let operation = "store actions"
      begin = try database.prepare("BEGIN IMMEDIATE", for: operation)
      commit = try database.prepare("COMMIT", for: operation)
      settle = try database.prepare("DELETE FROM actions WHERE number <= ?", for: operation)
      remove = try database.prepare("DELETE FROM actions WHERE number = ?", for: operation)
      refuse = try database.prepare("UPDATE actions SET refused = 1 WHERE number = ?", for: operation)
      add = try database.prepare(
        "INSERT INTO actions (number, seen, action, refused) VALUES (?, ?, ?, ?)", for: operation)
      session = try database.prepare(
        "UPDATE client SET session = ?, history = ?, acknowledged = ?, last_sent = ?", for: operation)
    }
  }

  /// Opens or creates an outbox, and locks it.
  ///
  /// - Parameters:
  ///   - path: The path of the file. Another one beside it, with `-wal` after the name, belongs to it.
  ///   - schema: The schema of the actions that this client stores.
  init(_ path: String, schema: Schema) throws(OutboxError) {
    (self.path, self.schema) = (path, schema.encoded())
    try Self.create(path)
    let opened: (Database, Statements)?
    do throws(SQLiteError) { opened = try Self.open(path) } catch { throw Self.describe(error, path) }
    guard let opened else {
      throw OutboxError(
        .foreign, "\(path) is not an outbox, or one of a later version of this program; name another file")
    }
    (database, statements) = opened
  }

  /// Opens and locks the database; returns nil if it is not that of an outbox.
  private static func open(_ path: String) throws(SQLiteError) -> (Database, Statements)? {
    let database = try Database(path, vfs: nil)
    try lock(database)
    guard try isOutbox(database) else { return nil }
    if let damage = try database.structuralProblem("quick_check") { throw .malformed(damage, "read the outbox") }
    return (database, try Statements(database))
  }

  /// Creates the file if there is none; only its user may read it, since it has what resumes a session.
  ///
  /// An existing file is not opened here: to close it would release the lock of another client of this process.
  private static func create(_ path: String) throws(OutboxError) {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 {
      Glibc.close(descriptor)
    } else if errno != EEXIST {
      throw OutboxError(.storage, "cannot create the outbox \(path): \(String(cString: strerror(errno)))")
    }
  }

  private static func lock(_ database: Database) throws(SQLiteError) {
    database.waitForOthers(milliseconds: 0)
    for pragma in [
      "locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = NORMAL", "trusted_schema = OFF",
      "cell_size_check = ON", "journal_size_limit = 1048576",
    ] {
      try database.run("PRAGMA \(pragma)", for: "set \(pragma)")
    }
    try database.run("BEGIN EXCLUSIVE", for: "lock the outbox")
    try database.run("COMMIT", for: "lock the outbox")
  }

  /// Creates the tables of a new file. Returns false if the file has others.
  private static func isOutbox(_ database: Database) throws(SQLiteError) -> Bool {
    let operation = "read the tables"
    let application = try database.run("PRAGMA application_id", for: operation)
    let tables = try database.run("SELECT count(*) FROM sqlite_schema", for: operation)
    if application == Self.application {
      return try database.run("PRAGMA user_version", for: operation) == version
    }
    guard application == 0, tables == 0 else { return false }
    for sql in [
      "BEGIN IMMEDIATE",
      """
      CREATE TABLE client (
        id INTEGER PRIMARY KEY CHECK (id = 1), schema BLOB, session BLOB, history INTEGER,
        acknowledged INTEGER NOT NULL, last_sent INTEGER NOT NULL
      ) STRICT
      """,
      """
      CREATE TABLE actions (
        number INTEGER PRIMARY KEY, seen INTEGER, action BLOB NOT NULL, refused INTEGER NOT NULL
      ) STRICT
      """,
      "INSERT INTO client (id, acknowledged, last_sent) VALUES (1, 0, 0)",
      "PRAGMA application_id = \(Self.application)", "PRAGMA user_version = \(version)", "COMMIT",
    ] {
      try database.run(sql, for: "create the tables")
    }
    return true
  }

  private static func describe(_ error: SQLiteError, _ path: String) -> OutboxError {
    let text = "cannot \(error.operation) in the outbox \(path): \(error.message) (SQLite \(error.code))"
    return switch error.cause {
    case .locked:
      OutboxError(.inUse, "the outbox \(path) is in use by another client; end that one, or name another file")
    case .damage, .foreignRow:
      OutboxError(.damaged, "\(text); move the file away, which gives up the actions in it, and start the client again")
    case .full: OutboxError(.storage, "\(text); make room on its disk")
    case .access: OutboxError(.storage, "\(text); let this user write to the file and its directory")
    case .other: OutboxError(.storage, text)
    }
  }

  // MARK: Contents

  /// Reads everything, once after opening.
  func contents() throws(OutboxError) -> OutboxContents {
    do throws(SQLiteError) {
      var contents = try readSession()
      let sql = "SELECT number, seen, action, refused FROM actions ORDER BY number"
      try database.with(sql, for: "read the actions") { statement throws(SQLiteError) in
        while try statement.step() {
          let action = OutboxAction(
            number: statement.bits(0), seenRevision: statement.isNull(1) ? nil : statement.bits(1),
            isRefused: statement.integer(3) != 0)
          contents.actions.append((action, statement.bytes(2)))
        }
      }
      try check(contents)
      return contents
    } catch {
      throw Self.describe(error, path)
    }
  }

  /// Refuses values that no client stores: SQLite checks the structure of the file only.
  private func check(_ contents: OutboxContents) throws(SQLiteError) {
    let operation = "read the actions"
    let limit = UInt64(Int64.max)
    guard contents.session.acknowledged <= limit, contents.session.lastSent <= limit else {
      throw .malformed("the row of the table client has numbers of no session", operation)
    }
    for (action, bytes) in contents.actions {
      guard 1...limit ~= action.number else { throw .malformed("an action has the number \(action.number)", operation) }
      if let problem = Self.problem(of: bytes) {
        throw .malformed("action \(action.number) cannot be read: \(problem)", operation)
      }
    }
  }

  /// Returns what makes bytes more or less than one item, so that a hub could not read the actions beside them.
  private static func problem(of bytes: [UInt8]) -> WireError? {
    // An action that this program does not have is empty.
    guard !bytes.isEmpty else { return nil }
    do throws(WireError) {
      var decoder = CBORDecoder(bytes.span.bytes)
      try decoder.skipAction()
      try decoder.finish()
      return nil
    } catch {
      // The hub refuses the action alone if it has values that are not allowed.
      return switch error.problem {
      case .truncated, .reserved, .indefiniteLength, .trailingBytes: error
      default: nil
      }
    }
  }

  private func readSession() throws(SQLiteError) -> OutboxContents {
    let operation = "read the session"
    let sql = "SELECT schema, session, history, acknowledged, last_sent FROM client"
    return try database.with(sql, for: operation) { statement throws(SQLiteError) in
      guard try statement.step() else { throw .malformed("the row of the table client is missing", operation) }
      var contents = OutboxContents()
      do throws(WireError) {
        if !statement.isNull(0) { contents.schema = try Schema(decoding: statement.bytes(0).span.bytes) }
        if !statement.isNull(1) { contents.session.session = try SessionID(decoding: statement.bytes(1).span.bytes) }
      } catch {
        throw .malformed("the row of the table client cannot be read: \(error)", operation)
      }
      if !statement.isNull(2) { contents.session.history = statement.bits(2) }
      (contents.session.acknowledged, contents.session.lastSent) = (statement.bits(3), statement.bits(4))
      return contents
    }
  }

  // MARK: Storing

  /// Stores the changes of a replica's outbox, all or none.
  ///
  /// - Throws: A description of the problem, for `ReplicaCore.outboxFailed`.
  func store(_ changes: OutboxChanges, of replica: borrowing ReplicaCore) throws(OutboxError) {
    do throws(SQLiteError) {
      if changes.mustReachDisk { try setSynchronous("FULL") }
      defer { if changes.mustReachDisk { try? setSynchronous("NORMAL") } }
      try statements.begin.run()
      do throws(SQLiteError) {
        try write(changes, of: replica)
        try statements.commit.run()
      } catch {
        if database.isInTransaction { _ = try? database.run("ROLLBACK", for: "store actions") }
        throw error
      }
    } catch {
      throw Self.describe(error, path)
    }
  }

  private func setSynchronous(_ mode: String) throws(SQLiteError) {
    try database.run("PRAGMA synchronous = \(mode)", for: "set synchronous = \(mode)")
  }

  private func write(_ changes: OutboxChanges, of replica: borrowing ReplicaCore) throws(SQLiteError) {
    if changes.replacesAll {
      try database.run("DELETE FROM actions", for: "store actions")
      try database.with("UPDATE client SET schema = ?", for: "store the schema") { statement throws(SQLiteError) in
        statement.bind(1, copying: schema)
        try statement.run()
      }
    } else {
      if changes.settled > 0 { try run(statements.settle, changes.settled) }
      for number in changes.removed { try run(statements.remove, number) }
    }
    try replica.forEachAddedAction(of: changes) { (action, bytes) throws(SQLiteError) in
      let add = statements.add
      add.bind(1, bits: action.number)
      if let seen = action.seenRevision { add.bind(2, bits: seen) } else { add.bindNull(2) }
      add.bind(4, action.isRefused ? 1 : 0)
      try bytes.withUnsafeBytes { (bytes) throws(SQLiteError) in
        add.bind(3, unowned: bytes)
        try add.run()
      }
    }
    for number in changes.refused { try run(statements.refuse, number) }
    try write(changes.session)
  }

  private func run(_ statement: Statement, _ number: UInt64) throws(SQLiteError) {
    statement.bind(1, bits: number)
    try statement.run()
  }

  private func write(_ session: OutboxSession) throws(SQLiteError) {
    let row = statements.session
    if let id = session.session { row.bind(1, copying: id.encoded()) } else { row.bindNull(1) }
    if let history = session.history { row.bind(2, bits: history) } else { row.bindNull(2) }
    row.bind(3, bits: session.acknowledged)
    row.bind(4, bits: session.lastSent)
    try row.run()
  }
}
