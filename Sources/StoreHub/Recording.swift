public import HubCore
internal import Journal
internal import ProgramOptions
public import ServiceProcess
public import TurnLog
public import Wire

/// The recording of a hub, from which it continues after a restart.
///
/// ```swift
/// let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
/// let recording = try Recording.open(engine, directory: "/var/lib/storehub", log: log)
/// let server = try HubServer(engine, recording: recording, loop: loop, path: path, log: log)
/// loop.run()
/// recording.close()
/// ```
public struct Recording {
  /// The log that stores the turns.
  public private(set) var turnLog: any TurnLog
  /// The mailbox that receives the log's events.
  public let mailbox: TurnLogMailbox
  /// The time at which acknowledgements, deltas and effects are released.
  public let durability: Durability
  /// The starting point of the hub.
  private(set) var history: HubHistory
  /// The place of the journal; nil for a custom log.
  var place: JournalPlace?
  /// True if the log has just been created.
  var isNew = false
  /// The log that is shared with other hubs; nil if there is none.
  private(set) var replication: (any ReplicatedLog)?
  /// The numbers of the hub's users.
  private(set) var userNumbers = UserNumbers.shared
  /// The place in the shared log at which the journal ended; nil for a journal of one machine.
  private(set) var placeInLog: [UInt8]?
  /// The journal on this machine; nil for another log.
  private(set) var journal: Journal?
  /// The change of the log's schema to that of the feature; nil if it has that.
  private(set) var schemaChange: SchemaChange?
  private let finish: @Sendable () -> Void

  /// Creates a recording with a custom log.
  ///
  /// - Parameters:
  ///   - turnLog: The log, which posts its events to the mailbox.
  ///   - mailbox: The mailbox.
  ///   - history: The starting point of the hub. The state of its engine must be the one at the end of the log.
  ///   - durability: The time at which acknowledgements, deltas and effects are released.
  ///   - finish: Closes the log.
  public init(
    turnLog: any TurnLog, mailbox: TurnLogMailbox, history: HubHistory, durability: Durability,
    finish: @escaping @Sendable () -> Void = {}
  ) {
    (self.turnLog, self.mailbox, self.history) = (turnLog, mailbox, history)
    (self.durability, self.finish) = (durability, finish)
  }

  /// The same recording for a hub that shares its log with others; the journal on this machine is a copy.
  func replicated(by log: any ReplicatedLog, numbering users: UserNumbers = .shared) -> Recording {
    var recording = self
    recording.userNumbers = users
    (recording.turnLog, recording.replication) = (log, log)
    recording.history = history.replicated(as: log.historyID)
    return recording
  }

  /// Stores all waiting turns and closes the log. Call it after the hub has stopped.
  ///
  /// - Returns: The error because of which the log could not be closed in order, if any. Everything that was
  ///   acknowledged is stored in any case.
  @discardableResult
  public func close() -> LogError? {
    replication?.leave()
    finish()
    for case .failed(let error) in mailbox.take() { return error }
    return nil
  }
}

/// The reasons why a hub cannot continue from its journal.
public nonisolated enum RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The journal cannot be read or written.
  case log(LogError)
  /// The journal is intact, but does not contain a state of this feature.
  case recovery(RecoveryError, directory: String)
  /// The journal is intact, and another version of the program, whose state this one cannot use, has continued it.
  ///
  /// The revision is the last one that was written with this program's schema, to which a repair can go back.
  case laterVersion(RecoveryError, lastOwnRevision: UInt64, directory: String)
  /// The journal was written for this feature, and a state in it cannot be read.
  ///
  /// The revision is the last one that can be read; nil if the snapshot cannot.
  case unreadable(RecoveryError, readableRevision: UInt64?, directory: String)
  /// The feature's initial state could not be read back from a journal.
  case initialState(WireError)

  /// The problem, and the remedy.
  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .recovery(.incompatible(let difference), let directory):
      """
      the journal in \(directory) does not fit this program's feature: \(difference); or declare a migration, start the \
      version of the program that wrote it, or begin anew with another --state-dir
      """
    case .recovery(let error, let directory):
      """
      \(error); start the version of the program that wrote \(directory), or begin anew with another --state-dir
      """
    case .laterVersion(let error, let revision, let directory):
      """
      another version of the program has continued the journal in \(directory), and \(error); start that version, or go \
      back: `storectl journal repair --state-dir \(directory) --to \(revision)` copies the files and discards what was \
      done since revision \(revision), the last one of this version
      """
    case .unreadable(let error, let revision?, let directory):
      """
      \(error); all before it can be read, up to revision \(revision). If another version of the program wrote \
      \(directory), start that one; otherwise `storectl journal repair --state-dir \(directory) --to \(revision)` copies \
      the files and discards what follows
      """
    case .unreadable(let error, nil, let directory):
      """
      \(error); `storectl journal verify --state-dir \(directory)` shows the last revision that can be read. If another \
      version of the program wrote it, start that one
      """
    case .initialState(let error): HubError.unreadableInitialState("\(error.problem)").description
    }
  }
}

