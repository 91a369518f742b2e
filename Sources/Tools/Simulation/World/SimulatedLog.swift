import TurnLog
import Wire

/// A hub's log on a simulated disk. It stores turns when the simulation decides, and loses unstored ones when its hub
/// crashes. Several hubs may have logs on one disk; a turn is then stored by the first one that appends at a position,
/// and the others report a conflict.
///
/// Unchecked: a simulation runs on one thread.
final class SimulatedLog: TurnLog, @unchecked Sendable {
  private let disk: SimulatedDisk
  private let schema: Schema
  private let truth: HubTruth
  private var bug: PlantedBug? { disk.bug }
  /// The turns that wait for a commit.
  private(set) var unsynced: [SimulatedDisk.Entry] = []
  /// The last turn that this log has stored or found, its revision, and the sessions after it.
  private(set) var tail: UInt64
  private(set) var storedRevision: UInt64
  private var sessions: [LoggedSession]
  private(set) var isFailed = false
  private var saving: (snapshot: LogSnapshot, next: (Int) -> [UInt8]?, bytes: [UInt8])?
  private var events: [LogEvent] = []

  /// What a hub stores before it serves a state that it has converted from another schema.
  struct Conversion {
    /// The turn that gives the state a new revision; nil for a planted bug.
    let turn: LoggedTurn?
    let snapshot: LogSnapshot
  }

  /// Opens the log on a disk, for a hub with this schema and truth.
  init(_ disk: SimulatedDisk, _ schema: Schema, _ truth: HubTruth) {
    (self.disk, self.schema, self.truth) = (disk, schema, truth)
    (tail, storedRevision, sessions) = (disk.tail, disk.storedRevision, disk.sessions)
  }

  // MARK: TurnLog

  func append(_ turns: [LoggedTurn]) { append(turns, promises: nil) }

  /// Appends turns, with what the oracle knows of the effects in flight after them.
  func append(_ turns: [LoggedTurn], promises: [UInt64]?) {
    for turn in turns {
      let last = unsynced.last?.turn.position ?? tail
      precondition(turn.position == last + 1, "a hub hands turn \(turn.position) to a log that ends at \(last)")
      unsynced.append(SimulatedDisk.Entry(turn: turn, schema: schema, promises: promises))
    }
    if bug == .logSaysStoredTooEarly, let last = turns.last { events.append(.stored(upTo: last.position)) }
  }

  func save(_ snapshot: LogSnapshot) {
    precondition(saving == nil, "one snapshot is saved at a time")
    saving = (snapshot, snapshot.makePieces(), [])
  }

  func read(from position: UInt64, byteLimit: Int) throws(LogError) -> [LoggedTurn] { try disk.read(from: position) }

  func trim(before position: UInt64) { disk.trim(before: position) }

  // MARK: Disk

  /// Stores a conversion before the hub begins.
  func store(_ conversion: Conversion) {
    if let turn = conversion.turn { store(SimulatedDisk.Entry(turn: turn, schema: schema, promises: disk.promises)) }
    let (snapshot, next) = (conversion.snapshot, conversion.snapshot.makePieces())
    var bytes: [UInt8] = []
    while let piece = next(64 << 10) { bytes += piece }
    disk.save(
      SimulatedDisk.Snapshot(
        position: snapshot.position, revision: snapshot.revision, bytes: bytes, effects: snapshot.effects,
        schema: schema))
  }

  /// True if there are turns to store or events to report.
  var isBusy: Bool { !unsynced.isEmpty || !events.isEmpty || saving != nil }

  var isSaving: Bool { saving != nil }

  /// Takes the events since the last call, in order; of several `stored` events only the last one is kept.
  func takeEvents() -> [LogEvent] {
    defer { events = [] }
    return events
  }

  /// Stores waiting turns, or reports a conflict. Returns false for a conflict.
  @discardableResult
  func commit(_ count: Int) -> Bool {
    guard !isFailed, count > 0, !unsynced.isEmpty else { return true }
    guard !isOvertaken else {
      if bug == .shellIgnoresAConflict, let last = unsynced.last {
        events.append(.stored(upTo: last.turn.position))
        (tail, unsynced) = (last.turn.position, [])
      } else {
        isFailed = true
        events.append(.conflict(position: tail + 1, tail: disk.tail))
      }
      return false
    }
    for entry in unsynced.prefix(count) { store(entry) }
    unsynced.removeFirst(min(count, unsynced.count))
    if case .stored = events.last { events.removeLast() }
    events.append(.stored(upTo: tail))
    return true
  }

  /// True if another hub has appended a turn to the disk.
  var isOvertaken: Bool {
    guard disk.tail != tail else { return false }
    guard bug == .logReplacesTurnsOfAnotherHub else { return true }
    disk.removeTurns(after: tail)
    return false
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
    if bug == .snapshotHasALaterPosition, let last = disk.stored.last?.turn, last.position > position {
      (position, revision) = (last.position, last.revision)
    }
    disk.save(
      SimulatedDisk.Snapshot(
        position: position, revision: revision, bytes: current.bytes, effects: current.snapshot.effects, schema: schema)
    )
    if trims { trim(before: position + 1) }
    events.append(.saved(revision: current.snapshot.revision))
    return true
  }

  /// Ends the hub's process. Of the unstored turns, `count` have reached the disk nevertheless.
  func crash(surviving count: Int) {
    if count > 0, !isOvertaken { for entry in unsynced.prefix(count) { store(entry) } }
    forget()
    disk.crashed()
  }

  /// Closes the log after storing all turns.
  func close() throws {
    guard unsynced.isEmpty else {
      throw Violation(.seenBeforeStored, "a hub ends although its log has not stored everything")
    }
    forget()
  }

  private func forget() { (unsynced, events, saving, isFailed) = ([], [], nil, true) }

  private func store(_ entry: SimulatedDisk.Entry) {
    disk.store(entry, truth)
    (tail, storedRevision) = (entry.turn.position, entry.turn.revision)
    for session in entry.turn.sessions { sessions.store(session) }
  }

  /// The processed sequence number of a session that this log has stored or found.
  func processed(_ session: SessionID) -> UInt64? { sessions.first { $0.id == session }?.processed }
}
