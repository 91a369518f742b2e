import FeatureCore
import Wire

extension HubCore {
  /// Ends a turn: brings every client that can be written to up to date, each with one write.
  ///
  /// A client that sent actions gets the change in the same turn. When many other clients subscribe to the change, they
  /// get the changes of several turns together (`HubLimits.coalescing`).
  ///
  /// - Parameters:
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the log, in milliseconds since 1970; evaluated only if there is something to log.
  ///   - plan: Whom the turn answers, and in which pieces.
  ///   - flushing: True to send to every subscriber now, without coalescing.
  /// - Returns: True if there is work for the shell, or a time at which there will be.
  /// - Complexity: One encoding of the changes; O(1) for each subscriber of a changed place and each session with
  ///   pending output. A turn without events costs nothing.
  @discardableResult
  package mutating func endTurn(
    at now: Duration, wallTime: @autoclosure () -> Int64 = 0, plan: TurnPlan = TurnPlan(), flushing: Bool = false
  ) -> Bool {
    self.plan = plan
    if isTakingOver { endTakeOver() }
    if turns != nil {
      recordTurn(at: wallTime())
      requestHandOver()
    }
    surroundings.endTurn()
    if engine.hasEffectCommands { takeEffectCommands() }
    turn &+= 1
    engine.beginTurn()
    if size.isCounting { size.countNextPiece() }
    if metricsDue != nil || publishers[StateRoot.metrics.index].hasSubscribers { updateMetrics(at: now) }
    if clientEffects.hasLostConnections { setHoldTimeouts(at: now) }
    if attendance.isOutdated { updateClients(at: now, flushing: flushing) }
    if limits.actionsPerSecond != nil { allowanceDue = backlogged.wake(at: now, limits) }
    setSnapshotBudget(at: now)
    if !accounts.paused.isEmpty { endPauses(at: now, all: flushing) }
    if outputs.hasUnfinished, outgoing.snapshotBudget > 0 {
      // A contended turn writes to only one of the connections that have sent much.
      outputs.resumeUnfinished { [plan] in plan.isContended && $0.hasSentMuch }
    }
    outputs.resumeHashes()
    if !views.idle.isEmpty { endIdleViews() }
    if !views.unprepared.isEmpty, outgoing.snapshotBudget > 0 { prepareViews() }
    publish(at: now, flushing: flushing)
    turns?.forgetVisibleDelta()
    if outputs.hasPending { writePending(at: now, flushing: flushing) }
    outputs.endWriting()
    if !accounts.paused.isEmpty, let due = pauseDue { publicationDue = min(publicationDue ?? due, due) }
    // The encoded bytes were not needed by anyone.
    if commandBuffer.isEmpty, outgoing.byteCount > 0 { clear() }
    return !commandBuffer.isEmpty || deadline != nil || publicationDue != nil || allowanceDue != nil
      || metricsDue != nil || attendance.isOutdated || heldBackCount > 0 || hasBacklog || outputs.hasUnfinished
      || size.isCounting || outputs.hasAwaitingHashes
  }

  /// Brings the pending connections up to date, except those that are held back.
  private mutating func writePending(at now: Duration, flushing: Bool) {
    let revision = visibleRevision
    outputs.beginWriting()
    var holdsBack = plan.answersFirst
    while let connection = outputs.takeNext() {
      if plan.isContended, isHeldBack(connection, &holdsBack) {
        outputs.holdBack(connection)
      } else if connection.account.output.isOn, !flushing {
        outputs.pause(connection)
      } else {
        outputs.take(connection)
        bringUpToDate(connection, at: revision, now)
      }
    }
  }

  /// Sets the number of snapshot bytes that the turn may write: one small piece while other clients send.
  private mutating func setSnapshotBudget(at now: Duration) {
    outgoing.now = now
    let isContended = plan.isContended || isSnapshotContended()
    outgoing.hashBudget = max(isContended ? limits.hashedBytesPerTurn / 16 : limits.hashedBytesPerTurn, 1)
    outgoing.pieceLimit = isContended ? SnapshotPiece.byteLimit / 16 : SnapshotPiece.byteLimit
    if plan.answersFirst {
      outgoing.snapshotBudget = 0
    } else {
      // Without any budget in any turn a snapshot would never end.
      let limit = max(limits.snapshotBytesPerTurn, 1)
      outgoing.snapshotBudget = isContended ? min(limit, outgoing.pieceLimit) : limit
    }
  }

