internal import SQLite
internal import TurnLog
internal import Wire

/// An open database whose structure and head are sound, with the initial data of a writer and a history.
struct OpenedDatabase {
  let database: Database
  var head: Head
  let isNew: Bool
  /// True if the recorded end of the history was there.
  let hasTail: Bool
  let tailFile: TailFile
  private(set) var schemas: SchemaRows
  /// The sound rows of complete snapshots, oldest first.
  var snapshots: [SnapshotRow]
  /// The snapshots to remove.
  var obsolete: [Int64]
  let lastSnapshot: Int64
  /// The sessions after the last turn, least recently active first.
  let sessions: [LoggedSession]
  private(set) var sessionTable = SessionTable()
  let sessionChanges: SessionChanges

  /// Opens or creates the database of a locked directory. Of an existing database, only the mode of its file, and its
  /// journal mode if that is not WAL, may change before it is known to be sound.
  init(_ directory: StateDirectory, options: JournalOptions) throws(LogError) {
    let record = try TailFile.read(directory)
    try directory.refuseInterruptedRepair()
    if let damage = try WALScan(directory).damage {
      throw .damaged(damage, in: directory, lastRevision: Self.lastRevision(directory, options))
    }
    if !StateDirectory.hasContents(directory.database), let loss = Self.loss(record, in: directory) { throw loss }
    try StateDirectory.createEmpty(directory.database)
    let database = try directory.attempt { () throws(SQLiteError) in
      try Database(directory.database, vfs: options.vfs, keepsWAL: true)
    }
    self.database = database
    hasTail = record != nil
    isNew = try directory.attempt { () throws(SQLiteError) in try Self.isEmpty(database) }
    if isNew, record != nil, let loss = Self.loss(record, in: directory) { throw loss }
    if isNew {
      head = try directory.attempt { () throws(SQLiteError) in
        try Self.configure(database, options, isNew: true)
        return try Self.create(database)
      }
      try directory.sync()
    } else {
      head = try Self.loadHead(database, in: directory, options)
      try Self.checkStructure(database, of: head, in: directory, options)
    }
    if let record {
      try Self.compare(record, head, in: directory)
    } else if !isNew {
      // A backup or a copy: clients may have seen other turns after its last one. The writer stores the new epoch.
      head.epoch = .random()
    }
    let revision = head.revision
    let rows = try directory.attempt { () throws(SQLiteError) in
      (
        schemas: try SchemaRows.load(from: database), snapshots: try SnapshotRow.load(from: database),
        sessions: try SessionStatements.load(from: database)
      )
    }
    schemas = rows.schemas
    guard schemas.isComplete(for: head) else {
      throw .damaged("a row of the table schemas is missing or damaged", in: directory, lastRevision: revision)
    }
    for (row, checksum) in rows.sessions.sound {
      sessionTable.touch(row.session.id, checksum: checksum, time: row.time)
    }
    guard rows.sessions.damaged == 0, UInt64(sessionTable.count) == head.sessionCount,
      sessionTable.sum == head.sessionSum
    else {
      throw .damaged("a row of the table sessions is missing or damaged", in: directory, lastRevision: revision)
    }
    let position = head.sessionPosition
    let changes = try directory.attempt { () throws(SQLiteError) in try SessionChanges(database, after: position) }
    sessionChanges = changes
    sessions = changes.applied(to: rows.sessions.sound.map(\.row)).map(\.session)
    snapshots = rows.snapshots.sound.filter(\.isComplete)
    let orphans = try directory.attempt { () throws(SQLiteError) in try Self.orphans(database) }
    obsolete = rows.snapshots.sound.filter { !$0.isComplete }.map(\.id) + rows.snapshots.damaged + orphans
    lastSnapshot = max(snapshots.last?.id ?? 0, obsolete.filter(SnapshotRow.ids.contains).max() ?? 0, head.snapshot)
    guard lastSnapshot < SnapshotRow.ids.upperBound - 1 else {
      throw .damaged("the row of its table meta names an impossible snapshot", in: directory, lastRevision: revision)
    }
    tailFile = try TailFile(directory)
  }

