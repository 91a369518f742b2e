internal import SQLite
public import TurnLog
public import Wire

/// The contents of a journal when it is opened: a snapshot, the turns after it, and the sessions.
///
/// ```swift
/// let history = try JournalOpening(directory: path).history
/// if let snapshot = history.snapshot { … }
/// while let turn = try history.next() { … }
/// ```
///
/// It is used by one thread, which releases it after the last turn. The journal can be started before, but a hub reads
/// the history first, because reading finds damage after the snapshot.
public final class JournalHistory {
  /// A complete saved state.
  public struct Snapshot: Sendable {
    /// The last turn that the state includes.
    public let position: UInt64
    /// The state's revision.
    public let revision: UInt64
    /// The schema of the bytes.
    public let schema: Schema
    /// The state: the concatenated pieces of `LogSnapshot.makePieces`.
    public let bytes: [UInt8]
    /// The effects with a declared restart that were in flight after that turn.
    public let effects: EffectsInFlight

    init(_ row: SnapshotRow, _ schema: Schema, _ contents: (state: [UInt8], effects: EffectsInFlight)) {
      (position, revision, self.schema) = (row.position, row.revision, schema)
      (bytes, effects) = contents
    }
  }

  /// The first turn with a schema.
  public struct SchemaChange: Sendable {
    /// The first turn that was written with the schema.
    public let firstPosition: UInt64
    /// The schema of the actions and deltas from that turn on.
    public let schema: Schema
  }

  /// A turn read back from the journal. Actions and sessions are omitted, because the state needs only the delta.
  public struct Turn: Sendable {
    /// The turn's number in the log.
    public let position: UInt64
    /// The revision before the turn.
    public let baseRevision: UInt64
    /// The revision after the turn.
    public let revision: UInt64
    /// The wall-clock time of the turn, in milliseconds since 1970.
    public let time: Int64
    /// The change of the state; empty if there is none.
    public let delta: [UInt8]
    /// The effects with a declared restart that have begun or ended.
    public let effects: EffectChanges
    /// The size of the whole turn: its actions, effects, delta and sessions.
    public let byteCount: Int
    /// The index of the delta's schema in `JournalHistory.schemas`.
    public let schema: Int
  }

  /// True if the journal was just created.
  public let isNew: Bool
  /// True if the journal was last closed cleanly.
  public let wasClosed: Bool
  /// The identity of the history.
  public let epoch: Epoch
  /// The newest sound snapshot; nil if none was ever saved, in which case the turns begin with the feature's initial
  /// state.
  public private(set) var snapshot: Snapshot?
  /// The schemas, oldest first.
  public let schemas: [SchemaChange]
  /// The sessions after the last turn, least recently active first.
  public let sessions: [LoggedSession]
  /// The position of the last turn; 0 if there is none.
  public let tail: UInt64
  /// The revision after the last turn.
  public let revision: UInt64
  /// The journal's time of the last turn, in milliseconds since 1970. It never decreases.
  public let time: Int64
  /// The place in another log at which the turns end; nil for a journal of one machine.
  public let place: [UInt8]?
  /// Remarks for the log, as sentences; for example that a snapshot was damaged.
  public private(set) var notes: [String] = []

  private let directory: StateDirectory
  private let database: Database
  private let end: Head.Place
  private let start: UInt64
  private var cursor: TurnCursor
  private var lastRevision: UInt64
  private var schemaIndex = 0

  init(_ opened: inout OpenedDatabase, in directory: StateDirectory, options: JournalOptions) throws(LogError) {
    let head = opened.head
    self.directory = directory
    (isNew, wasClosed, epoch) = (opened.isNew, head.isClean, head.epoch)
    let writing = opened.database
    place = try directory.attempt { () throws(SQLiteError) in try PlaceRow.load(from: writing) }
    schemas = opened.schemas.rows.map { SchemaChange(firstPosition: $0.firstPosition, schema: $0.schema) }
    sessions = opened.sessions
    (tail, revision, time, end) = (head.tail.position, head.revision, head.time, head.tail)
    let (found, notes) = try opened.newestSnapshot(in: directory)
    if let (row, schema, contents) = found { snapshot = Snapshot(row, schema, contents) }
    let place = found.map { Head.Place(position: $0.row.position, checksum: $0.row.turnChecksum) } ?? head.base
    (start, lastRevision) = (place.position, found?.row.revision ?? 0)
    (database, cursor) = try directory.attempt { () throws(SQLiteError) in
      let database = try Database(directory.database, vfs: options.vfs, keepsWAL: true)
      return (database, try TurnCursor(database, after: place))
    }
    self.notes = notes
    if !opened.isNew, !opened.hasTail {
      self.notes.append("there was no sound journal.tail, as after a restore; turns that are lost would not be noticed")
    }
    if !wasClosed { self.notes.append("the journal was not closed in order; everything that was stored is there") }
  }

