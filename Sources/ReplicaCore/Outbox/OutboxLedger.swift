import Wire

/// What the outbox of a replica has stored, and what has changed since.
struct OutboxLedger {
  /// The session as it is stored.
  private(set) var stored: OutboxSession
  /// The pending actions up to this number are stored.
  private(set) var lastStored: UInt64
  /// The actions up to this number are in the outbox, perhaps still in another schema.
  private(set) var lastKept: UInt64
  /// The number of the last action of an earlier process, or 0, until the first session.
  var lastRestored: UInt64?
  /// True if the shell has been asked to store, and has not answered.
  private(set) var isStoring = false
  /// The time before which storing is not tried again, because it has failed.
  private(set) var retryAt: Duration?
  /// What the outcomes of actions have changed since the last `take`.
  private var outcomes: Outcomes
  /// The changes that are being stored.
  private var taken: OutboxChanges?

  private struct Outcomes {
    var replacesAll = false
    var settled: UInt64 = 0
    var removed: [UInt64] = []
    var refused: [UInt64] = []
    var isEmpty: Bool { !replacesAll && settled == 0 && removed.isEmpty && refused.isEmpty }
  }

  /// - Parameter isRewritten: True if the stored contents are of another schema.
  init(_ contents: OutboxContents, isRewritten: Bool) {
    stored = contents.session
    let last = contents.actions.last?.action.number ?? 0
    (lastRestored, lastStored, lastKept) = (last, isRewritten ? 0 : last, last)
    outcomes = Outcomes(replacesAll: isRewritten)
  }

  /// The number of the last action that may be sent in a session: its record, and that it may have been sent, are stored.
  func lastPermitted(in session: SessionID?) -> UInt64 {
    session == stored.session && !outcomes.replacesAll && taken?.replacesAll != true ? stored.lastSent : 0
  }

  /// True if actions have failed whose numbers in the session later ones get, and that is not stored.
  var changesNumbers: Bool { !outcomes.removed.isEmpty || taken.map { !$0.removed.isEmpty } ?? false }

  // MARK: Outcomes

  /// Records that all actions up to a number have outcomes.
  mutating func settle(through number: UInt64) { outcomes.settled = max(outcomes.settled, number) }

  /// Records that an action has failed without being sent.
  mutating func remove(_ number: UInt64) { outcomes.removed.append(number) }

  /// Records that the hub has rejected an action.
  mutating func refuse(_ number: UInt64) { outcomes.refused.append(number) }

  // MARK: Storing

  /// Asks the shell to store, unless it is already, or there is nothing to store.
  ///
  /// - Parameters:
  ///   - session: The session as it is now.
  ///   - last: The number of the last pending action; 0 without one.
  ///   - now: The time; nil to try again even if it has failed just now.
  /// - Returns: True if the shell must be asked.
  mutating func request(_ session: OutboxSession, last: UInt64, at now: Duration?) -> Bool {
    if let retryAt, let now, now < retryAt { return false }
    retryAt = nil
    guard !isStoring, !outcomes.isEmpty || session != stored || last > lastStored else { return false }
    isStoring = true
    return true
  }

  /// The changes to store now.
  mutating func take(_ session: OutboxSession, last: UInt64) -> OutboxChanges {
    let changes = OutboxChanges(
      replacesAll: outcomes.replacesAll, session: session,
      mustReachDisk: session.session != stored.session || !outcomes.removed.isEmpty || !outcomes.refused.isEmpty,
      settled: outcomes.settled, removed: outcomes.removed, refused: outcomes.refused,
      added: last > lastStored ? lastStored + 1...last : nil)
    taken = changes
    outcomes = Outcomes()
    return changes
  }

  /// Records that the taken changes are stored.
  mutating func storedTaken() {
    if let taken {
      stored = taken.session
      if let last = taken.added?.upperBound { (lastStored, lastKept) = (last, last) }
    }
    (taken, isStoring, retryAt) = (nil, false, nil)
  }

  /// Records that they are not; they are part of the next ones.
  mutating func failedTaken(retryingAt time: Duration) {
    if let taken {
      outcomes.replacesAll = outcomes.replacesAll || taken.replacesAll
      outcomes.settled = max(outcomes.settled, taken.settled)
      outcomes.removed = taken.removed + outcomes.removed
      outcomes.refused = taken.refused + outcomes.refused
    }
    (taken, isStoring, retryAt) = (nil, false, time)
  }
}