  /// Returns true if there are no tables yet.
  private static func isEmpty(_ database: Database) throws(SQLiteError) -> Bool {
    guard try database.run("PRAGMA application_id", for: "read the kind of the file") == 0 else { return false }
    return try database.run("SELECT count(*) FROM sqlite_schema", for: "read the list of tables") == 0
  }

  static func configure(
    _ database: Database, _ options: JournalOptions, isNew: Bool = false
  ) throws(SQLiteError) {
    // `auto_vacuum` writes also to a file that has it already, in a commit of its own.
    let creation = ["page_size = \(options.pageSize)", "auto_vacuum = INCREMENTAL"]
    for pragma in (isNew ? creation : []) + [
      "journal_mode = WAL", "synchronous = FULL", "wal_autocheckpoint = 0", "cache_spill = OFF", "secure_delete = OFF",
      "temp_store = MEMORY", "cell_size_check = ON", "trusted_schema = OFF", "journal_size_limit = 67108864",
      "cache_size = -8192",
    ] {
      try database.run("PRAGMA \(pragma)", for: "set \(pragma)")
    }
  }

  private static func create(_ database: Database) throws(SQLiteError) -> Head {
    let head = Head(epoch: .random(), created: now())
    try database.run("BEGIN IMMEDIATE", for: "create the tables")
    try Tables.create(in: database)
    let statement = try database.prepare(Head.write, for: "create the tables")
    try head.store(with: statement)
    try database.run("COMMIT", for: "create the tables")
    return head
  }

  /// Changes the tables of an older version to those of this one.
  mutating func upgrade() throws(SQLiteError) {
    let version = try database.run("PRAGMA user_version", for: "read the version of the file")
    guard version != Tables.version else { return }
    let operation = "change the tables to version \(Tables.version)"
    guard version == Tables.firstVersion else {
      try database.run("PRAGMA user_version = \(Tables.version)", for: operation)
      return
    }
    try database.run("BEGIN IMMEDIATE", for: operation)
    try database.run("DROP TABLE meta", for: operation)
    try Tables.create(in: database, only: "meta")
    try head.store(with: database.prepare(Head.write, for: operation))
    try database.run("COMMIT", for: operation)
  }

  /// Returns the head of a database if it is a journal of this version.
  static func loadHead(
    _ database: Database, in directory: StateDirectory, _ options: JournalOptions
  ) throws(LogError) -> Head {
    let (application, version) = try directory.attempt { () throws(SQLiteError) in
      (
        try database.run("PRAGMA application_id", for: "read the kind of the file"),
        try database.run("PRAGMA user_version", for: "read the version of the file")
      )
    }
    guard application == Tables.application else {
      let turns = try? database.first(
        "SELECT sql FROM sqlite_schema WHERE name = 'turns'", for: "read the list of tables"
      ) {
        $0.text(0)
      }
      if let turns, Tables.definitions.contains(where: { $0.value == turns }) {
        throw .damaged("its kind is not what was written", in: directory, soundRevision: nil)
      }
      throw LogError(.unknownFormat, "\(directory.database) is not a journal; name another state directory")
    }
    if let version, !Tables.possibleVersions.contains(version) {
      throw .damaged("its version is not what was written", in: directory, soundRevision: nil)
    }
    guard let version, Tables.readableVersions.contains(version) else {
      throw LogError(
        .unknownFormat,
        """
        \(directory.database) has version \(version ?? 0), and this program reads versions up to \(Tables.version); start \
        the program that wrote it
        """)
    }
    for (name, sql) in Tables.definitions {
      let stored = try directory.attempt { () throws(SQLiteError) in
        try database.first(
          "SELECT sql FROM sqlite_schema WHERE name = '\(name)'", for: "read the list of tables"
        ) { $0.text(0) }
      }
      guard stored == Tables.definition(of: name, sql, version: version) else {
        throw .damaged("its table \(name) is not the one that was created", in: directory, soundRevision: nil)
      }
    }
    let head = try directory.attempt { () throws(SQLiteError) in
      try configure(database, options)
      return try HeadStatement(database).load()
    }
    guard let head else {
      throw .damaged("the row of its table meta is not what was written", in: directory, soundRevision: nil)
    }
    return head
  }