  /// Reads a directory that no process uses, without opening a journal for writing. Nothing is changed.
  package static func reading(_ directory: String, options: JournalOptions = JournalOptions()) throws(LogError)
    -> JournalHistory
  {
    let directory = StateDirectory(path: directory)
    var opened = try OpenedDatabase(directory, options: options)
    return try JournalHistory(&opened, in: directory, options: options)
  }

  /// All kept turns from a position on.
  package func turns(from position: UInt64) throws(LogError) -> [LoggedTurn] {
    let reader = try directory.attempt { () throws(SQLiteError) in
      try TurnReader(directory, options: JournalOptions())
    }
    return try reader.read(from: position, byteLimit: .max)
  }

  /// The number of turns read so far, and in total.
  public var progress: (done: UInt64, total: UInt64) { (cursor.place.position - start, tail - start) }

  /// Reads the next turn after the snapshot; returns nil after the last one.
  ///
  /// - Throws: `damaged`, with the last sound revision, or `storage`.
  public func next() throws(LogError) -> Turn? {
    guard cursor.place.position < tail else {
      guard cursor.place.checksum == end.checksum else {
        throw .damaged("turn \(tail) is not the one that was stored", in: directory, soundRevision: nil)
      }
      // The journal can reuse its write-ahead log only while no reader needs an old version.
      cursor.pause()
      return nil
    }
    let turn: LoggedTurn?
    do throws(TurnCursor.Fault) {
      turn = try cursor.next(isWhole: false)
    } catch {
      cursor.pause()
      throw error.logError(in: directory, soundRevision: lastRevision)
    }
    guard let turn, turn.baseRevision == lastRevision else {
      cursor.pause()
      throw .damaged(
        "turn \(cursor.place.position + 1) is missing", in: directory, soundRevision: lastRevision)
    }
    lastRevision = turn.revision
    while schemaIndex + 1 < schemas.count, schemas[schemaIndex + 1].firstPosition <= turn.position { schemaIndex += 1 }
    return Turn(
      position: turn.position, baseRevision: turn.baseRevision, revision: turn.revision, time: turn.time,
      delta: turn.delta, effects: turn.effects, byteCount: cursor.byteCount, schema: schemaIndex)
  }
}

extension OpenedDatabase {
  /// Reads the newest sound snapshot and discards those that are not sound.
  mutating func newestSnapshot(in directory: StateDirectory) throws(LogError) -> (
    (row: SnapshotRow, schema: Schema, contents: (state: [UInt8], effects: EffectsInFlight))?, notes: [String]
  ) {
    let newest = head.snapshot
    var notes: [String] = []
    while let row = snapshots.last {
      let contents = try directory.attempt { () throws(SQLiteError) in
        do throws(SQLiteError) { return try row.contents(from: database) } catch {
          guard error.isDamage else { throw error }
          return nil
        }
      }
      let schema = schemas.rows.last { $0.fingerprint.bytes == row.fingerprint }?.schema
      if let contents, let schema, row.position >= head.base.position, row.position <= head.tail.position {
        if row.id != newest {
          notes.append(
            """
            the newest snapshot is missing or damaged: check the disk; recovery begins with the one of revision \
            \(row.revision)
            """)
        }
        return ((row, schema, contents), notes)
      }
      snapshots.removeLast()
      obsolete.append(row.id)
    }
    // Without one, a history can only be read from the feature's initial state, which may have changed since.
    guard newest == 0, head.base.position == 0 else {
      throw .damaged("no snapshot is sound", in: directory, soundRevision: nil)
    }
    return (nil, notes)
  }
}
