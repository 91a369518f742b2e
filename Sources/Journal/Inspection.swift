internal import SQLite
internal import TurnLog
internal import Wire

/// The results of reading a whole journal, damaged or not. Nothing is changed.
struct Inspection {
  /// The sound turns after a place.
  struct Reach {
    var position: UInt64
    var revision: UInt64
    var turnCount: UInt64 = 0
    var byteCount: UInt64 = 0
    /// The reason why it ends before the history does; nil if it does not.
    var fault: String?
  }

  /// A snapshot whose bytes are sound.
  struct SoundSnapshot {
    let row: SnapshotRow
    /// The sound turns after the snapshot.
    let reach: Reach
    /// True if all turns from the first kept one on lead to it.
    let isConnected: Bool
    /// The effects in flight after the last sound turn.
    let effects: EffectsInFlight
  }

  private let directory: StateDirectory
  let database: Database
  /// The copy that was read in place of the database.
  private let copy: RestoredDatabase?
  private(set) var problems: [String] = []
  private(set) var notes: [String] = []
  private(set) var head: Head?
  private(set) var schemas = SchemaRows()
  private(set) var snapshots: [SoundSnapshot] = []
  /// The sound rows of the table `sessions`.
  private(set) var storedSessions: [SessionRow] = []
  /// The sessions after the last sound turn.
  private(set) var sessions: [SessionRow] = []
  /// The effects that the kept turns leave in flight. Earlier ones are in the snapshots only.
  private var effects = EffectsInFlight()
  /// The turns from the first kept one on.
  private(set) var first: Reach?
  /// The last revision whose state a hub can read; nil if that of each sound one, or if this was not checked.
  private var readableRevision: UInt64?
  /// True if a schema is damaged that the program of the hub may know.
  private(set) var lacksSchema = false

  /// Reads a journal.
  ///
  /// - Parameters:
  ///   - known: The schemas of the program, in place of damaged rows.
  ///   - copy: The copy to read in place of the database; nil for none.
  ///   - problems: The problems of the database, if a copy is read. Only the copy's rows are checked then.
  init(
    _ directory: StateDirectory, options: JournalOptions, readsStates: Bool = false, schemas known: [Schema] = [],
    cancellation: RepairCancellation? = nil, reading copy: RestoredDatabase? = nil, after problems: [String] = []
  ) throws(LogError) {
    guard StateDirectory.hasContents(directory.database) else { throw try directory.noJournal() }
    (self.directory, self.copy) = (directory, copy)
    if let damage = try WALScan(directory).damage { self.problems.append(damage) }
    let database = try directory.attempt { () throws(SQLiteError) in
      try Database(copy?.file ?? directory.database, vfs: options.vfs, keepsWAL: true)
    }
    self.database = database
    if let cancellation { database.cancel { cancellation.isCancelled } }
    // The copy has no list of its free pages.
    if copy == nil { try attempt { inspection throws(SQLiteError) in try inspection.checkStructure() } }
    do throws(LogError) {
      head = try OpenedDatabase.loadHead(database, in: directory, options)
    } catch {
      guard error.problem == .damaged else { throw error }
      self.problems.append(error.description)
    }
    // Each row has a checksum. The check of a damaged page as a whole would give up its sound rows.
    try attempt { inspection throws(SQLiteError) in
      try inspection.database.run("PRAGMA cell_size_check = OFF", for: "read damaged pages")
    }
    if let record = try TailFile.read(directory) {
      if let head {
        do throws(LogError) { try OpenedDatabase.compare(record, head, in: directory) } catch {
          self.problems.append(error.description)
        }
      }
    } else {
      let state = StateDirectory.hasContents(directory.tail) ? "not what was written" : "missing"
      notes.append(
        """
        \(directory.tail) is \(state), so turns that are lost at the end would not be noticed; the next start of a hub \
        writes it again, and begins another history for clients, as after a restore
        """)
    }
    try attempt { inspection throws(SQLiteError) in try inspection.readSchemas(known) }
    try attempt { inspection throws(SQLiteError) in try inspection.readSessions() }
    try attempt { inspection throws(SQLiteError) in try inspection.readTurns() }
    try attempt { inspection throws(SQLiteError) in try inspection.readSnapshots() }
    if copy != nil { self.problems = problems }
    if readsStates { try attempt { inspection throws(SQLiteError) in try inspection.readStates() } }
  }

  /// Closes the database.
  func close() { database.close() }

  /// The last sound revision: the highest one that the turns after a sound snapshot lead to.
  var soundRevision: UInt64? {
    let ends = snapshots.map { min($0.reach.revision, readableRevision ?? .max) }
    if let last = ends.max() { return last }
    return isFromTheBeginning ? first?.revision : nil
  }

  /// The effects in flight after the last sound turn.
  var effectsInFlight: EffectsInFlight { snapshots.last?.effects ?? effects }

  /// True if the kept turns begin with the feature's initial state, because no snapshot was ever saved.
  var isFromTheBeginning: Bool { head.map { $0.base.position == 0 && $0.snapshot == 0 } ?? false }