  /// Records that the next output for a client may wait for that of others, because it has sent more than a contended
  /// turn has time for.
  package func letOutputWait(of id: ConnectionID) {
    if case .live(let connection) = phase(of: id) { connection.hasSentMuch = true }
  }

  /// Returns true if a connection is not written to in this contended turn because it has sent much. A turn that does not
  /// only answer the others writes to one of these, since a write takes as long as many actions.
  private func isHeldBack(_ connection: LiveConnection, _ holdsBack: inout Bool) -> Bool {
    guard connection.hasSentMuch else { return false }
    defer { holdsBack = true }
    return holdsBack
  }

  /// Returns true if clients send while snapshots are in progress: their actions then wait for each piece. The answer
  /// stays true for some turns, also for snapshots that begin in these turns.
  private mutating func isSnapshotContended() -> Bool {
    guard outputs.hasUnfinished else {
      snapshotReads = nil
      return turn < snapshotContentionEnd
    }
    if let reads = snapshotReads, reads != counters.reads {
      snapshotContentionEnd = turn + Self.snapshotContentionTurns
    }
    snapshotReads = counters.reads
    return turn < snapshotContentionEnd
  }

  private static var snapshotContentionTurns: UInt64 { 1024 }

  private var hasOutdatedPublisher: Bool {
    mutating get {
      for index in publishers.indices where publishers[index].isOutdated { return true }
      return false
    }
  }

  private mutating func takeEffectCommands() {
    for cascade in engine.takeFinishedCascades() { clientEffects.remove(cascade) }
    let taken = engine.takeEffectCommands()
    // An effect may be visible from outside, so it waits for the log like all output. After a failure of the log
    // nothing is released any more.
    if let turns, turns.hasFailed || turns.hold(taken) { return }
    appendEffectCommands(taken)
  }

  mutating func appendEffectCommands(_ taken: [EffectCommand<AnyAction>]) {
    for command in taken where !holdBack(command) { commandBuffer.append(command) }
  }

  /// Publishes the changes, and decides which clients get them in this turn.
  private mutating func publish(at now: Duration, flushing: Bool) {
    let next = fanOut.beginTurn(at: now)
    publicationDue = nil
    guard outputs.coalescingCount > 0 || hasOutdatedPublisher else { return }
    if let next, !flushing {
      publicationDue = next
      // If no pending connection has a scope, the encoding is postponed as well.
      guard outputs.hasPendingScopes else { return }
      for index in publishers.indices {
        publish(index)
        for connection in publishers[index].due { outputs.delay(connection) }
      }
      return
    }
    var count = outputs.coalescingCount
    for index in publishers.indices {
      publish(index)
      for connection in publishers[index].due { outputs.wake(connection) }
      count += publishers[index].due.count
    }
    if publishers.haveViews { noteViews() }
    outputs.wakeCoalescing()
    fanOut.begin(to: count, limits, isContended: plan.isContended)
  }

  /// Records that the changes of a turn have been written to their subscribers. The next ones follow after an interval.
  ///
  /// - Parameters:
  ///   - start: The time of `endTurn`.
  ///   - end: The time after the writes.
  package mutating func published(from start: Duration, to end: Duration) {
    fanOut.ended(from: start, to: end, limits, isContended: plan.isContended)
  }

  private mutating func publish(_ index: Int) {
    let isFeature = index == StateRoot.feature.index
    if isFeature { publishers[index].stateByteCount = size.memoryBound }
    guard let delta = publishers[index].publish(&outgoing, isFeature ? turns?.visibleDelta : nil), isFeature else {
      return
    }
    size.note(deltaByteCount: delta.byteCount, from: delta.base, to: delta.version, at: delta.revision)
  }

  /// Writes the pending output of one connection, state first, so that an acknowledgement never precedes its effect.
  private mutating func bringUpToDate(_ connection: LiveConnection, at revision: UInt64, _ now: Duration) {
    guard !connection.isBusy, connection.isOpen else { return }
    outgoing.begin()
    var isUpToDate = true
    let hasBudget = outgoing.snapshotBudget > 0
    for index in connection.scopes.indices {
      let scope = connection.scopes[index]
      publishers[scope.publisher].bringUpToDate(scope.subscriber, &outgoing)
      if publishers[scope.publisher].isUnfinished(scope.subscriber) { isUpToDate = false }
      if outgoing.runByteCount >= Self.longRun, endsRun(of: connection, after: index) {
        isUpToDate = false
        break
      }
    }
    writeFrames(to: connection, isUpToDate: isUpToDate, at: revision)
    let run = outgoing.run
    if !run.isEmpty {
      commandBuffer.append(.write(connection.id, ranges: run))
      if outgoing.runByteCount >= OutputPause.countedBytes {
        noteOutput(outgoing.runByteCount, to: connection, at: now)
      }
    }
    if connection.hasSentMuch { connection.hasSentMuch = connection.backlog != nil }
    // Acknowledgements do not wait for a hash, since they do not depend on it.
    if !isUpToDate {
      outputs.leaveUnfinished(connection, wasServed: hasBudget)
    } else if outgoing.isHashUnfinished {
      outputs.leaveWithoutHash(connection)
    } else if connection.hasInputEnded, connection.backlog == nil, !hasUnsettledOutcomes(connection) {
      close(connection.id, at: now)
    }
  }

