internal import Glibc
internal import SQLite
internal import Synchronization
internal import TurnLog
internal import Wire

/// The progress of a writer, for tests and reports.
struct WriterStatus {
  /// The last stored turn.
  var tail: UInt64
  var statistics = JournalStatistics()
}

/// Writes a journal on a separate thread.
final class Writer: @unchecked Sendable {
  // Sendable: after `start`, only the writer's thread uses anything other than constants of Sendable types.

  /// The number of turns, pieces or pages in one step of maintenance, so that new turns do not wait for long.
  static let (turnsPerStep, piecesPerStep, pagesPerStep): (Int64, Int64, Int64) = (1024, 1, 256)

  let directory: StateDirectory
  let options: JournalOptions
  let queue: WriterQueue
  let status: Mutex<WriterStatus>
  let onEvent: @Sendable (LogEvent) -> Void
  let database: Database
  var head: Head
  /// The last committed head.
  private(set) var committed: Head
  /// The last committed row of the head, which the turns after it continue.
  private var headRow: Head
  /// The rows of the table `sessions`.
  var sessions: SessionTable
  /// The changes of sessions that are not yet in that table.
  var changes: SessionChanges
  var schemas: SchemaRows
  /// The complete snapshots, oldest first.
  var snapshots: [SnapshotRow]
  /// Incomplete, damaged or replaced snapshots to remove.
  var obsolete: [Int64]
  var job: SnapshotJob?
  var lastSnapshot: Int64
  /// The position before which turns are unwanted; 0 if there is none.
  var trimPosition: UInt64 = 0
  var isTrimming = false
  /// True while the file may have many free pages, also those of an earlier process.
  var isShrinking = true
  /// The time by which ages are measured.
  private(set) var ageClock: AgeClock
  /// Two of the options in milliseconds, which each commit compares with ages.
  let (sessionExpiry, retention): (Int64, Int64)
  /// The time of the oldest kept turn, or of a later one that is about to be removed.
  var oldestTime: Int64?
  /// True while maintenance pauses because the disk is full.
  var isSuspended = false
  /// True if an aborted transaction may have left frames after the last commit in the log.
  var hasAbortedFrames = false
  /// Finds the program for whose transaction this one waits.
  private let writeLock: WriteLockProbe
  /// True while the hub is served: a transaction of another program is then waited for as long as it takes.
  private var waitsForOthers = false
  private let lock: DirectoryLock
  let checkpointer: Checkpointer
  /// The length of the log, in pages, at which it is copied into the database.
  var nextCheckpoint: Int
  /// How often the log was copied without an end, because turns were stored meanwhile.
  var unfinishedCopies = 0
  /// The pages that the last of them has left.
  var lastRest = 0
  /// The end and the duration of the last step of maintenance, in nanoseconds.
  var lastStep: (end: Int64, duration: Int64) = (0, 0)
  private let tailFile: TailFile
  private let pageSize: Int
  /// Nil before the start.
  private var files: JournalFiles?
  private var insertion: TurnInsertion
  let sessionStatements: SessionStatements
  let snapshotStatements: SnapshotStatements
  let retentionStatements: RetentionStatements
  private let headStatement: Statement
  /// Nil until a place is stored.
  private var placeRow: PlaceRow?
  private let begin: Statement
  private let commit: Statement
  private let rollback: Statement
  /// Nil before the start.
  private var thread: pthread_t?

  init(
    _ opened: OpenedDatabase, in directory: StateDirectory, lock: DirectoryLock, options: JournalOptions,
    onEvent: @escaping @Sendable (LogEvent) -> Void
  ) throws(SQLiteError) {
    (self.directory, self.options, self.onEvent, self.lock) = (directory, options, onEvent, lock)
    (sessionExpiry, retention) = (options.sessionExpiry.milliseconds, options.retention.milliseconds)
    writeLock = WriteLockProbe(directory.sharedMemory)
    (database, head, sessions) = (opened.database, opened.head, opened.sessionTable)
    changes = opened.sessionChanges
    (schemas, snapshots, obsolete) = (opened.schemas, opened.snapshots, opened.obsolete)
    (lastSnapshot, tailFile) = (opened.lastSnapshot, opened.tailFile)
    queue = WriterQueue()
    var statistics = JournalStatistics()
    statistics.snapshot = opened.snapshots.last.map(JournalStatistics.Snapshot.init)
    status = Mutex(WriterStatus(tail: opened.head.tail.position, statistics: statistics))
    nextCheckpoint = options.checkpointPages
    checkpointer = try Checkpointer(directory, options) { [queue] in queue.noteCopy() }
    pageSize = Int(try database.run("PRAGMA page_size", for: "read the size of a page") ?? 0)
    insertion = try TurnInsertion(database)
    sessionStatements = try SessionStatements(database)
    snapshotStatements = try SnapshotStatements(database)
    retentionStatements = try RetentionStatements(database)
    headStatement = try database.prepare(Head.write, for: "store the head of the journal")
    begin = try database.prepare("BEGIN IMMEDIATE", for: "begin a transaction")
    commit = try database.prepare("COMMIT", for: "commit")
    rollback = try database.prepare("ROLLBACK", for: "roll back")
    (committed, headRow) = (opened.head, opened.head)
    ageClock = AgeClock(
      opened.head.tail.position > 0 ? opened.head.time : nil, at: monotonicNanoseconds(),
      longestStep: options.longestClockStep)
    oldestTime = try retentionStatements.turns(after: head.base.position, limit: 1).first?.time
    database.watchWAL()
  }