  /// Runs `body` and records damage that it finds.
  private mutating func attempt(_ body: (inout Inspection) throws(SQLiteError) -> Void) throws(LogError) {
    do throws(SQLiteError) { try body(&self) } catch {
      guard error.isDamage || error.isUnknownTable else { throw LogError(error, in: directory) }
      problems.append("cannot \(error.operation): \(error.message)")
    }
  }

  private mutating func checkStructure() throws(SQLiteError) {
    if let problem = try database.structuralProblem("integrity_check") { problems.append(problem) }
  }

  private mutating func readSchemas(_ known: [Schema]) throws(SQLiteError) {
    var damage: SQLiteError?
    do throws(SQLiteError) { schemas = try SchemaRows.load(from: database) } catch { damage = error }
    guard let head, damage != nil || !schemas.isComplete(for: head) else {
      if let damage { throw damage }
      return
    }
    problems.append("a row of the table schemas is missing or damaged")
    if let restored = try SchemaRows.restored(from: database, head, known: known) {
      schemas = restored
    } else {
      lacksSchema = true
      if let damage { throw damage }
    }
  }

  private mutating func readSessions() throws(SQLiteError) {
    let (sound, damaged) = try SessionStatements.load(from: database)
    storedSessions = sound.map(\.row)
    let sum = sound.reduce(0 as UInt64) { $0 &+ $1.checksum }
    if damaged > 0 { problems.append("\(damaged) rows of the table sessions are damaged") }
    if let head, damaged == 0, UInt64(sound.count) != head.sessionCount || sum != head.sessionSum {
      problems.append("a row of the table sessions is missing")
    }
  }

  private mutating func readTurns() throws(SQLiteError) {
    guard let head else { return }
    var changes = SessionChanges()
    var effects = EffectsInFlight()
    let reach = try reach(after: head.base, revision: nil) { turn in
      effects.apply(turn.effects)
      guard turn.position > head.sessionPosition else { return }
      changes.add(turn.sessions, at: turn.position, revision: turn.revision, time: turn.time)
    }
    sessions = changes.applied(to: storedSessions)
    (first, self.effects) = (reach, effects)
    if let fault = reach.fault { problems.append(fault) }
  }

  private mutating func readSnapshots() throws(SQLiteError) {
    let (rows, damaged) = try SnapshotRow.load(from: database)
    if !damaged.isEmpty { problems.append("\(damaged.count) rows of the table snapshots are damaged") }
    let complete = rows.filter(\.isComplete)
    for row in complete {
      var effects: EffectsInFlight?
      do throws(SQLiteError) { effects = try row.contents(from: database)?.effects } catch {
        guard error.isDamage else { throw error }
      }
      guard var effects, schemas.rows.contains(where: { $0.fingerprint.bytes == row.fingerprint }) else {
        problems.append("the snapshot of revision \(row.revision) is damaged")
        continue
      }
      let place = Head.Place(position: row.position, checksum: row.turnChecksum)
      let reach = try reach(after: place, revision: row.revision) { effects.apply($0.effects) }
      let isConnected = first.map { row.position <= $0.position } ?? false
      snapshots.append(SoundSnapshot(row: row, reach: reach, isConnected: isConnected, effects: effects))
    }
    if let head, head.snapshot != 0, complete.last?.id != head.snapshot {
      problems.append("the newest snapshot is missing")
    }
  }

  /// Reads the newest states as a hub that starts does, and gives up what it would refuse.
  private mutating func readStates() throws(SQLiteError) {
    while let newest = snapshots.last {
      guard let fault = try StateCheck(database, schemas).fault(after: newest) else { return }
      problems.append(fault.description)
      guard fault.isInSnapshot else { return readableRevision = fault.readableRevision }
      snapshots.removeLast()
    }
  }

  /// Reads turns up to the first that is not sound.
  private func reach(
    after place: Head.Place, revision: UInt64?, body: (LoggedTurn) -> Void = { _ in }
  ) throws(SQLiteError) -> Reach {
    var cursor = try TurnCursor(database, after: place)
    defer { cursor.pause() }
    var reach = Reach(position: place.position, revision: revision ?? 0)
    let end = head.flatMap { schemas.certainEnd(for: $0) } ?? .max
    do throws(TurnCursor.Fault) {
      while let turn = try cursor.next() {
        guard turn.position <= end else {
          reach.fault = "the schema of turn \(turn.position) is missing or damaged"
          return reach
        }
        if reach.turnCount > 0 || revision != nil, turn.baseRevision != reach.revision {
          reach.fault = "turn \(turn.position) does not follow revision \(reach.revision)"
          return reach
        }
        (reach.position, reach.revision) = (turn.position, turn.revision)
        reach.turnCount += 1
        body(turn)
        reach.byteCount += UInt64(turn.actions.count + turn.delta.count)
      }
      if let head, reach.position != head.tail.position || cursor.place.checksum != head.tail.checksum {
        reach.fault = "turn \(reach.position + 1) is missing or not what was written"
      }
    } catch {
      switch error {
      case .damaged(let position): reach.fault = "turn \(position) is missing or not what was written"
      case .database(let error):
        guard error.isDamage else { throw error }
        reach.fault = "turn \(reach.position + 1) cannot be read: \(error.message)"
      }
    }
    return reach
  }
}