extension Recording {
  /// A warning for a journal whose last turn is later than the machine's clock by more than a minute; nil for another one.
  ///
  /// - Parameters:
  ///   - last: The time of the last turn, in milliseconds since 1970.
  ///   - now: The machine's time, in milliseconds since 1970.
  static func aheadOfClock(_ last: Int64, now: Int64) -> String? {
    guard now >= 0, last - 60_000 > now else { return nil }
    return """
      the last turn is \(counted((last - now) / 1000, "second")) later than this machine's clock; times \
      never go backwards, so all turns have its time, and `\\.date` in the reducer stands still, until the clock is there. \
      Check the clock; to get rid of turns with wrong times, stop the hub and run \
      `storectl journal repair --state-dir DIR --to REVISION`
      """
  }

  /// The number of turns between two reports of a recovery's progress.
  private static var progressInterval: UInt64 { 100_000 }

  /// The time for which a node of a cluster collects turns for one commit of its journal.
  ///
  /// The log that the nodes share makes turns durable, and keeps them until the journals have them. A commit for each of
  /// its entries would only take the disk's time from that log, which often is on the same disk.
  private static let copyWindow = Duration.milliseconds(20)

  /// Opens the journal in a directory, or creates one, and restores an engine to its last state.
  ///
  /// - Parameters:
  ///   - engine: The feature, at revision 0.
  ///   - directory: The journal's directory. It is created if its parent directory exists.
  ///   - durability: The time at which acknowledgements, deltas and effects are released.
  ///   - window: In async mode, the time after which a turn is stored at the latest.
  ///   - limits: The hub's limits. The journal keeps at least as many sessions as the hub does.
  ///   - isReplicated: True if the journal is the copy of a log that several hubs share, and that makes turns durable. Its
  ///     commits are then 20 ms apart, and the hub that leads converts its state to another schema, so that the others have
  ///     the same.
  ///   - log: The operator's log.
  ///   - onProgress: Called now and then with the number of turns that were read and the total.
  /// - Throws: The reason why the journal cannot be used. If its state does not fit the feature, or is damaged, nothing
  ///   was changed, and the program that wrote it can still read it.
  /// - Complexity: O(size of the newest snapshot + later turns).
  public static func open<State, Action>(
    _ engine: FeatureEngine<State, Action>, directory: String, durability: Durability = .sync,
    window: Duration = .milliseconds(100), limits: HubLimits = HubLimits(), isReplicated: Bool = false, log: Log,
    onProgress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(RecordingError) -> Recording {
    var options = JournalOptions()
    options.commits =
      switch durability {
      case .sync: isReplicated ? .async(window: copyWindow) : .sync
      case .async: .async(window: window)
      }
    options.sessionLimit = max(options.sessionLimit, limits.sessionCount)
    if isReplicated { options.sessionLimit = max(options.sessionLimit, StoredSessions.limit) }
    do throws(RecordingError) {
      return try open(
        engine, directory: directory, options, durability: durability, isReplicated: isReplicated, log: log, onProgress)
    } catch {
      // A node alone cannot go back: its journal would leave the log of its cluster.
      if isReplicated, case .laterVersion(let reason, _, let directory) = error {
        throw .recovery(reason, directory: directory)
      }
      throw error
    }
  }

  /// Opens a journal with other options.
  static func open<State, Action>(
    _ engine: FeatureEngine<State, Action>, directory: String, _ options: JournalOptions, durability: Durability,
    isReplicated: Bool, log: Log, _ onProgress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(RecordingError) -> Recording {
    let mailbox = TurnLogMailbox()
    let opening: JournalOpening
    do throws(LogError) { opening = try JournalOpening(directory: directory, options: options) } catch {
      throw .log(error)
    }
    let history = opening.history
    var recovery = try recover(engine, from: history, in: directory, log, onProgress)
    if history.snapshot == nil, history.tail == 0 {
      do throws(WireError) { try engine.readBack() } catch { throw .initialState(error) }
    }
    if isReplicated, let source = recovery.foreignSchema {
      return try standBy(from: source, recovery, opening, mailbox, durability, engine.schema, in: directory, log)
    }
    let conversion = try renumber(&recovery, engine.schema, history, in: directory)
    let journal: Journal
    do throws(LogError) { journal = try opening.start { mailbox.post($0) } } catch { throw .log(error) }
    do throws(RecordingError) {
      journal.begin(schema: engine.schema)
      if let conversion { journal.append([conversion]) }
      // The initial state, and the first state with another schema, are saved, so that a journal can be read without
      // the program that wrote it.
      if conversion != nil || history.snapshot?.schema != engine.schema {
        try save(recovery.snapshot(), in: journal, mailbox)
      }
      for note in history.notes { log.write(.warning, "\(directory): \(note)") }
      if !isReplicated, history.place != nil { log.write(.warning, "\(directory): \(copyOfCluster)") }
      if let ahead = aheadOfClock(history.time, now: wallTime()) { log.write(.warning, "\(directory): \(ahead)") }
      if conversion != nil, let migration = recovery.migration {
        let repair = "storectl journal repair --state-dir \(directory) --to \(recovery.revision - 1)"
        log.write(
          .warning,
          """
          \(directory): the state was migrated (\(migration.names.joined(separator: ", "))); to go back, stop the hub, \
          run `\(repair)`, and start the program that wrote it
          """,
          Log.Details(
            .migrated,
            [
              "FROM": "\(migration.source.fingerprint)", "TO": "\(migration.target.fingerprint)",
              "REVISION": "\(recovery.revision)",
            ]))
      }
      if !recovery.droppedFields.isEmpty {
        let fields = recovery.droppedFields.joined(separator: ", ")
        let repair = "storectl journal repair --state-dir \(directory) --to \(recovery.revision - 1)"
        log.write(
          .warning,
          """
          \(directory): the stored state had \(fields), which this feature does not have; to get it back, stop the hub, \
          run `\(repair)`, and start the program that wrote it
          """)
      }
      if recovery.droppedEffectCount > 0 {
        let effects = recovery.droppedEffectCount == 1 ? "1 effect" : "\(recovery.droppedEffectCount) effects"
        log.write(
          .warning,
          "\(directory): \(effects) of the previous version cannot be restarted: this feature does not have the action")
      }
      // In async mode a crash may lose turns that clients have seen.
      let id = durability == .sync ? history.epoch.low : .random(in: 0 ... .max)
      var recording = Recording(
        turnLog: journal, mailbox: mailbox,
        history: recovery.history(
          id: id, sessions: history.sessions, time: history.time, region: isReplicated ? lastRegion(history) : nil),
        durability: durability
      ) { journal.close() }
      (recording.isNew, recording.journal) = (history.isNew, journal)
      recording.placeInLog = history.place
      recording.place = JournalPlace(directory: directory)
      return recording
    } catch {
      journal.close()
      throw error
    }
  }

  /// The calendar, the time zone and the locale of the last turn; nil if it is not kept any more.
  private static func lastRegion(_ history: JournalHistory) -> RegionalSettings? {
    history.tail == 0 ? nil : (try? history.turns(from: history.tail))?.last?.region
  }

  private static let copyOfCluster =
    """
    the journal is a copy of a cluster's log, but this hub has no section [cluster]: what it stores from now on never \
    gets into the cluster, nor back into this node
    """

  /// Opens the journal of a log that several hubs share, and that has another schema than the feature.
  private static func standBy(
    from source: Schema, _ recovery: consuming Recovery, _ opening: consuming JournalOpening, _ mailbox: TurnLogMailbox,
    _ durability: Durability, _ own: Schema, in directory: String, _ log: Log
  ) throws(RecordingError) -> Recording {
    let history = opening.history
    let change: SchemaChange
    do throws(RecoveryError) { change = try SchemaChange(from: source, to: own, recovery) } catch {
      throw failure(error, source, of: own, history, readable: nil, in: directory)
    }
    let journal: Journal
    do throws(LogError) { journal = try opening.start { mailbox.post($0) } } catch { throw .log(error) }
    journal.begin(schema: source)
    for note in history.notes { log.write(.warning, "\(directory): \(note)") }
    if !change.droppedFields.isEmpty {
      let fields = change.droppedFields.joined(separator: ", ")
      log.write(
        .warning,
        "\(directory): the state of the cluster has \(fields), which this version does not have: they are lost if it leads"
      )
    }
    var recording = Recording(
      turnLog: journal, mailbox: mailbox, history: HubHistory(position: history.tail), durability: durability
    ) { journal.close() }
    (recording.journal, recording.placeInLog, recording.schemaChange) = (journal, history.place, change)
    recording.place = JournalPlace(directory: directory)
    return recording
  }

  private static func recover<State, Action>(
    _ engine: FeatureEngine<State, Action>, from history: JournalHistory, in directory: String,
    _ log: Log, _ onProgress: (UInt64, UInt64) -> Void
  ) throws(RecordingError) -> Recovery {
    var recovery = Recovery(of: engine)
    recovery.onMigration = { chain in
      // Before a step can end the process.
      let steps = chain.names.joined(separator: ", ")
      log.write(.info, "\(directory): migrating the state of schema \(chain.source.fingerprint): \(steps)")
      log.flush()
    }
    guard history.snapshot != nil || history.tail == 0 else {
      let reason = "there are turns, but no sound snapshot before them; `storectl journal export` shows the turns"
      throw .log(LogError(.damaged, "\(directory): \(reason)"))
    }
    do throws(RecoveryError) {
      if let snapshot = history.snapshot {
        try recovery.restore(
          snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
          position: snapshot.position, effects: snapshot.effects)
      }
    } catch {
      throw failure(error, history.snapshot?.schema, of: engine.schema, history, readable: nil, in: directory)
    }
    while let turn = try next(of: history) {
      let schema = history.schemas[turn.schema].schema
      do throws(RecoveryError) {
        try recovery.apply(
          delta: turn.delta.span.bytes, writtenFor: schema, from: turn.baseRevision, to: turn.revision,
          position: turn.position, byteCount: turn.byteCount, effects: turn.effects)
      } catch {
        throw failure(error, schema, of: engine.schema, history, readable: recovery.revision, in: directory)
      }
      if turn.position % progressInterval == 0 { onProgress(history.progress.done, history.progress.total) }
    }
    return recovery
  }

  /// - Parameters:
  ///   - stored: The schema of the bytes that cannot be used.
  ///   - own: The program's schema.
  private static func failure(
    _ error: RecoveryError, _ stored: Schema?, of own: Schema, _ history: JournalHistory, readable: UInt64?,
    in directory: String
  ) -> RecordingError {
    if case .incompatible = error { return refusal(error, own, history, in: directory) }
    guard stored == own else { return refusal(error, own, history, in: directory) }
    return .unreadable(error, readableRevision: readable, directory: directory)
  }

  private static func refusal(
    _ error: RecoveryError, _ own: Schema, _ history: JournalHistory, in directory: String
  ) -> RecordingError {
    guard let revision = lastRevision(of: own, in: history, directory) else {
      return .recovery(error, directory: directory)
    }
    return .laterVersion(error, lastOwnRevision: revision, directory: directory)
  }

  /// The last revision with a schema that was followed by another one, if the journal still has that state.
  private static func lastRevision(of schema: Schema, in history: JournalHistory, _ directory: String) -> UInt64? {
    // One that a repair has left without turns is followed by another one at the same turn.
    let schemas = history.schemas
    let own = schemas.indices.dropLast().last {
      schemas[$0].schema == schema && schemas[$0].firstPosition < schemas[$0 + 1].firstPosition
    }
    guard let index = own else { return nil }
    // The first turn with the next schema is the conversion.
    let end = history.schemas[index + 1].firstPosition - 1
    do throws(LogError) {
      let reader = try JournalReader(directory)
      guard let snapshot = try reader.snapshots().last(where: { $0.position <= end }) else { return nil }
      if snapshot.position == end { return snapshot.revision }
      return try reader.read(from: end, byteLimit: 1).first?.revision
    } catch {
      // The reason for the refusal is another one.
      return nil
    }
  }

  private static func renumber(
    _ recovery: inout Recovery, _ own: Schema, _ history: JournalHistory, in directory: String
  ) throws(RecordingError) -> LoggedTurn? {
    do throws(RecoveryError) { return try recovery.renumber(at: wallTime()) } catch {
      throw refusal(error, own, history, in: directory)
    }
  }

  private static func next(of history: JournalHistory) throws(RecordingError) -> JournalHistory.Turn? {
    do throws(LogError) { return try history.next() } catch { throw .log(error) }
  }

  /// Saves a snapshot, and waits until it is saved.
  private static func save(
    _ snapshot: LogSnapshot, in journal: Journal, _ mailbox: TurnLogMailbox
  ) throws(RecordingError) {
    journal.save(snapshot)
    while true {
      var isSaved = false
      // Also what follows in the same batch: the log may have failed right afterwards.
      for event in mailbox.waitForEvents() {
        switch event {
        case .saved: isSaved = true
        // The service waits and tries again, instead of a start without an end.
        case .snapshotFailed(let error), .failed(let error), .blocked(let error): throw .log(error)
        case .stored, .conflict, .unblocked: break
        }
      }
      if isSaved { return }
    }
  }
}