  /// Throws if the structure of a file that is not too large for this check is damaged.
  private static func checkStructure(
    _ database: Database, of head: Head, in directory: StateDirectory, _ options: JournalOptions
  ) throws(LogError) {
    guard StateDirectory.size(of: directory.database) <= options.checkedBytes else {
      return try directory.attempt { () throws(SQLiteError) in try HeadStatement(database).checkEnd() }
    }
    let problem = try directory.attempt { () throws(SQLiteError) in try database.structuralProblem("quick_check") }
    if let problem { throw .damaged(problem, in: directory, lastRevision: head.revision) }
  }

  /// The snapshots that have pieces but no row.
  private static func orphans(_ database: Database) throws(SQLiteError) -> [Int64] {
    // One look-up for each snapshot, however many pieces it has.
    let following = try database.prepare("SELECT min(id) >> 24 FROM pieces WHERE id >= ?", for: "list the pieces")
    let known = try database.prepare("SELECT count(*) FROM snapshots WHERE id = ?", for: "list the snapshots")
    var (orphans, next): ([Int64], Int64) = ([], 0)
    while true {
      following.bind(1, next << 24)
      let id = try following.step() ? following.integer(0) : 0
      following.reset()
      // After the last one, the minimum is NULL.
      guard SnapshotRow.ids.contains(id) else { return orphans }
      known.bind(1, id)
      if try known.step(), known.integer(0) == 0 { orphans.append(id) }
      known.reset()
      next = id + 1
    }
  }

  /// Refuses a database that ends before the recorded history, or that belongs to another one.
  static func compare(_ record: TailRecord, _ head: Head, in directory: StateDirectory) throws(LogError) {
    guard record.epoch == head.epoch else {
      throw LogError(
        .damaged,
        """
        \(directory.database) has the history \(head.epoch), and \(directory.tail) says that this directory had \
        \(record.epoch). If the database was put here on purpose, remove \(directory.tail)
        """, soundRevision: head.revision)
    }
    guard record.position <= head.tail.position else {
      throw .damaged(
        "it ends with revision \(head.revision), but revision \(record.revision) was stored; commits are missing",
        in: directory, lastRevision: head.revision)
    }
    guard record.position < head.tail.position || record.checksum == head.tail.checksum else {
      throw .damaged("its last turn is not the one that was stored", in: directory, soundRevision: nil)
    }
  }

  /// The error for a database that is missing or empty, if other files show that there was one.
  static func loss(in directory: StateDirectory) throws(LogError) -> LogError? {
    loss(try TailFile.read(directory), in: directory)
  }

  private static func loss(_ record: TailRecord?, in directory: StateDirectory) -> LogError? {
    guard record != nil || StateDirectory.hasContents(directory.writeAheadLog) else { return nil }
    let revision = record.map { "revision \($0.revision) was stored" } ?? "a write-ahead log is there"
    return LogError(
      .damaged,
      """
      \(directory.database) is missing or empty, but \(revision). Restore a backup; or, to begin a new history, \
      empty \(directory.path)
      """)
  }

  /// The last revision that SQLite reads from a damaged write-ahead log.
  private static func lastRevision(_ directory: StateDirectory, _ options: JournalOptions) -> UInt64? {
    let head = try? directory.attempt { () throws(SQLiteError) in
      let database = try Database(directory.database, vfs: options.vfs, keepsWAL: true)
      defer { database.close() }
      return try HeadStatement(database).load()
    }
    return head?.revision
  }
}

extension StateDirectory {
  /// Runs `body` on the database and translates its errors.
  func attempt<Result>(_ body: () throws(SQLiteError) -> Result) throws(LogError) -> Result {
    do throws(SQLiteError) { return try body() } catch { throw LogError(error, in: self) }
  }
}
