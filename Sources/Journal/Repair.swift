internal import Glibc
internal import SQLite
public import TurnLog
public import Wire

extension JournalTool {
  /// Truncates a journal to a sound revision. The original files are first copied into the same directory.
  ///
  /// The sound part is copied into a new database with a new epoch, which then replaces the old one. Sessions are
  /// restored as of that revision. A session that is no longer known is refused when its client reconnects.
  ///
  /// If a repair is interrupted, the hub finds the journal as it was, or refuses it until a repair is called again,
  /// which completes the interrupted one. It never finds less than the repair keeps.
  /// - Parameters:
  ///   - directory: A directory that no hub uses.
  ///   - revision: The last revision to keep; nil for the last sound one. A turn that contains it and ends later is
  ///     discarded.
  ///   - readsStates: True to give up also states that a hub cannot read, see `verify`.
  ///   - schemas: The schemas of the program that wrote the journal, which replace damaged ones.
  ///   - cancellation: Cancels the repair from another thread until it begins to change files.
  /// - Returns: Nil if there is nothing to repair or to truncate.
  /// - Throws: `damaged` if no state can be recovered, or only up to an earlier revision; `trimmed` if that revision is
  ///   before the first kept one, or does not exist; `inUse`; `storage`, also if it was cancelled.
  /// - Complexity: O(size of the files).
  public static func repair(
    _ directory: String, to revision: UInt64? = nil, readsStates: Bool = false, schemas: [Schema] = [],
    cancellation: RepairCancellation? = nil
  ) throws(LogError) -> Repair? {
    try repair(directory, to: revision, readsStates: readsStates, cancellation, schemas: schemas) {
      (_) throws(LogError) in
    }
  }

  /// The steps of a repair, after each of which it may be interrupted.
  package enum RepairStep: CaseIterable {
    case built, copied, tailWritten, logRemoved, replaced
  }

  /// Repairs a journal, and calls a function after each step.
  package static func repair(
    _ directory: String, to revision: UInt64?, readsStates: Bool = false,
    _ cancellation: RepairCancellation? = nil, options: JournalOptions = JournalOptions(), schemas: [Schema] = [],
    after step: (RepairStep) throws(LogError) -> Void
  ) throws(LogError) -> Repair? {
    let directory = StateDirectory(path: directory, user: .tool)
    let lock = try directory.lockJournal()
    defer { lock.release() }
    if let head = try directory.interruptedRepair() {
      try beginChanges(cancellation)
      let completed = try directory.completeRepair(head)
      if revision ?? .max >= completed.revision { return completed }
    }
    let inspection = try Inspection.reading(
      directory, options: options, readsStates: readsStates, schemas: schemas, cancellation: cancellation)
    defer { inspection.close() }
    guard let sound = inspection.soundRevision else {
      throw .lost(in: directory, lacksSchema: inspection.lacksSchema)
    }
    if let revision, let last = inspection.head?.revision, revision > last {
      throw LogError(.trimmed, "there is no revision \(revision): the last one is \(last)", soundRevision: sound)
    }
    if let revision, revision > sound {
      throw LogError(
        .damaged,
        """
        \(directory.database) is damaged, and sound only up to revision \(sound), so revision \(revision) cannot be kept; \
        nothing was changed. Without a revision, repair keeps everything up to \(sound)
        """, soundRevision: sound)
    }
    let target = revision ?? sound
    guard !inspection.problems.isEmpty || target < inspection.head?.revision ?? .max else { return nil }
    let start = try inspection.start(for: target, in: directory)
    let (head, discardedTurnEnd) = try build(directory, from: inspection, start, to: target, cancellation)
    try step(.built)
    do throws(LogError) { try beginChanges(cancellation) } catch {
      directory.removeNewDatabase()
      throw error
    }
    let copies: [String]
    do throws(LogError) { copies = try directory.copyAside() } catch {
      directory.removeNewDatabase()
      throw error
    }
    try step(.copied)
    // From here on the old database is refused in any case, because the tail record names another epoch.
    try directory.recordEnd(head)
    try step(.tailWritten)
    try directory.replaceDatabase(after: step)
    return Repair(
      revision: head.revision, lastRevision: inspection.head?.revision, discardedTurnEnd: discardedTurnEnd,
      copy: copies[0], copies: copies, epoch: head.epoch)
  }

