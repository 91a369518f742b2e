internal import Glibc
internal import SQLite
internal import TurnLog

extension StateDirectory {
  /// Puts a journal into a directory, which is created if it is missing.
  ///
  /// The database is built under another name, so that a failure, or the end of the process at any time, leaves the
  /// directory without a journal or with a whole one.
  ///
  /// - Parameters:
  ///   - build: Builds the database in an empty file.
  ///   - complete: Adds the rest of the journal. The database is in its place.
  /// - Throws: `inUse`; `storage`, also if the directory has a journal.
  func createJournal<Result>(
    _ build: (_ file: String) throws(LogError) -> Result, complete: (Result) throws(LogError) -> Void
  ) throws(LogError) {
    try create()
    try refuseJournal()
    let lock = try DirectoryLock(self)
    defer { lock.release() }
    try refuseJournal()
    removeNewDatabase()
    do throws(LogError) {
      try Self.createEmpty(newDatabase)
      let result = try build(newDatabase)
      try FileCopy.sync(newDatabase)
      try replaceDatabase { (_) throws(LogError) in }
      try complete(result)
    } catch {
      removeNewDatabase()
      for file in [database, writeAheadLog, sharedMemory, tail] { unlink(file) }
      throw error
    }
  }

  private func refuseJournal() throws(LogError) {
    guard !Self.hasContents(database), !Self.hasContents(tail) else {
      throw LogError(.storage, "there is a journal in \(path) already; name another directory")
    }
  }

  /// Removes the incomplete database of an earlier attempt.
  func removeNewDatabase() { for file in [newDatabase, newDatabase + "-journal"] { unlink(file) } }

  /// Puts the new database into the place of the old one, if any.
  func replaceDatabase(after step: (JournalTool.RepairStep) throws(LogError) -> Void) throws(LogError) {
    for file in [writeAheadLog, sharedMemory] { unlink(file) }
    // SQLite must never find the old log beside the new database.
    try sync()
    try step(.logRemoved)
    guard rename(newDatabase, database) == 0 else { throw .system("replace", database) }
    try sync()
    try step(.replaced)
  }
}

extension Database {
  /// Creates a database with the tables of a journal, and leaves the transaction open.
  static func creating(_ file: String) throws(SQLiteError) -> Database {
    let database = try Database(file, vfs: nil, creates: true)
    // The file is synced when it is complete; it is not used before.
    for pragma in ["page_size = 4096", "auto_vacuum = INCREMENTAL", "synchronous = OFF"] {
      try database.run("PRAGMA \(pragma)", for: "set \(pragma)")
    }
    try database.run("BEGIN", for: "create the tables")
    try Tables.create(in: database)
    return database
  }
}