  /// The time before which something is older than a number of milliseconds. Before the first turn of this process,
  /// nothing is.
  func time(before age: Int64) -> Int64 {
    ageClock.hasFollowed ? (ageClock.time ?? head.time) - age : .min
  }

  /// Marks the journal as in use and starts the thread.
  func start() throws(LogError) {
    head.isClean = false
    do throws(SQLiteError) {
      try transaction(writesHead: true) { _ throws(SQLiteError) in }
    } catch { throw failure(error) }
    try tailFile.write(head)
    // Later starts rely on the file, also after a loss of power.
    try tailFile.sync()
    try directory.sync()
    files = try JournalFiles(directory)
    // The thread releases the writer when it ends.
    var thread = pthread_t()
    let result = pthread_create(&thread, nil, { Writer.main($0) }, Unmanaged.passRetained(self).toOpaque())
    guard result == 0 else {
      Unmanaged.passUnretained(self).release()
      throw .system("start the thread of", directory.database, result)
    }
    self.thread = thread
  }

  /// Waits until all entries are written and the thread has ended.
  func stop() {
    guard let thread else { return }
    queue.close()
    pthread_join(thread, nil)
  }

  private static func main(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    // Signals are handled by the loop's thread.
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    let writer = Unmanaged<Writer>.fromOpaque(pointer).takeRetainedValue()
    do throws(LogError) {
      try writer.run()
    } catch {
      writer.onEvent(.failed(error))
    }
    writer.queue.end()
    writer.checkpointer.close()
    writer.database.close()
    return nil
  }

  private func run() throws(LogError) {
    waitsForOthers = true
    database.waitForOthers(milliseconds: Self.blockedStep)
    let window: Int64? =
      switch options.commits {
      case .sync: nil
      case .async(let window): window.milliseconds * 1_000_000
      }
    while true {
      let work = queue.take(isWaiting: !hasMaintenance, window: window)
      guard try store(work.entries) else { return try finish() }
      if let replaced = work.replaced { report(replaced, "a newer snapshot replaced it before it was begun") }
      if let snapshot = work.snapshot { try beginSaving(snapshot) }
      if let position = work.trimPosition { (trimPosition, isSuspended) = (max(trimPosition, position), false) }
      noticeExcess()
      try maintain()
      try checkpointIfDue()
      if work.isClosing { return try finish() }
    }
  }

  /// Stores turns in one commit; returns false if one does not follow the last stored turn.
  private func store(_ entries: [WriterQueue.Entry]) throws(LogError) -> Bool {
    guard !entries.isEmpty else { return true }
    let start = monotonicNanoseconds()
    let (tail, revision) = (head.tail.position, head.revision)
    var misplaced: UInt64?
    var place: [UInt8]?
    var clockSteps = 0
    do throws(SQLiteError) {
      try transaction { writer throws(SQLiteError) in
        loop: for entry in entries {
          switch entry {
          case .schema(let schema):
            try writer.schemas.append(schema, at: writer.head.tail.position + 1, to: writer.database)
          case .place(let bytes): place = bytes
          case .turn(let turn):
            guard writer.belongs(turn) else {
              misplaced = turn.position
              break loop
            }
            if turn.time < writer.head.time { clockSteps += 1 }
            writer.ageClock.follow(turn.time, at: start)
            // The clock may go backwards; the journal's time never does.
            let time = max(turn.time, writer.head.time)
            writer.oldestTime = writer.oldestTime ?? time
            try writer.insertion.insert(turn, at: time, movingTailOf: &writer.head)
            writer.changes.add(turn.sessions, at: turn.position, revision: turn.revision, time: time)
          }
        }
        if let place { try writer.store(place: place) }
        if writer.mustWriteSessions { try writer.writeSessions() }
      }
    } catch { throw failure(error) }
    // Behind the commit, so that nothing is acknowledged that went into a file without a name.
    try files?.check(revision: revision)
    try lock.check(revision: revision)
    let (position, head) = (head.tail.position, head)
    let duration = Duration.nanoseconds(monotonicNanoseconds() - start)
    status.withLock {
      $0.statistics.lastCommit = duration
      $0.tail = position
      $0.statistics.commits += 1
      $0.statistics.turns += position - tail
      $0.statistics.clockSteps += clockSteps
    }
    if position > tail {
      try tailFile.write(head)
      // Before anybody can answer.
      queue.noteCommit(of: (revision, head.revision), since: start)
      onEvent(.stored(upTo: position))
    }
    guard let misplaced else { return true }
    onEvent(.conflict(position: misplaced, tail: position))
    return false
  }

