import TurnLog
import Wire

/// A log on a simulated disk. It stores turns when the simulation decides, and loses unstored ones when its hub
/// crashes.
///
/// Unchecked: a simulation runs on one thread.
final class SimulatedLog: TurnLog, @unchecked Sendable {
  struct Entry {
    var turn: LoggedTurn
    /// The schema of the hub that wrote it.
    let schema: Schema
  }

  struct Snapshot {
    let position: UInt64
    let revision: UInt64
    let bytes: [UInt8]
    let schema: Schema
  }

  /// The turns on the disk, except those that were trimmed.
  private(set) var stored: [Entry] = []
  /// The turns that wait for a commit.
  private(set) var unsynced: [Entry] = []
  private(set) var snapshots: [Snapshot] = []
  /// The sessions after the stored turns, least recently used first.
  private(set) var sessions: [LoggedSession] = []
  /// For a planted bug: the sessions as they first were.
  private var firstSessions: [LoggedSession] = []
  private(set) var storedRevision: UInt64 = 0
  private(set) var tail: UInt64 = 0
  private(set) var isFailed = false
  private var saving: (snapshot: LogSnapshot, next: (Int) -> [UInt8]?, bytes: [UInt8])?
  private var events: [LogEvent] = []
  /// The schema of the current hub.
  var schema: Schema
  let bug: PlantedBug?

  init(schema: Schema, bug: PlantedBug?) { (self.schema, self.bug) = (schema, bug) }

  // MARK: TurnLog

  func append(_ turns: [LoggedTurn]) {
    for turn in turns {
      let last = unsynced.last?.turn.position ?? tail
      precondition(turn.position == last + 1, "a hub hands turn \(turn.position) to a log that ends at \(last)")
      unsynced.append(Entry(turn: turn, schema: schema))
    }
    if bug == .logSaysStoredTooEarly, let last = turns.last { events.append(.stored(upTo: last.position)) }
  }

  func save(_ snapshot: LogSnapshot) {
    precondition(saving == nil, "one snapshot is saved at a time")
    saving = (snapshot, snapshot.makePieces(), [])
  }

  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] {
    guard position > tail || position >= stored.first?.turn.position ?? 1 else {
      throw LogError(.trimmed, "turn \(position) is not kept")
    }
    return stored.map(\.turn).filter { $0.position >= position }
  }

  func trim(before position: UInt64) { stored.removeAll { $0.turn.position < position } }

  // MARK: Disk

  /// True if there are turns to store or events to report.
  var isBusy: Bool { !unsynced.isEmpty || !events.isEmpty || saving != nil }

  var isSaving: Bool { saving != nil }

  /// Takes the events since the last call, in order; of several `stored` events only the last one is kept.
  func takeEvents() -> [LogEvent] {
    defer { events = [] }
    return events
  }

  /// Stores waiting turns.
  func commit(_ count: Int) {
    guard !isFailed, count > 0, !unsynced.isEmpty else { return }
    for entry in unsynced.prefix(count) { store(entry) }
    unsynced.removeFirst(min(count, unsynced.count))
    if case .stored = events.last { events.removeLast() }
    events.append(.stored(upTo: tail))
  }

  /// Makes the log fail, so that it stores nothing more.
  func fail() {
    guard !isFailed else { return }
    isFailed = true
    if bug == .shellIgnoresAFailedLog {
      if let last = unsynced.last { events.append(.stored(upTo: last.turn.position)) }
    } else {
      events.append(.failed(LogError(.storage, "the simulated disk is full")))
    }
  }

  /// Saves a piece of a snapshot; returns true if it was the last one.
  func savePiece(limit: Int, fails: Bool, trims: Bool) -> Bool {
    guard let current = saving, !isFailed else { return false }
    if let piece = current.next(limit) {
      saving?.bytes += piece
      return false
    }
    saving = nil
    guard !fails else {
      events.append(.snapshotFailed(LogError(.storage, "the simulated disk has no room for a snapshot")))
      return false
    }
    var (position, revision) = (current.snapshot.position, current.snapshot.revision)
    if bug == .snapshotHasALaterPosition, let last = stored.last?.turn, last.position > position {
      (position, revision) = (last.position, last.revision)
    }
    snapshots.append(Snapshot(position: position, revision: revision, bytes: current.bytes, schema: schema))
    if trims { trim(before: position + 1) }
    events.append(.saved(revision: current.snapshot.revision))
    return true
  }

  /// Ends the hub's process. Of the unstored turns, `count` have reached the disk nevertheless.
  func crash(surviving count: Int) {
    for entry in unsynced.prefix(count) { store(entry) }
    forget()
    switch bug {
    case .logLosesTheLastTurn where stored.count > 1:
      stored.removeLast()
    case .logLosesAMiddleTurn where stored.count > 2:
      let lost = stored.remove(at: stored.count / 2)
      for index in stored.count / 2..<stored.count { stored[index].turn.position -= 1 }
      stored[stored.count / 2].turn.baseRevision = lost.turn.baseRevision
      if stored.count / 2 < stored.count { snapshots.removeAll { $0.position >= lost.turn.position } }
    default: return
    }
    (tail, storedRevision) = (stored.last?.turn.position ?? 0, stored.last?.turn.revision ?? 0)
    snapshots.removeAll { $0.position > tail }
  }

  /// Closes the log after storing all turns.
  func close() {
    precondition(unsynced.isEmpty, "a hub stops when its log has stored everything")
    forget()
  }

  private func forget() { (unsynced, events, saving, isFailed) = ([], [], nil, false) }

  private func store(_ entry: Entry) {
    stored.append(entry)
    (tail, storedRevision) = (entry.turn.position, entry.turn.revision)
    for session in entry.turn.sessions {
      sessions.removeAll { $0.id == session.id }
      if !session.hasEnded { sessions.append(session) }
      if !firstSessions.contains(where: { $0.id == session.id }) { firstSessions.append(session) }
    }
  }

  /// The processed sequence number of a session on the disk.
  func processed(_ session: SessionID) -> UInt64? { sessions.first { $0.id == session }?.processed }

  /// The sessions for a starting hub.
  var recoveredSessions: [LoggedSession] {
    switch bug {
    case .recoveryForgetsSessions: []
    case .recoveryForgetsProcessed:
      sessions.map {
        var session = $0
        session.processed = 0
        return session
      }
    case .recoveryTakesOldSessions: firstSessions
    default: sessions
    }
  }
}