  /// The size from which a run may end before all scopes of its connection are up to date.
  private static var longRun: Int { 1 << 20 }

  /// Returns true if the other scopes of a connection wait for another turn. They are then its first ones.
  private func endsRun(of connection: LiveConnection, after index: Int) -> Bool {
    guard outgoing.runByteCount > 2 * accounts.outputBudget(limits), index + 1 < connection.scopes.count else {
      return false
    }
    connection.scopes = Array(connection.scopes[(index + 1)...] + connection.scopes[...index])
    return true
  }

  /// Writes the pending output of a connection except state; often none.
  ///
  /// Acknowledgements and rejections wait until the state that they depend on is completely written.
  private mutating func writeFrames(
    to connection: LiveConnection, isUpToDate: Bool, at revision: UInt64
  ) {
    let start = outgoing.writer.count
    if isUpToDate {
      let settled = settledSequence(of: connection)
      let rejectionCount = connection.session.rejections.prefixCount(upTo: settled)
      if rejectionCount > connection.sentRejections {
        for rejected in connection.session.rejections[connection.sentRejections..<rejectionCount] {
          outgoing.writer.frame(rejected, revision: revision)
        }
        connection.sentRejections = rejectionCount
      }
      if settled > connection.sentProcessed {
        outgoing.writer.frame(FrameHeader(kind: .applied, revision: revision), number: settled)
        connection.sentProcessed = settled
      }
    }
    if !connection.replies.isEmpty { writeReplies(to: connection) }
    outgoing.add(start..<outgoing.writer.count)
  }

  /// The highest sequence number whose outcome may be sent.
  private func settledSequence(of connection: LiveConnection) -> UInt64 {
    isHolding ? connection.session.settled : connection.session.processed
  }

  /// Returns true if outcomes of a connection's actions wait for the log.
  func hasUnsettledOutcomes(_ connection: LiveConnection) -> Bool {
    isHolding && connection.session.settled < connection.session.processed
  }

  private mutating func writeReplies(to connection: LiveConnection) {
    if let standing = connection.replies.standing { outgoing.writer.frame(standing) }
    if connection.replies.released > 0 {
      outgoing.writer.frame(FrameHeader(kind: .released), number: connection.replies.released)
    }
    if let number = connection.replies.pong {
      outgoing.writer.frame(Pong(number: number), revision: visibleRevision)
    }
    for scope in connection.replies.refused { scope.write(limits, to: &outgoing.writer) }
    for scope in connection.replies.detached {
      outgoing.writer.frame(FrameHeader(kind: .detached, scope: scope)) { _ in }
    }
    for request in connection.replies.schemas { writeSchema(request) }
    let hasRefused = !connection.replies.refused.isEmpty
    connection.replies.removeAll()
    if hasRefused { refund(connection) }
  }

  private mutating func writeSchema(_ request: SchemaRequest) {
    let scope = UInt16(request.root)
    let schema = request.hasFormerNames ? schemas[request.root] : schemas[request.root].withoutFormerNames
    guard request.isDocumented else {
      outgoing.writer.frame(FrameHeader(kind: .schema, scope: scope)) { schema.encode(to: &$0) }
      return
    }
    let documented = DocumentedSchema(schema, documentation(of: request.root))
    outgoing.writer.frame(FrameHeader(kind: .schema, flags: DocumentedSchema.flag, scope: scope)) {
      documented.encode(to: &$0)
    }
  }

  /// The comments in the source of a root's types.
  private func documentation(of root: Int) -> SchemaDocumentation {
    switch root {
    case StateRoot.feature.index: engine.documentation
    case StateRoot.hub.index: SchemaDocumentation(state: HubState.self, action: Never.self)
    case StateRoot.views.index: engine.views.documentation
    default: SchemaDocumentation(state: HubMetrics.self, action: Never.self)
    }
  }
}