  private func store(place: [UInt8]) throws(SQLiteError) {
    let row: PlaceRow
    if let known = placeRow { row = known } else { row = try PlaceRow(database) }
    placeRow = row
    try row.store(place)
  }

  private func belongs(_ turn: LoggedTurn) -> Bool {
    turn.position == head.tail.position + 1 && turn.baseRevision == head.revision && turn.revision >= head.revision
  }

  /// Runs `body` in one transaction. If anything but turns has changed, or while the log is copied into the database,
  /// it also writes the head. An error leaves the transaction open.
  ///
  /// - Parameter writesHead: True to write the head in any case.
  func transaction(
    writesHead: Bool = false, _ body: (Writer) throws(SQLiteError) -> Void
  ) throws(SQLiteError) {
    if hasAbortedFrames { try removeAbortedFrames() }
    try beginTransaction()
    try database.extendWAL(by: options.extensionPages, ofBytes: pageSize)
    try body(self)
    (head.schemaCount, head.schemaChecksum) = (UInt64(schemas.rows.count), schemas.checksum)
    (head.sessionCount, head.sessionSum) = (UInt64(sessions.count), sessions.sum)
    // A copy takes the turns of all commits before it has looked at the log, and the log may begin again after it.
    let writesHead = writesHead || checkpointer.isBusy || !head.follows(headRow)
    if writesHead { try head.store(with: headStatement) }
    try commit.run()
    committed = head
    if writesHead { headRow = head }
  }

  /// Writes the head if turns were stored after its row, so that it reaches the database with them.
  func writeHead() throws(SQLiteError) {
    if head != headRow { try transaction(writesHead: true) { _ throws(SQLiteError) in } }
  }

  private func beginTransaction() throws(SQLiteError) {
    do throws(SQLiteError) { try begin.run() } catch {
      guard waitsForOthers, error.isBusy else { throw error }
      try waitForOther()
    }
  }

  /// The time after which a transaction of another program is reported, and then looked at again, in milliseconds.
  private static let blockedStep: Int32 = 1000

  /// Begins a transaction as soon as another program ends its own.
  private func waitForOther() throws(SQLiteError) {
    var reported: LockHolder??
    while true {
      let holder = writeLock.holder()
      if reported != .some(holder) {
        reported = .some(holder)
        onEvent(.blocked(blockade(by: holder)))
      }
      do throws(SQLiteError) {
        try begin.run()
        return onEvent(.unblocked)
      } catch {
        // A hub that stops does not wait for long.
        guard error.isBusy, !queue.isClosing else { throw error }
      }
    }
  }

  /// Rolls back after the disk was too full for a transaction, unless SQLite has done so.
  func undo() throws(SQLiteError) {
    hasAbortedFrames = true
    if database.isInTransaction { try rollback.run() }
  }

  /// Empties the log, because a crash would then leave frames of two interrupted commits, which look like damage.
  private func removeAbortedFrames() throws(SQLiteError) {
    checkpointer.wait()
    do throws(SQLiteError) {
      if try database.checkpoint(truncating: true, waits: false) { hasAbortedFrames = false }
    } catch {
      // The disk is still too full, so the next transaction tries again. It does so too if a reader prevents it.
      guard error.isFull else { throw error }
    }
  }

  /// Closes the journal cleanly.
  private func finish() throws(LogError) {
    if let job { report(job.snapshot, "the journal was closed before it was complete") }
    head.isClean = true
    waitsForOthers = false
    do throws(SQLiteError) {
      try endCheckpoint()
      try transaction { writer throws(SQLiteError) in try writer.writeSessions() }
      try database.checkpoint(truncating: true)
    } catch { throw failure(error) }
    try files?.check(revision: head.revision)
    try tailFile.sync()
  }

  /// Translates an error into one of the journal.
  func failure(_ error: SQLiteError) -> LogError { failure(error, holder: error.isBusy ? writeLock.holder() : nil) }

  private func blockade(by holder: LockHolder?) -> LogError {
    LogError(
      .inUse,
      """
      \(holder?.description ?? "another program") has a transaction open in \(directory.database); end it, and the hub \
      continues. Everything up to revision \(committed.revision) is stored
      """, soundRevision: committed.revision)
  }

  private func failure(_ error: SQLiteError, holder: LockHolder?) -> LogError {
    LogError(
      error, in: directory, soundRevision: committed.revision,
      soundness: "everything up to revision \(committed.revision) is stored; later turns may be missing",
      holder: holder)
  }
}
