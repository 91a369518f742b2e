public import HubCore
internal import Journal
public import TurnLog

/// How a hub is recorded, so that it goes on after a restart where it was.
///
/// ```swift
/// let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
/// let recording = try Recording.open(engine, directory: "/var/lib/storehub", log: log)
/// let server = try HubServer(engine, recording: recording, loop: loop, path: path, log: log)
/// loop.run()
/// recording.close()
/// ```
public struct Recording {
  /// Where turns are stored.
  public let log: any TurnLog
  /// Where the log's events come in.
  public let mailbox: LogMailbox
  /// When acknowledgements, deltas and effects leave.
  public let durability: Durability
  /// What the hub goes on from.
  let history: HubHistory
  private let finish: @Sendable () -> Void

  /// A recording in a log of one's own.
  ///
  /// - Parameters:
  ///   - log: The log, which posts its events to the mailbox.
  ///   - mailbox: The mailbox.
  ///   - history: What the hub goes on from: the state of its engine must be that of the log's end.
  ///   - durability: When acknowledgements, deltas and effects leave.
  ///   - finish: Closes the log.
  public init(
    log: any TurnLog, mailbox: LogMailbox, history: HubHistory, durability: Durability,
    finish: @escaping @Sendable () -> Void = {}
  ) {
    (self.log, self.mailbox, self.history) = (log, mailbox, history)
    (self.durability, self.finish) = (durability, finish)
  }

  /// Writes what waits, and closes the log; after the hub has stopped.
  public func close() { finish() }
}

/// Why a hub cannot go on where it was.
public nonisolated enum RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The journal cannot be read or written.
  case log(LogError)
  /// The journal is sound, but does not give a state of this feature.
  case recovery(RecoveryError, directory: String)

  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .log(let error): "\(error)"
    case .recovery(let error, let directory):
      """
      \(error); start the version of the program that wrote \(directory), or begin anew with another --state-dir
      """
    }
  }
}

extension Recording {
  /// How often the progress of a recovery is told, in turns.
  private static var progressInterval: UInt64 { 100_000 }

  /// Opens the journal in a directory, or creates one, and brings an engine to the state that it holds.
  ///
  /// - Parameters:
  ///   - engine: The feature, at revision 0.
  ///   - directory: The journal's directory. It is created; the directories above it must be there.
  ///   - durability: When acknowledgements, deltas and effects leave.
  ///   - window: In async mode, the time after which a turn is stored at the latest.
  ///   - log: The operator's log.
  ///   - onProgress: Is told how many turns of how many were read, now and then.
  /// - Throws: Why the journal cannot be used. No turn has been changed then.
  /// - Complexity: O(size of the newest snapshot + turns behind it).
  public static func open<State, Action>(
    _ engine: FeatureEngine<State, Action>, directory: String, durability: Durability = .sync,
    window: Duration = .milliseconds(100), log: Log,
    onProgress: (_ done: UInt64, _ total: UInt64) -> Void = { _, _ in }
  ) throws(RecordingError) -> Recording {
    let mailbox = LogMailbox()
    var options = JournalOptions()
    options.durability = durability == .sync ? .sync : .async(window: window)
    let (journal, history): (Journal, JournalHistory)
    do throws(LogError) {
      (journal, history) = try Journal.open(directory: directory, options: options) { mailbox.post($0) }
    } catch { throw .log(error) }
    do throws(RecordingError) {
      let recovery = try recover(engine, from: history, in: directory, onProgress)
      journal.begin(schema: engine.schema)
      // The state at the beginning, and the first one of another schema, are not left to the program that reads them.
      if history.snapshot?.schema != engine.schema { try save(recovery.snapshot(), in: journal, mailbox) }
      for note in history.notes { log.write(.warning, "\(directory): \(note)") }
      // In async mode the end of a process may lose what clients have seen.
      let id = durability == .sync ? history.epoch.low : .random(in: 0 ... .max)
      return Recording(
        log: journal, mailbox: mailbox, history: recovery.history(id: id, sessions: history.sessions),
        durability: durability
      ) { journal.close() }
    } catch {
      journal.close()
      throw error
    }
  }

  private static func recover<State, Action>(
    _ engine: FeatureEngine<State, Action>, from history: JournalHistory, in directory: String,
    _ onProgress: (UInt64, UInt64) -> Void
  ) throws(RecordingError) -> Recovery {
    var recovery = Recovery(of: engine)
    guard history.snapshot != nil || history.tail == 0 else {
      let reason = "there are turns, but no sound snapshot before them; `storehubd journal export` shows the turns"
      throw .log(LogError(.damaged, "\(directory): \(reason)"))
    }
    do throws(RecoveryError) {
      if let snapshot = history.snapshot {
        try recovery.restore(
          snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
          position: snapshot.position)
      }
    } catch { throw .recovery(error, directory: directory) }
    while let turn = try next(of: history) {
      do throws(RecoveryError) {
        try recovery.apply(
          delta: turn.delta.span.bytes, writtenFor: history.schemas[turn.schema].schema, from: turn.baseRevision,
          to: turn.revision, position: turn.position)
      } catch { throw .recovery(error, directory: directory) }
      if turn.position % progressInterval == 0 { onProgress(history.progress.done, history.progress.total) }
    }
    return recovery
  }

  private static func next(of history: JournalHistory) throws(RecordingError) -> JournalHistory.Turn? {
    do throws(LogError) { return try history.next() } catch { throw .log(error) }
  }

  /// Saves a snapshot, and waits for it.
  private static func save(
    _ snapshot: LogSnapshot, in journal: Journal, _ mailbox: LogMailbox
  ) throws(RecordingError) {
    journal.save(snapshot)
    while true {
      for event in mailbox.waitForEvents() {
        switch event {
        case .saved: return
        case .snapshotFailed(let error), .failed(let error): throw .log(error)
        case .stored, .conflict: break
        }
      }
    }
  }
}
