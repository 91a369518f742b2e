import TurnLog
import Wire

/// The stored part of a log, which survives the processes that write it.
final class SimulatedDisk {
  /// A stored turn.
  struct Entry {
    var turn: LoggedTurn
    /// The schema of the hub that wrote it.
    let schema: Schema
    /// The effects that outlive the hub and are in flight after the turn, in ascending order; nil if not known exactly.
    var promises: [UInt64]?
  }

  /// A stored snapshot.
  struct Snapshot {
    let position: UInt64
    let revision: UInt64
    let bytes: [UInt8]
    let effects: EffectsInFlight
    let schema: Schema
  }

  /// The turns, except those that were trimmed.
  private(set) var stored: [Entry] = []
  private(set) var snapshots: [Snapshot] = []
  /// The sessions after the stored turns, least recently used first.
  private(set) var sessions: [LoggedSession] = []
  /// For a planted bug: the sessions as they first were.
  private var firstSessions: [LoggedSession] = []
  private(set) var storedRevision: UInt64 = 0
  private(set) var tail: UInt64 = 0
  /// The effects that outlive the hub and are in flight after the last turn; nil if not known exactly.
  private(set) var promises: [UInt64]?
  /// The truth of the hub that stored the last turn.
  private(set) var truth: HubTruth
  let bug: PlantedBug?

  init(_ truth: HubTruth, bug: PlantedBug?) { (self.truth, self.bug) = (truth, bug) }

  /// Appends a turn, of a hub with this truth.
  func store(_ entry: Entry, _ truth: HubTruth) {
    var entry = entry
    if bug == .logForgetsEndedEffects { entry.turn.effects.ended = [] }
    stored.append(entry)
    promises = entry.promises
    (tail, storedRevision, self.truth) = (entry.turn.position, entry.turn.revision, truth)
    for session in entry.turn.sessions {
      sessions.store(session)
      if !firstSessions.contains(where: { $0.id == session.id }) { firstSessions.append(session) }
    }
  }

  func save(_ snapshot: Snapshot) { snapshots.append(snapshot) }

  func read(from position: UInt64) throws(LogError) -> [LoggedTurn] {
    guard position > tail || position >= stored.first?.turn.position ?? 1 else {
      throw LogError(.trimmed, "turn \(position) is not kept")
    }
    return stored.map(\.turn).filter { $0.position >= position }
  }

  func trim(before position: UInt64) { stored.removeAll { $0.turn.position < position } }

  /// For a planted bug: removes the turns after a position.
  func removeTurns(after position: UInt64) {
    stored.removeAll { $0.turn.position > position }
    adjustTail()
  }

  /// Damages the disk, for planted bugs, after a hub has crashed.
  func crashed() {
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
    adjustTail()
  }

  private func adjustTail() {
    (tail, storedRevision) = (stored.last?.turn.position ?? 0, stored.last?.turn.revision ?? 0)
    snapshots.removeAll { $0.position > tail }
  }

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

extension [LoggedSession] {
  /// Replaces a session, or removes it if it has ended.
  mutating func store(_ session: LoggedSession) {
    var last = session
    if let index = firstIndex(where: { $0.id == session.id }) {
      last = remove(at: index)
      last.advance(to: session)
    }
    if !last.hasEnded { append(last) }
  }
}
