internal import CSQLite
internal import Glibc

/// A connection to a database. It may be used by one thread at a time.
package final class Database {
  private var pointer: OpaquePointer?
  private var statements: [OpaquePointer] = []
  package let path: String
  /// The pages in the write-ahead log after the last commit of this connection.
  package private(set) var walPages = 0
  /// The number of pages for which the file of the write-ahead log has room, as far as this connection has made it.
  private var walRoom = 0
  /// The time for which an operation waits for another connection, in milliseconds.
  package private(set) var busyTimeout: Int32 = 5000
  /// The methods of the file of the database, if its writes are synced in steps.
  private var syncSteps: UnsafeMutablePointer<csqlite_sync_steps>?
  /// Asked at intervals while statements run; they fail once it returns true.
  private var isCancelled: (() -> Bool)?

  /// Opens an existing database.
  ///
  /// - Parameters:
  ///   - creates: True to create it if it does not exist.
  ///   - keepsWAL: True to leave the write-ahead log as it is when closing, so that nothing is written at all.
  package init(_ path: String, vfs: String?, creates: Bool = false, keepsWAL: Bool = false) throws(SQLiteError) {
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
  package func waitForOthers(milliseconds: Int32) {
    busyTimeout = milliseconds
    sqlite3_busy_timeout(pointer, milliseconds)
  }

  /// Counts the pages of the write-ahead log, and leaves checkpoints to the caller.
  package func watchWAL() {
    // The connection calls the hook on the committing thread, and not after it is closed.
    _ = sqlite3_wal_hook(
      pointer,
      { context, _, _, pages in
        if let context { Unmanaged<Database>.fromOpaque(context).takeUnretainedValue().walPages = Int(pages) }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Makes statements fail once a function returns true. It is called at intervals on the thread that runs them.
  package func cancel(when isCancelled: @escaping () -> Bool) {
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
  package func close() {
    for statement in statements { sqlite3_finalize(statement) }
    statements = []
    sqlite3_close_v2(pointer)
    pointer = nil
    syncSteps?.deallocate()
    syncSteps = nil
  }

  /// Prepares a statement, which lives as long as the connection.
  package func prepare(_ sql: String, for operation: String) throws(SQLiteError) -> Statement {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v3(pointer, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard result == SQLITE_OK, let statement else { throw error(result, operation) }
    statements.append(statement)
    return Statement(statement, of: self, for: operation)
  }

  /// Runs a statement once and returns the first number of its first row.
  @discardableResult
  package func run(_ sql: String, for operation: String) throws(SQLiteError) -> Int64? {
    try first(sql, for: operation) { $0.integer(0) }
  }

  /// Runs a statement once and returns a value from its first row.
  package func first<Result>(
    _ sql: String, for operation: String, _ read: (Statement) -> Result
  ) throws(SQLiteError) -> Result? {
    try with(sql, for: operation) { statement throws(SQLiteError) in
      guard try statement.step() else { return nil }
      let value = read(statement)
      // Some pragmas do their work row by row.
      while try statement.step() {}
      return value
    }
  }

  /// Checks the structure of the file with a pragma, and returns the first problem in one line; nil if there is none.
  package func structuralProblem(_ pragma: String) throws(SQLiteError) -> String? {
    let verdict = try first("PRAGMA \(pragma)(1)", for: "check the structure of the file") { $0.text(0) }
    guard verdict != "ok" else { return nil }
    // SQLite begins with a line that names the database.
    let lines = verdict?.split(separator: "\n").filter { !$0.hasPrefix("***") } ?? []
    return lines.isEmpty ? "the structure of the file cannot be checked" : lines.joined(separator: "; ")
  }

  /// Prepares a statement for a function, and releases it afterwards.
  package func with<Result>(
    _ sql: String, for operation: String, _ body: (Statement) throws(SQLiteError) -> Result
  ) throws(SQLiteError) -> Result {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v2(self.pointer, sql, -1, &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw error(code, operation) }
    defer { sqlite3_finalize(pointer) }
    return try body(Statement(pointer, of: self, for: operation))
  }

  /// True if a transaction is open.
  package var isInTransaction: Bool { pointer.map { sqlite3_get_autocommit($0) == 0 } ?? false }

  /// Copies the write-ahead log into the database, except the part that readers need.
  ///
  /// - Parameters:
  ///   - truncating: True to empty the log as well.
  ///   - waits: False to give up at once if a reader prevents that.
  /// - Returns: False if a reader prevents it.
  @discardableResult
  package func checkpoint(truncating: Bool = false, waits: Bool = true) throws(SQLiteError) -> Bool {
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    if !waits { sqlite3_busy_timeout(pointer, 0) }
    defer { sqlite3_busy_timeout(pointer, busyTimeout) }
    let result = sqlite3_wal_checkpoint_v2(pointer, nil, mode, nil, nil)
    if [SQLITE_BUSY, SQLITE_LOCKED].contains(result & 0xff) { return false }
    guard result == SQLITE_OK else { throw error(result, "copy the write-ahead log into the database") }
    if truncating { (walPages, walRoom) = (0, 0) }
    return true
  }

  /// Copies the write-ahead log into the database, except the part that readers need, and syncs what it has copied.
  ///
  /// Another connection may add to the log meanwhile. SQLite then syncs nothing, and the log does not begin again until
  /// the rest is copied, too.
  ///
  /// - Returns: The pages in the log when it began, and how many of these are in the database now.
  package func copyWAL() throws(SQLiteError) -> (pages: Int, copied: Int) {
    var (pages, copied): (Int32, Int32) = (0, 0)
    let operation = "copy the write-ahead log into the database"
    let result = sqlite3_wal_checkpoint_v2(pointer, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied)
    if [SQLITE_BUSY, SQLITE_LOCKED].contains(result & 0xff) { return (Int(max(pages, 0)), 0) }
    guard result == SQLITE_OK, let pointer else { throw error(result, operation) }
    let synced = csqlite_sync(pointer)
    guard synced == SQLITE_OK else { throw error(synced, operation) }
    return (Int(max(pages, 0)), Int(max(copied, 0)))
  }

  /// Syncs the file of the database whenever this connection has written some bytes to it, and not only at the end of a
  /// copy. A sync of another file that begins meanwhile then waits for these bytes, and not for all of them.
  package func syncInSteps(ofBytes step: Int) throws(SQLiteError) {
    guard let pointer, syncSteps == nil else { return }
    let steps = UnsafeMutablePointer<csqlite_sync_steps>.allocate(capacity: 1)
    syncSteps = steps
    let result = csqlite_sync_in_steps(pointer, Int32(clamping: step), steps)
    guard result == SQLITE_OK else { throw error(result, "find the file of the database") }
  }

  /// Extends the file of the write-ahead log with zeros before its pages are needed, within a transaction that writes.
  ///
  /// A commit that overwrites a part of the file has no metadata to sync, which takes a disk about as long as the pages.
  /// The file stays as long when the log begins again. On a full disk nothing happens: pages may still fit.
  ///
  /// - Parameters:
  ///   - pages: The number of pages to add at a time.
  ///   - pageSize: The size of a page in bytes.
  package func extendWAL(by pages: Int, ofBytes pageSize: Int) throws(SQLiteError) {
    guard let pointer, pages > 0, walPages + pages / 4 >= walRoom else { return }
    let (header, frame) = (32, 24 + pageSize)
    let result = csqlite_extend_wal(pointer, Int64(header + (walPages + pages) * frame))
    walRoom = walPages + pages
    guard [SQLITE_OK, SQLITE_FULL].contains(result & 0xff) else { throw error(result, "extend the write-ahead log") }
  }

  func error(_ code: Int32, _ operation: String) -> SQLiteError {
    guard let pointer else { return SQLiteError(code: code, operation: operation, message: "the database is closed") }
    let system = sqlite3_system_errno(pointer)
    var message = String(cString: sqlite3_errmsg(pointer))
    if code & 0xff != SQLITE_CORRUPT, system != 0 { message += ": " + String(cString: strerror(system)) }
    return SQLiteError(code: sqlite3_extended_errcode(pointer), operation: operation, message: message)
  }
}
