internal import Glibc
internal import SQLite
public import TurnLog
internal import Wire

/// Reads a journal, with or without a hub that writes it at the same time. Nothing is changed.
///
/// It is used by one thread. Each method reads one version of the database; between two calls, the hub may have stored
/// more turns or removed old ones.
public final class JournalReader {
  /// The beginning and the end of a journal.
  public struct Extent: Equatable, Sendable {
    /// The identity of the history.
    public let epoch: Epoch
    /// The position before the first kept turn.
    public let base: UInt64
    /// The last turn.
    public let tail: UInt64
    /// The revision after the last turn.
    public let revision: UInt64
    /// The time of the last turn, in milliseconds since 1970; 0 if there was none.
    public let time: Int64
    /// The time at which the journal was created, in milliseconds since 1970.
    public let created: Int64
  }

  /// The place of a complete saved state.
  public struct SnapshotPlace: Equatable, Sendable {
    /// The last turn that it includes.
    public let position: UInt64
    /// Its revision.
    public let revision: UInt64
    /// The time of that turn, in milliseconds since 1970; 0 if there was none.
    public let time: Int64
  }

  let directory: StateDirectory
  /// The file that was opened.
  private let identity: FileIdentity?
  let database: Database
  private let reader: TurnReader
  private let headStatement: HeadStatement
  private let times: Statement

  /// Opens the journal of a state directory.
  ///
  /// - Throws: `storage` if there is none or it cannot be read; `unknownFormat`; `damaged` if a repair was interrupted or
  ///   commits are missing.
  public init(_ path: String) throws(LogError) {
    let directory = StateDirectory(path: path, user: .tool)
    guard StateDirectory.hasContents(directory.database) else { throw try directory.noJournal() }
    guard access(directory.database, R_OK) == 0 || errno != EACCES else {
      throw LogError(
        .storage, "\(directory.database) cannot be read: permission denied; use the hub's user, or root")
    }
    self.directory = directory
    try directory.refuseInterruptedRepair()
    // Before the head: a hub that writes at the same time records the end of a commit after it.
    let record = try TailFile.read(directory)
    identity = FileIdentity(directory.database)
    let (database, kind) = try directory.attempt { () throws(SQLiteError) in
      let database = try Database(directory.database, vfs: nil, keepsWAL: true)
      let application = try database.run("PRAGMA application_id", for: "read the kind of the file")
      let version = try database.run("PRAGMA user_version", for: "read the version of the file")
      return (database, (application, version))
    }
    guard kind.0 == Tables.application, let version = kind.1, Tables.readableVersions.contains(version) else {
      throw LogError(.unknownFormat, "\(directory.database) is not a journal of this version")
    }
    self.database = database
    (reader, headStatement, times) = try directory.attempt { () throws(SQLiteError) in
      (
        try TurnReader(directory, options: JournalOptions()), try HeadStatement(database),
        try database.prepare("SELECT time_ms FROM turns WHERE position = ?", for: "look for a time")
      )
    }
    // To SQLite, a log that was cut looks like one that was never longer.
    if let record { try OpenedDatabase.compare(record, loadHead(), in: directory) }
  }

  /// True if the directory has another file than the one that was opened, for example after a repair or a restored
  /// backup. That file has another history; open it with another reader.
  public var isReplaced: Bool { FileIdentity(directory.database) != identity }

  /// Returns the beginning and the end of the journal.
  public func extent() throws(LogError) -> Extent {
    let head = try loadHead()
    return Extent(
      epoch: head.epoch, base: head.base.position, tail: head.tail.position, revision: head.revision, time: head.time,
      created: head.created)
  }

  func loadHead() throws(LogError) -> Head {
    let head = try directory.attempt { () throws(SQLiteError) in try headStatement.load() }
    guard let head else {
      throw .damaged("the row of its table meta is not what was written", in: directory, soundRevision: nil)
    }
    return head
  }

