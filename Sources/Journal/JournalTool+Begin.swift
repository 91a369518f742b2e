internal import SQLite
public import TurnLog
public import Wire

extension JournalTool {
  /// Begins a journal with a state, from which a hub continues.
  ///
  /// - Parameters:
  ///   - path: A directory without a journal. It is created if missing, but its parents are not.
  ///   - schema: The schema of the state and its actions.
  ///   - state: The encoded state.
  ///   - revision: The state's revision.
  ///   - time: The time of the state, in milliseconds since 1970.
  /// - Throws: `inUse`; `storage`, also if there is a journal already.
  public static func begin(
    _ path: String, schema: Schema, state: [UInt8], revision: UInt64, time: Int64
  ) throws(LogError) {
    let directory = StateDirectory(path: path, user: .tool)
    try directory.createJournal { (file) throws(LogError) in
      try directory.attempt { () throws(SQLiteError) in
        try build(file, schema: schema, state: state, revision: revision, time: time)
      }
    } complete: { (head) throws(LogError) in
      try directory.recordEnd(head)
    }
  }

  /// Builds the database of a journal that begins with a state, and returns its head.
  private static func build(
    _ file: String, schema: Schema, state: [UInt8], revision: UInt64, time: Int64
  ) throws(SQLiteError) -> Head {
    let database = try Database.creating(file)
    defer { database.close() }
    let (head, _) = try database.beginJournal(schema: schema, state: state, revision: revision, time: time)
    try head.store(with: database.prepare(Head.write, for: "store the head of the journal"))
    try database.run("COMMIT", for: "commit")
    return head
  }

  /// Gives a sound copy of a journal a history of its own: what follows in it is not what follows in the original.
  static func beginHistory(in directory: StateDirectory) throws(LogError) {
    let head = try directory.attempt { () throws(SQLiteError) -> Head? in
      let database = try Database(directory.database, vfs: nil)
      defer { database.close() }
      guard var head = try HeadStatement(database).load() else { return nil }
      (head.epoch, head.isClean) = (.random(), true)
      try head.store(with: database.prepare(Head.write, for: "store the head of the journal"))
      return head
    }
    guard let head else {
      throw .damaged("the row of its table meta is not what was written", in: directory, soundRevision: nil)
    }
    try directory.recordEnd(head)
  }
}

extension Database {
  /// Stores the first state of a journal, and returns its head, which is still to be stored, and its schemas.
  func beginJournal(
    schema: Schema, state: [UInt8], revision: UInt64, time: Int64
  ) throws(SQLiteError) -> (Head, SchemaRows) {
    var head = Head(epoch: .random(), created: now())
    (head.revision, head.time, head.snapshot) = (revision, time, 1)
    var schemas = SchemaRows()
    try schemas.append(schema, at: 1, to: self)
    (head.schemaCount, head.schemaChecksum) = (UInt64(schemas.rows.count), schemas.checksum)
    var row = SnapshotRow(id: 1, position: 0, revision: revision)
    (row.time, row.fingerprint, row.turnChecksum) = (time, schema.fingerprint.bytes, head.base.checksum)
    try SnapshotStatements(self).store(state, as: &row)
    return (head, schemas)
  }
}

extension StateDirectory {
  /// Records the end of a history, and makes the files survive a loss of power.
  func recordEnd(_ head: Head) throws(LogError) {
    let tail = try TailFile(self)
    try tail.write(head)
    try tail.sync()
    try sync()
  }
}