  /// Writes the new database beside the old one, and returns its head, and the end of a turn that contains the revision
  /// and was discarded.
  private static func build(
    _ directory: StateDirectory, from inspection: Inspection, _ start: Inspection.Start, to revision: UInt64,
    _ cancellation: RepairCancellation?
  ) throws(LogError) -> (Head, discardedTurnEnd: UInt64?) {
    guard cancellation?.isCancelled != true else { throw cancelled }
    directory.removeNewDatabase()
    do throws(LogError) {
      try StateDirectory.createEmpty(directory.newDatabase)
      let (head, discardedTurnEnd) = try directory.attempt { () throws(SQLiteError) in
        var rebuild = try Rebuild(inspection, in: directory.newDatabase)
        return (try rebuild.copy(from: start, to: revision), rebuild.discardedTurnEnd)
      }
      guard let head else {
        throw LogError(
          .storage,
          """
          \(directory.database) was sound up to revision \(revision) when it was first read, and not the second time; \
          nothing was changed. Check the disk and the kernel's log, then repeat the repair
          """)
      }
      try FileCopy.sync(directory.newDatabase)
      return (head, discardedTurnEnd)
    } catch {
      directory.removeNewDatabase()
      throw cancellation?.isCancelled == true ? cancelled : error
    }
  }

  private static func beginChanges(_ cancellation: RepairCancellation?) throws(LogError) {
    guard cancellation?.beginChanges() != false else { throw cancelled }
  }

  private static var cancelled: LogError { LogError(.storage, "the repair was cancelled; nothing was changed") }
}

extension Inspection {
  /// The place from which to copy a history, and the last sound turn after it.
  struct Start {
    let place: Head.Place
    let end: UInt64
  }

  /// The place from which to copy a history that ends with a revision.
  func start(for revision: UInt64, in directory: StateDirectory) throws(LogError) -> Start {
    let usable = snapshots.filter { $0.row.revision <= revision && $0.reach.revision >= revision }
    // Older turns are kept if they lead there without a gap.
    if let head, let first, isFromTheBeginning || usable.contains(where: \.isConnected) {
      return Start(place: head.base, end: first.position)
    }
    guard let newest = usable.last else {
      throw LogError(
        .trimmed, "revision \(revision) cannot be recovered from \(directory.database); choose a later one",
        soundRevision: soundRevision)
    }
    return Start(
      place: Head.Place(position: newest.row.position, checksum: newest.row.turnChecksum), end: newest.reach.position)
  }
}

/// Copies the sound part of a journal into a new database.
private struct Rebuild {
  private let inspection: Inspection
  private let database: Database
  private var insertion: TurnInsertion
  private let snapshotStatements: SnapshotStatements
  private var schemas = SchemaRows()
  /// The end of the turn that contains the last revision to keep and ends later.
  private(set) var discardedTurnEnd: UInt64?

  init(_ inspection: Inspection, in file: String) throws(SQLiteError) {
    self.inspection = inspection
    database = try Database.creating(file)
    insertion = try TurnInsertion(database)
    snapshotStatements = try SnapshotStatements(database)
  }

  /// Copies everything from a place to a revision, and returns the head of the new history; nil if something is not
  /// sound that was sound during the inspection.
  mutating func copy(from start: Inspection.Start, to revision: UInt64) throws(SQLiteError) -> Head? {
    defer { database.close() }
    var head = Head(epoch: .random(), created: inspection.head?.created ?? now())
    let place = start.place
    head.base = Head.Place(position: place.position, total: place.total, checksum: head.base.checksum)
    head.tail = head.base
    if let row = inspection.snapshots.first(where: { $0.row.position == place.position })?.row {
      (head.revision, head.time) = (row.revision, row.time)
    }
    var checksums: [UInt64: UInt64] = [place.position: head.base.checksum]
    let wanted = Set(inspection.snapshots.map(\.row.position))
    var seen: [SessionID: SessionRow] = [:]
    var cursor = try TurnCursor(inspection.database, after: place)
    defer { cursor.pause() }
    while head.tail.position < start.end {
      guard let turn = try next(of: &cursor) else { return nil }
      if turn.revision > revision {
        if turn.baseRevision < revision { discardedTurnEnd = turn.revision }
        break
      }
      try insertion.insert(turn, at: turn.time, movingTailOf: &head)
      if wanted.contains(turn.position) { checksums[turn.position] = head.tail.checksum }
      for session in turn.sessions {
        seen.advance(
          to: SessionRow(session: session, position: turn.position, revision: turn.revision, time: turn.time))
      }
    }
    for row in inspection.schemas.rows where row.firstPosition <= head.tail.position + 1 {
      try schemas.append(row.schema, at: row.firstPosition, to: database)
    }
    try copySessions(seen, to: &head)
    // It names the turn at which the journal has left the cluster's log, so it says if that is not the last one any more.
    if let place = (try? PlaceRow.load(from: inspection.database)) ?? nil { try PlaceRow(database).store(place) }
    guard try copySnapshots(checksums, to: &head) else { return nil }
    (head.schemaCount, head.schemaChecksum) = (UInt64(schemas.rows.count), schemas.checksum)
    head.sessionPosition = head.tail.position
    head.isClean = true
    try head.store(with: database.prepare(Head.write, for: "store the head of the journal"))
    try database.run("COMMIT", for: "commit")
    return head
  }

