internal import CSQLite

/// An operation that SQLite refused.
struct SQLiteError: Error {
  /// The extended result code.
  let code: Int32
  /// The purpose of the operation.
  let operation: String
  /// SQLite's message.
  let message: String

  /// True if the file's contents are wrong, and not merely unreadable.
  var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }
  /// True if a statement does not fit the tables of the file.
  var isUnknownTable: Bool { code & 0xff == SQLITE_ERROR }
  /// True if another connection holds a lock.
  var isBusy: Bool { code & 0xff == SQLITE_BUSY }
  /// True if a row is there already that only this process adds.
  var isForeignRow: Bool { code & 0xff == SQLITE_CONSTRAINT }
  /// True if the disk is full.
  var isFull: Bool { code & 0xff == SQLITE_FULL }
}

/// A connection to a database. It may be used by one thread at a time.
final class Database {
  private var pointer: OpaquePointer?
  private var statements: [OpaquePointer] = []
  let path: String
  /// The pages in the write-ahead log after the last commit of this connection.
  private(set) var walPages = 0
  /// The time for which an operation waits for another connection, in milliseconds.
  private(set) var busyTimeout: Int32 = 5000
  /// Asked at intervals while statements run; they fail once it returns true.
  private var isCancelled: (() -> Bool)?

  /// Opens an existing database.
  ///
  /// - Parameters:
  ///   - creates: True to create it if it does not exist.
  ///   - keepsWAL: True to leave the write-ahead log as it is when closing, so that nothing is written at all.
  init(_ path: String, vfs: String?, creates: Bool = false, keepsWAL: Bool = false) throws(SQLiteError) {
    self.path = path
    // Each connection is used by one thread at a time, so SQLite need not lock it.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (creates ? SQLITE_OPEN_CREATE : 0)
    let result = sqlite3_open_v2(path, &pointer, flags, vfs)
    guard result == SQLITE_OK, let pointer else {
      let error = SQLiteError(
        code: pointer.map(sqlite3_extended_errcode) ?? result, operation: "open the database",
        message: String(cString: pointer.flatMap(sqlite3_errmsg) ?? sqlite3_errstr(result)))
      sqlite3_close_v2(pointer)
      self.pointer = nil
      throw error
    }
    sqlite3_extended_result_codes(pointer, 1)
    sqlite3_busy_timeout(pointer, busyTimeout)
    if keepsWAL { _ = csqlite_keep_wal(pointer) }
  }

  deinit { close() }

  /// Sets the time for which an operation waits for another connection, in milliseconds.
  func waitForOthers(milliseconds: Int32) {
    busyTimeout = milliseconds
    sqlite3_busy_timeout(pointer, milliseconds)
  }