  /// The schemas, oldest first.
  ///
  /// - Throws: `damaged` if one is missing: later turns would be read with an earlier schema.
  public func schemas() throws(LogError) -> [JournalHistory.SchemaChange] {
    // The head first: the hub may store a schema in between.
    let head = try loadHead()
    let schemas = try directory.attempt { () throws(SQLiteError) in try SchemaRows.load(from: database) }
    guard UInt64(schemas.rows.count) >= head.schemaCount else {
      throw .damaged(
        "a row of the table schemas is missing or damaged", in: directory, soundRevision: nil)
    }
    return schemas.rows.map { JournalHistory.SchemaChange(firstPosition: $0.firstPosition, schema: $0.schema) }
  }

  /// The complete snapshots, oldest first.
  public func snapshots() throws(LogError) -> [SnapshotPlace] {
    try rows().map { SnapshotPlace(position: $0.position, revision: $0.revision, time: $0.time) }
  }

  /// The newest snapshot that includes no turn after a position; nil if there is none.
  ///
  /// - Throws: `damaged` if its checksum does not match, or if there are turns and no sound snapshot at all.
  /// - Complexity: O(size of the state).
  public func snapshot(upTo position: UInt64) throws(LogError) -> JournalHistory.Snapshot? {
    // In one version of the database: a hub that saves another snapshot removes this one.
    _ = try directory.attempt { () throws(SQLiteError) in try database.run("BEGIN", for: "begin to read") }
    defer { _ = try? database.run("COMMIT", for: "end reading") }
    guard let row = try rows().last(where: { $0.position <= position }) else {
      // A hub saves its first state before its first turn.
      guard try rows().isEmpty, try loadHead().tail.position > 0 else { return nil }
      throw .damaged("it has turns, but no sound snapshot before them", in: directory, soundRevision: nil)
    }
    let contents = try directory.attempt { () throws(SQLiteError) in try row.contents(from: database) }
    let schema = try schemas().last { $0.schema.fingerprint.bytes == row.fingerprint }?.schema
    guard let contents, let schema else {
      throw .damaged(
        "the snapshot of revision \(row.revision) is not what was written", in: directory, soundRevision: nil)
    }
    return JournalHistory.Snapshot(row, schema, contents)
  }

  private func rows() throws(LogError) -> [SnapshotRow] {
    try directory.attempt { () throws(SQLiteError) in try SnapshotRow.load(from: database) }.sound.filter(\.isComplete)
  }

  /// Reads turns in order, up to the one that reaches the limit; none after the tail.
  ///
  /// - Throws: `trimmed`, `damaged` or `storage`.
  public func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] {
    try reader.read(from: position, byteLimit: byteLimit)
  }

  /// The last turn with at most this revision; nil if it is no longer kept.
  /// - Complexity: O(log n) reads.
  public func position(of revision: UInt64) throws(LogError) -> UInt64? {
    guard let position = try reader.position(of: revision) else { return nil }
    // The history of an imported state begins at its revision.
    if position == 0, let first = try rows().first, first.position == 0, first.revision > revision { return nil }
    return position
  }

  /// The last turn that is not later than a time, in milliseconds since 1970; the base if all kept turns are later.
  /// - Complexity: O(log n) reads.
  public func position(at time: Int64) throws(LogError) -> UInt64 {
    let extent = try extent()
    var (low, high) = (extent.base, extent.tail)
    while low < high {
      let middle = high - (high - low) / 2
      times.bind(1, bits: middle)
      defer { times.reset() }
      let isFound = try directory.attempt { () throws(SQLiteError) in try times.step() }
      // A turn that was removed meanwhile is earlier.
      if !isFound || times.integer(0) <= time { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Copies the current journal into another directory, as the beginning of another history.
  ///
  /// - Parameter path: A directory without a journal. It is created if missing, but its parents are not. If the copy
  ///   fails, no files of it remain.
  /// - Complexity: O(size of the files).
  public func copy(to path: String) throws(LogError) {
    let target = StateDirectory(path: path, user: .tool)
    try target.createJournal { (file) throws(LogError) in
      try directory.attempt { () throws(SQLiteError) in
        try database.with("VACUUM INTO ?", for: "copy the journal to \(path)") { statement throws(SQLiteError) in
          statement.bind(1, file)
          try statement.run()
        }
      }
    } complete: { (_) throws(LogError) in
      try JournalTool.beginHistory(in: target)
    }
  }
}