  /// Reads a turn; returns nil if it is damaged or missing.
  private func next(of cursor: inout TurnCursor) throws(SQLiteError) -> LoggedTurn? {
    do throws(TurnCursor.Fault) { return try cursor.next() } catch {
      switch error {
      case .damaged: return nil
      case .database(let error): throw error
      }
    }
  }

  /// Writes the sessions as of the last turn.
  private func copySessions(_ seen: [SessionID: SessionRow], to head: inout Head) throws(SQLiteError) {
    var rows = seen
    for stored in inspection.storedSessions {
      let change = seen[stored.session.id]
      if stored.position <= head.tail.position, change.map({ $0.position < stored.position }) ?? true {
        // The table was written after the last turn that changed the session.
        rows[stored.session.id] = stored
      } else if let change {
        // Also a row of a later turn: its client has acknowledged the rejections that it lacks.
        var row = stored
        row.advance(to: change)
        rows[stored.session.id] = row
      }
    }
    let statements = try SessionStatements(database)
    for row in rows.values where row.session.isComplete {
      head.sessionSum &+= try statements.store(row)
      head.sessionCount += 1
    }
  }

  /// Writes the snapshots whose turns were copied, linked to the new history; returns false if one is damaged.
  private func copySnapshots(_ checksums: [UInt64: UInt64], to head: inout Head) throws(SQLiteError) -> Bool {
    for snapshot in inspection.snapshots {
      guard let checksum = checksums[snapshot.row.position], snapshot.row.revision <= head.revision else { continue }
      guard let contents = try snapshot.row.contents(from: inspection.database) else { return false }
      var row = SnapshotRow(
        id: snapshot.row.id, position: snapshot.row.position, revision: snapshot.row.revision)
      (row.time, row.fingerprint, row.turnChecksum) = (snapshot.row.time, snapshot.row.fingerprint, checksum)
      try snapshotStatements.store(contents.state, contents.effects, as: &row)
      head.snapshot = row.id
    }
    return true
  }
}

extension StateDirectory {
  /// The end of the new history, if a repair was interrupted after it had recorded this end. The old database may have
  /// lost its log since then.
  func interruptedRepair() throws(LogError) -> Head? {
    guard StateDirectory.hasContents(newDatabase), let record = try TailFile.read(self) else { return nil }
    let head = try attempt { () throws(SQLiteError) -> Head? in
      do throws(SQLiteError) {
        let database = try Database(newDatabase, vfs: nil)
        defer { database.close() }
        return try HeadStatement(database).load()
      } catch {
        // An incomplete one may have no tables. One that cannot be read may be the only complete one.
        guard error.isDamage || error.isUnknownTable else { throw error }
        return nil
      }
    }
    return head.flatMap { TailRecord($0) == record ? $0 : nil }
  }

  /// The problem that a repair was interrupted.
  var interruptionOfRepair: String {
    "a repair of \(database) was interrupted; `\(repair)` completes it"
  }

  /// Throws if a repair was interrupted.
  func refuseInterruptedRepair() throws(LogError) {
    guard let head = try interruptedRepair() else { return }
    throw LogError(.damaged, interruptionOfRepair, soundRevision: head.revision)
  }

  fileprivate func completeRepair(_ head: Head) throws(LogError) -> JournalTool.Repair {
    // The interrupted repair has made one, but somebody may have moved it.
    let isCopied = lastCopy > 0
    let copy = copyName(isCopied ? lastCopy : 1)
    let copies = isCopied ? [] : try copyAside()
    try replaceDatabase { (_) throws(LogError) in }
    return JournalTool.Repair(revision: head.revision, copy: copy, copies: copies, epoch: head.epoch)
  }

  /// The copy of the database that the next repair makes.
  var nextCopy: String { copyName(lastCopy + 1) }

  private func copyName(_ number: Int) -> String { "\(database).damaged-\(number)" }

  /// The number of the newest copy; 0 if there is none.
  private var lastCopy: Int {
    guard let files = opendir(path) else { return 0 }
    defer { closedir(files) }
    var last = 0
    while let file = readdir(files) {
      let name = withUnsafeBytes(of: file.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let range = name.wholeMatch(of: /journal\.db\.damaged-([0-9]+)/) else { continue }
      last = max(last, Int(range.1) ?? 0)
    }
    return last
  }

  /// Copies the journal's files and returns the paths of the copies, that of the database first. If one cannot be
  /// copied, the others are removed, so that a second attempt has as much space.
  fileprivate func copyAside() throws(LogError) -> [String] {
    let number = lastCopy + 1
    let copy = copyName(number)
    var copied: [String] = []
    do throws(LogError) {
      // SQLite finds the copy's write-ahead log by its name.
      for (file, name) in [(database, copy), (writeAheadLog, copy + "-wal"), (tail, "\(tail).damaged-\(number)")]
      where StateDirectory.hasContents(file) {
        try FileCopy.copy(file, to: name)
        copied.append(name)
      }
      try sync()
    } catch {
      for name in copied { unlink(name) }
      throw error
    }
    return copied
  }
}