  /// Counts the pages of the write-ahead log, and leaves checkpoints to the caller.
  func watchWAL() {
    // The connection calls the hook on the committing thread, and not after it is closed.
    _ = sqlite3_wal_hook(
      pointer,
      { context, _, _, pages in
        if let context { Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages) }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Makes statements fail once a function returns true. It is called at intervals on the thread that runs them.
  func cancel(when isCancelled: @escaping () -> Bool) {
    self.isCancelled = isCancelled
    // The connection calls the handler while a statement runs, and not after it is closed.
    sqlite3_progress_handler(
      pointer, 10_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().isCancelled?() == true ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Closes the connection and its prepared statements.
  func close() {
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
    sqlite3_close_v2(pointer)
    pointer = nil
  }

  /// Prepares a statement, which lives as long as the connection.
  func prepare(_ sql: String, for operation: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard result == SQLITE_OK, let statement else { throw error(result, operation) }
    statements.append(statement)
    return Statement(statement, of: self, for: operation)
  }

  /// Runs a statement once and returns the first number of its first row.
  @discardableResult
  func run(_ sql: String, for operation: String) throws(SQLiteError) -> Int64? {
    try first(sql, for: operation) { $0.integer(0) }
  }

  /// Runs a statement once and returns a value from its first row.
  func first<Result>(_ sql: String, for operation: String, _ read: (Statement) -> Result) throws(SQLiteError) -> Result?
  {
    try with(sql, for: operation) { statement throws(SQLiteError) in
      guard try statement.step() else { return nil }
      let value = read(statement)
      // Some pragmas do their work row by row.
      while try statement.step() {}
      return value
    }
  }

  /// Checks the structure of the file with a pragma, and returns the first problem in one line; nil if there is none.
  func structuralProblem(_ pragma: String) throws(SQLiteError) -> String? {
    let verdict = try first("PRAGMA \(pragma)(1)", for: "check the structure of the file") { $0.text(0) }
    guard verdict != "ok" else { return nil }
    // SQLite begins with a line that names the database.
    let lines = verdict?.split(separator: "\n").filter { !$0.hasPrefix("***") } ?? []
    return lines.isEmpty ? "the structure of the file cannot be checked" : lines.joined(separator: "; ")
  }

  /// Prepares a statement for a function, and releases it afterwards.
  func with<Result>(
    _ sql: String, for operation: String, _ body: (Statement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v2(self.pointer, sql, -1, &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw error(code, operation) }
    defer { sqlite3_finalize(pointer) }
    return try body(Statement(pointer, of: self, for: operation))
  }

  /// True if a transaction is open.
  var isInTransaction: Bool { pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Copies the write-ahead log into the database, except the part that readers need.
  ///
  /// - Parameters:
  ///   - truncating: True to empty the log as well.
  ///   - waits: False to give up at once if a reader prevents that.
  /// - Returns: False if a reader prevents it.
  @discardableResult
  func checkpoint(truncating: Bool = false, waits: Bool = true) throws(SQLiteError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    if !waits { sqlite3_busy_timeout(pointer, 0) }
    defer { sqlite3_busy_timeout(pointer, busyTimeout) }
    let result = sqlite3_wal_checkpoint_v2(pointer, nil, mode, nil, nil)
    if [SQLITE_BUSY, SQLITE_LOCKED].contains(result & 0xff) { return false }
    guard result == SQLITE_OK else { throw error(result, "copy the write-ahead log into the database") }
    return true
  }

  fileprivate func error(_ code: Int32, _ operation: String) -> SQLiteError {
    guard let pointer else { return SQLiteError(code: code, operation: operation, message: "the database is closed") }
    let system = sqlite3_system_errno(pointer)
    var message = String(cString: sqlite3_errmsg(pointer))
    if code & 0xff != SQLITE_CORRUPT, system != 0 { message += ": " + errorText(system) }
    return SQLiteError(code: sqlite3_extended_errcode(pointer), operation: operation, message: message)
  }
}

/// A prepared statement.
struct Statement {
  private let pointer: OpaquePointer
  private let database: Database
  private let operation: String

  fileprivate init(_ pointer: OpaquePointer, of database: Database, for operation: String) {
    (self.pointer, self.database, self.operation) = (pointer, database, operation)
  }

  /// Binds a number to a parameter; the first one is 1.
  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(pointer, index, value) }

  /// Binds the bits of an unsigned number, since SQLite has signed ones only.
  func bind(_ index: Int32, bits value: UInt64) { bind(index, Int64(bitPattern: value)) }

  /// Binds bytes that remain valid until the last step of the statement.
  func bind(_ index: Int32, unowned bytes: UnsafeRawBufferPointer) {
    // A null pointer would be NULL and not an empty blob.
    guard let start = bytes.baseAddress, bytes.count > 0 else { return _ = sqlite3_bind_zeroblob(pointer, index, 0) }
    sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), nil)
  }

  /// Binds a copy of bytes.
  func bind(_ index: Int32, copying bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count > 0 else { return _ = sqlite3_bind_zeroblob(pointer, index, 0) }
      sqlite3_bind_blob64(pointer, index, start, UInt64(bytes.count), transient)
    }
  }

  /// Binds a copy of a text.
  func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        // An empty text has no address, and a null pointer would be NULL.
        guard let start = bytes.baseAddress else { return _ = sqlite3_bind_text(pointer, index, "", 0, transient) }
        sqlite3_bind_text(pointer, index, start, Int32(bytes.count), transient)
      }
    }
  }

  /// Moves to the next row; returns false after the last one.
  func step() throws(SQLiteError) -> Bool {
    let result = sqlite3_step(pointer)
    switch result {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default:
      let error = database.error(result, operation)
      sqlite3_reset(pointer)
      throw error
    }
  }

  /// Runs a statement without rows, and resets it.
  func run() throws(SQLiteError) {
    while try step() {}
    reset()
  }

  /// Resets the statement for the next use.
  func reset() { sqlite3_reset(pointer) }

  /// An integer of the current row; the first column is 0.
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(pointer, column) }

  /// The bits of an integer of the current row.
  func bits(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }

  /// A text of the current row.
  func text(_ column: Int32) -> String {
    String(decoding: withBytes(column) { [UInt8]($0) }, as: UTF8.self)
  }

  /// A copy of bytes of the current row.
  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

  /// The bytes of the current row; SQLite owns them until the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let start = sqlite3_column_blob(pointer, column)
    return body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(pointer, column))))
  }
}

/// SQLITE_TRANSIENT, a macro that Swift cannot import: SQLite copies the bytes.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
