import Wire

// An outbox lets another process continue the session. An action is sent only when it is stored, together with the mark
// that it may have been sent; it is removed when its outcome was reported. So whatever a process has sent, the next one
// knows, with its sequence number.

extension ReplicaCore {
  /// The time after which storing is tried again when it has failed.
  private static var outboxRetry: Duration { .seconds(1) }

  /// Gives the replica an outbox, with what an earlier process has stored. Call it before `start`, at most once.
  ///
  /// The replica then issues `ReplicaCommand.store`. The restored actions are pending; those whose failure was reported
  /// have no further outcome. Actions of a program with another schema are converted; one that this schema does not have
  /// fails with `ActionError.unreadable`, unless the hub has processed it already.
  ///
  /// - Parameters:
  ///   - contents: The stored contents.
  ///   - context: Returns the object that is returned with the outcome of an action, which has these bytes; they are
  ///     empty if it could not be converted.
  public mutating func restore(
    _ contents: OutboxContents, context: (_ ticket: ActionTicket, _ bytes: [UInt8]) -> AnyObject?
  ) {
    guard case .idle = link, pending.outbox == nil, pending.count == 0 else {
      preconditionFailure("an outbox is restored before the replica is started")
    }
    let isOfOtherSchema = contents.schema != nil && contents.schema != schema
    var mapping: SchemaMapping?
    if isOfOtherSchema, let theirs = contents.schema, let schema {
      mapping = try? SchemaMapping(from: theirs, to: schema, .action)
    }
    (session, history) = (contents.session.session, contents.session.history)
    for (action, stored) in contents.actions {
      let bytes = isOfOtherSchema ? mapping.flatMap { try? $0.mapValue(stored) } ?? [] : stored
      let ticket = ActionTicket(number: action.number)
      pending.restore(action, as: ticket, bytes, context: action.isRefused ? nil : context(ticket, bytes))
    }
    pending.restoreSession(contents.session)
    pending.outbox = OutboxLedger(contents, isRewritten: contents.schema == nil || isOfOtherSchema)
  }

  /// The changes to store now, for the command `store`. Answer with `outboxStored` or `outboxFailed` at once.
  public mutating func takeOutboxChanges() -> OutboxChanges? {
    let (session, last) = (outboxSession, pending.lastNumber)
    return pending.outbox?.take(session, last: last)
  }

  /// Calls a function with each action that changes of the outbox add.
  ///
  /// - Parameter body: The action and its bytes, which are valid during the call.
  public func forEachAddedAction<E: Error>(
    of changes: OutboxChanges, _ body: (OutboxAction, RawSpan) throws(E) -> Void
  ) throws(E) {
    if let range = changes.added { try pending.forEach(in: range, body) }
  }

  /// Records that the taken changes are stored, and sends the actions that may be sent now.
  public mutating func outboxStored(at now: Duration) {
    pending.outbox?.storedTaken()
    if case .stopped = link { return endOutbox() }
    endTurn(at: now)
  }

  /// Records that the taken changes could not be stored. The actions that are not stored fail; those that are, also as a
  /// program with another schema has stored them, stay pending, and storing is tried again after a second.
  public mutating func outboxFailed(reason: String, at now: Duration) {
    guard let last = pending.outbox?.lastKept else { return }
    pending.outbox?.failedTaken(retryingAt: now + Self.outboxRetry)
    pending.removeUnstored(after: last, .notStored(reason: reason), &commands)
    if case .stopped = link { pending.keepAll(&commands) }
  }

  /// True if the outbox could not store, and is to be tried again later.
  package var triesOutboxAgain: Bool { pending.outbox?.retryAt != nil }

  /// Asks the shell to store what has changed.
  ///
  /// - Parameter now: The time; nil to try again even if it has failed just now.
  mutating func storeChanges(at now: Duration?) {
    guard pending.outbox != nil else { return }
    let (session, last) = (outboxSession, pending.lastNumber)
    if pending.outbox?.request(session, last: last, at: now) == true { commands.append(.store) }
  }

  /// The session as it is to be stored: with an open connection, all pending actions may be sent.
  private var outboxSession: OutboxSession {
    var lastSent = pending.lastSentNumber
    if case .open(let open) = link, !open.isBusy, pending.unsentCount > 0 { lastSent = pending.lastNumber }
    return OutboxSession(
      session: session, history: history, acknowledged: pending.acknowledged, lastSent: lastSent)
  }

  /// True if actions may not be sent yet: they are not stored, or not as sent, or outcomes are not that the next frame
  /// acknowledges or that change the actions' numbers.
  var awaitsOutbox: Bool {
    guard let outbox = pending.outbox, pending.unsentCount > 0 else { return false }
    return pending.lastNumber > outbox.lastPermitted(in: session) || outbox.changesNumbers
      || pending.acknowledged != outbox.stored.acknowledged
  }

  /// The last sequence number that the hub may forget the outcome of.
  var acknowledgedAndStored: UInt64 {
    guard let stored = pending.outbox?.stored, stored.session == session else { return pending.acknowledged }
    return min(stored.acknowledged, pending.acknowledged)
  }

  /// Ends the use of the outbox, which keeps the pending actions.
  mutating func endOutbox() {
    storeChanges(at: nil)
    if pending.outbox?.isStoring == false { pending.keepAll(&commands) }
  }

  /// Leaves a session that has nothing pending, so that the outbox does not name it any more.
  mutating func forgetLeftSession() {
    guard pending.outbox != nil else { return }
    session = nil
    pending.beginSession(&commands)
  }

  /// Returns true if a hub has resumed a session whose log has lost outcomes that this process has reported.
  ///
  /// A hub does not resume such a session, but it knows only the outcomes that a *hello* acknowledges: those in the outbox.
  func hasLostOutcomes(_ welcome: Welcome) -> Bool {
    welcome.isResumed && welcome.processed < pending.acknowledged
  }

  /// Leaves the session that the hub has just resumed, and connects again for a new one.
  mutating func leaveSession(at now: Duration) {
    commands.append(.write(output.frame(FrameHeader(kind: .leave)) { _ in }))
    session = nil
    reconnect(at: now)
  }

  /// Handles the first session of a process. If the hub has processed more actions than were stored, a loss of power has
  /// taken the last changes of the outbox: its actions may have been sent under any numbers.
  mutating func checkRestored(_ welcome: Welcome) {
    guard let last = pending.outbox?.lastRestored else { return }
    pending.outbox?.lastRestored = nil
    guard welcome.isResumed, welcome.processed > pending.acknowledged + UInt64(pending.sentCount) else { return }
    pending.giveUp(through: last, processed: welcome.processed, &commands)
  }
}
