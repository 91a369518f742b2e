import Features
import HubCore
import ReplicaCore
import TurnLog
import Wire

// The checks of the oracles other than `HubTruth` and `WireTap`.

extension Simulation {
  /// Checks that each mirror equals the hub's state at its revision.
  func checkMirrors(of client: ClientProcess) throws {
    guard let hub = client.link?.hub else { return }
    for index in client.watched.indices {
      let watched = client.watched[index]
      guard let revision = watched.mirror.revision, revision != watched.revision else { continue }
      if let last = watched.revision, last > revision, plan.storage == .sync || watched.hub === hub {
        throw Violation(.revisionWentBack, "client \(client.number) went from \(last) to \(revision)")
      }
      (client.watched[index].revision, client.watched[index].hub) = (revision, hub)
      seenRevision = max(seenRevision, revision)
      guard let spoken = client.spoken else { continue }
      let (there, isKnown) = try part(watched.path, spoken, hub.truth, at: revision)
      // A hub of the older version has no value at places that only the newer one has.
      if !isKnown, hub.program.encodeLabel == nil { continue }
      if lacksDefaults(client, at: hub) { continue }
      guard watched.bytes() == there else {
        throw Violation(
          .stateDiffers,
          "client \(client.number) at revision \(revision), path \(watched.path): \(text(watched.bytes())), not \(text(there))"
        )
      }
    }
  }

  /// Checks that a client shows all of its pending actions once and in order on top of its mirror, and no others.
  func checkPrediction(of client: ClientProcess) throws {
    guard let prediction = client.prediction else { return }
    // Both states would be the one of the mirror.
    if client.predicted.isEmpty, prediction.isMirror() { return }
    let (count, bytes) = prediction.shown()
    if let truth = client.settledTruth, let revision = prediction.settledRevision() {
      for (ticket, _) in client.predicted {
        guard let tag = client.waiting[ticket]?.tag, truth.revision(of: tag).map({ $0 <= revision }) == true else {
          continue
        }
        throw Violation(.appliedTwice, "client \(client.number) predicts \(Tag.text(tag)) on a state that contains it")
      }
    }
    let expected = prediction.expected(client.predicted.map(\.bytes))
    guard count == client.predicted.count, bytes == expected else {
      throw Violation(
        .stateDiffers,
        "client \(client.number) predicts \(count) of \(client.predicted.count) actions: \(text(bytes)), not \(text(expected))"
      )
    }
  }

  /// True if a client is a tool that has taken the schema of the newer version, and the hub has the older one again. The
  /// tool knows no default values, so its values lack the fields that the hub does not have.
  private func lacksDefaults(_ client: ClientProcess, at hub: HubProcess) -> Bool {
    client.isTool && client.spoken?.encodeLabel != nil && hub.program.encodeLabel == nil
  }

  /// The bytes at a place in a client's version, and whether all versions have such a place.
  private func part(
    _ path: [PathStep], _ program: SimulatedProgram, _ truth: HubTruth, at revision: UInt64
  ) throws -> (bytes: [UInt8]?, isKnown: Bool) {
    guard let state = truth.states[revision] else {
      throw Violation(.stateDiffers, "a client is at revision \(revision), at which no turn ended")
    }
    let isKnown = program.encodeLabel == nil || SimulatedProgram.isShared(path)
    return (bytes(at: path, of: program.view(state)), isKnown)
  }

  private func bytes(at path: [PathStep], of state: any SimulatedState) -> [UInt8]? {
    state.part(at: path[...])?.encoded()
  }

  private func text(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "nothing" }
    let digits = bytes.prefix(80).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
    return "\(digits.joined()) (\(bytes.count) bytes)"
  }

  /// Checks that an acknowledgement does not precede its effect, except those of an earlier connection, which come with
  /// the welcome.
  func checkEffectIsThere(_ revision: UInt64, of client: ClientProcess, _ truth: HubTruth) throws {
    guard let watched = client.watched.first, watched.path.isEmpty, let own = watched.mirror.revision, own < revision,
      let spoken = client.spoken, let link = client.link, link.hub.truth === truth, revision > link.welcomeRevision,
      !lacksDefaults(client, at: link.hub), client.replica.isSubscribed(watched.mirror)
    else { return }
    // The acknowledgement covers all turns up to its own revision, which may be later. If these turns cancel each other
    // out, the client already has the whole state, and nothing need be sent before.
    guard let acknowledged = link.tap.appliedRevisions.first(where: { $0 >= revision }),
      watched.bytes() == (try part([], spoken, truth, at: acknowledged).bytes)
    else {
      throw Violation(
        .framesOutOfOrder, "client \(client.number) is at \(own), and an action of \(revision) is acknowledged")
    }
  }

  /// Checks that neither side has reason to complain about the other.
  func checkConnection(of client: ClientProcess) throws {
    trace.explain("client \(client.number) is \(client.replica.connection)")
    switch client.replica.connection {
    case .connecting(_, let failure?): try check(failure, client)
    case .stale(_, _, let reason): try check(reason, client)
    case .refused(let reason): throw Violation(.protocolBroken, "client \(client.number) is refused: \(reason)")
    case .connecting, .closed: break
    case .live:
      guard let link = client.link else { return }
      if link.tap.isResumed {
        report.resumptions += 1
        if bug == .clientGivesUpSentActions {
          for ticket in client.waiting.keys { try failed(ticket, .outcomeUnknown, client) }
        }
      }
      try checkSession(of: client, link)
    }
  }

  private func check(_ reason: String, _ client: ClientProcess) throws {
    for complaint in ["the hub sent", "a piece of a snapshot", "the hub does not confirm"]
    where reason.hasPrefix(complaint) {
      throw Violation(.protocolBroken, "client \(client.number): \(reason)")
    }
  }

  /// Checks that no session is removed while there is room for all: never in sync mode, and in the other modes not by
  /// the process that has opened or resumed it.
  private func checkSession(of client: ClientProcess, _ link: Link) throws {
    defer { (client.openedSession, client.sessionHub) = (link.tap.session, link.hub.number) }
    guard client.openedSession != nil, !link.tap.isResumed else { return }
    guard plan.storage == .sync || client.sessionHub == link.hub.number else { return }
    if plan.limits.detachedSessions > 100 {
      throw Violation(.sessionForgotten, "client \(client.number) comes back, and its session is unknown")
    }
  }

  /// Checks that the hub does not accuse a correct client of violating the protocol.
  func check(_ hubReport: HubReport, of hub: HubProcess) throws {
    switch hubReport {
    case .rejected(_, _, _, let rejected) where rejected.code == .stateTooLarge: try noteFullState(of: hub)
    case .rejected(_, _, _, let rejected) where rejected.code == .notPermitted: report.forbidden += 1
    case .rejected(_, _, _, let rejected) where rejected.code == .unreadable: report.unreadable += 1
    case .stateTooLarge, .stateExceedsLimit: try noteFullState(of: hub)
    case .opened(_, let session, let peer, _): openedSessions[session] = peer.user
    // Its clients know the limits.
    case .scopeRefused(let id, _, let error):
      throw Violation(.protocolBroken, "connection \(id.index): \(error.reason)")
    default: break
    }
    guard case .failed(let id, _, let error) = hubReport else { return }
    if error.code == .tooManyBytes { report.tooManyBytes += 1 }
    trace.explain("connection \(id.index): \(error)")
    guard isJustified(error.code) else {
      throw Violation(.protocolBroken, "connection \(id.index): \(error.reason)")
    }
  }

  /// Returns true if the hub may close the connection of a correct client for a reason.
  private func isJustified(_ code: PeerErrorCode) -> Bool {
    switch code {
    case .notPermitted: plan.hasGuests
    case .tooManyBytes: plan.hasSmallShares
    case .tooManyRejections: plan.limits.rejections <= 100
    // Bytes may be delayed for long, and the client itself may return before the hub knows that it has left.
    case .timedOut, .sessionResumedElsewhere: true
    case .overloaded: plan.storage != .memory
    default: false
    }
  }

  /// Checks that a reader of the state's bytes gets the same state.
  func checkReadable<State: SimulatedState>(_ state: State, _ hub: HubProcess) throws {
    let bytes = state.encoded()
    do throws(WireError) {
      guard try State(decoding: bytes.span.bytes).encoded() != bytes else { return }
    } catch {
      throw Violation(.stateUnreadable, "the state of revision \(hub.core.revision): \(error)")
    }
    throw Violation(.stateUnreadable, "the state of revision \(hub.core.revision) is read as another one")
  }

  /// Checks that every queue is bounded.
  func checkBounds(of hub: HubProcess) throws {
    func check(_ count: Int, _ limit: Int, _ what: String) throws {
      if count > limit { throw Violation(.queueTooLong, "\(count) \(what), and the limit is \(limit)") }
    }
    let limits = plan.limits(ofHub: hub.number)
    try check(hub.core.keptVersionCount, limits.versions, "versions")
    try check(hub.core.detachedSessionCount, limits.detachedSessions, "detached sessions")
    // Ended connections and a stop add turns whatever the log does.
    try check(hub.core.unstoredTurnCount, limits.unstoredTurns + 3 + hub.causesWhileBehind, "turns wait for the log")
    if hub.core.allowanceDue != nil { report.throttlings += 1 }
    for link in hub.links {
      guard let link else { continue }
      // The write of one turn, and the last one before the connection is closed.
      try check(link.toClient.rest.count, 4 << 20, "bytes wait for a client")
      // A hub that stops leaves the rest to its clients, who repeat it, or to the next process.
      if hub.isAsleep, link.isPaused, !link.isClosing, !hub.core.hasBacklog, !hub.isStopping {
        throw Violation(.notAtRest, "connection \(link.number) is not read from, and nothing of it waits")
      }
    }
  }

  /// Checks that the effects of stored actions run, and no cancelled ones.
  func checkEffects(of hub: HubProcess) throws {
    guard hub.core.unstoredTurnCount == 0, hub.core.postponedCount == 0, !hub.isStopping, !hub.log.isFailed else {
      return
    }
    for echo in hub.recorder.owedEchoes where !hub.effects.contains(where: { $0.effect.echo == echo }) {
      throw Violation(.effectLost, "\(Tag.text(echo)) was requested and is not on its way")
    }
    for effect in hub.effects {
      guard let echo = effect.effect.echo, !hub.recorder.owedEchoes.contains(echo) else { continue }
      throw Violation(.effectLost, "\(Tag.text(echo)) was cancelled and is on its way")
    }
    let promises = hub.effects.compactMap(\.effect.promise).sorted()
    guard promises == hub.recorder.owedPromises else {
      throw Violation(.effectLost, "effects \(hub.recorder.owedPromises) were requested, and \(promises) run")
    }
    if plan.storage != .memory {
      let inFlight = self.promises(hub.core.effectsInFlight, hub).sorted()
      guard inFlight == promises else {
        throw Violation(.restartedWrongly, "effects \(promises) run, and \(inFlight) would be restarted")
      }
    }
    let timerCount = hub.effects.count(where: \.effect.repeats)
    guard timerCount == (hub.engine.state().app.counter.isTimerOn ? 1 : 0) else {
      throw Violation(.effectLost, "\(timerCount) timers run, and the feature's is \(timerCount == 0 ? "on" : "off")")
    }
  }

  /// Checks that a hub restarts exactly the effects that had not ended, in the order in which they began.
  ///
  /// - Parameter effects: The effects in the log.
  func checkRestarts(of effects: EffectsInFlight, in hub: HubProcess) throws {
    let expected = promises(effects, hub)
    if let stored = disk.promises, stored != expected.sorted() {
      throw Violation(.restartedWrongly, "effects \(stored) were in flight, and \(expected) were recovered")
    }
    let resumed = hub.recorder.takeResumed()
    report.restarts += resumed.count
    guard resumed == expected else {
      throw Violation(.restartedWrongly, "effects \(expected) were in flight, and \(resumed) are restarted")
    }
  }

  /// The numbers of effects that outlive the hub, in the order in which they began.
  private func promises(_ effects: EffectsInFlight, _ hub: HubProcess) -> [UInt64] {
    effects.inOrder.compactMap { hub.program.resumedPromise($0.action) }
  }

  /// Checks that no user's actions exceed its rate by more than one second's worth.
  func checkRates(of tags: [UInt64], in hub: HubProcess) throws {
    guard let rate = plan.limits.actionsPerSecond else { return }
    for tag in tags where !Tag.isEcho(tag) {
      guard let user = users[Tag.process(tag)] else { continue }
      let paidUntil = max(hub.paidUntil[user] ?? .zero, hub.ratesCheckedAt) + .seconds(1) / rate
      hub.paidUntil[user] = paidUntil
      guard paidUntil <= now + .seconds(1) + .seconds(1) / rate else {
        throw Violation(.rateExceeded, "user \(user) sends more than \(rate) actions a second")
      }
    }
    hub.ratesCheckedAt = now
  }

  // MARK: The state's size

  /// Checks that the state does not grow beyond its limit, except by the reactions to connections.
  func checkSize(of hub: HubProcess) throws {
    guard plan.hasSmallState else { return }
    let count = hub.engine.state().encoded().count
    let limit = max(plan.limits.stateBytes, hub.recoveredByteCount)
    // The estimated growth does not contain that of the heads of collections, a byte or two for each that grows, until
    // the next count, which takes some turns.
    // The shared model has collections that grow and shrink more often than the others.
    if count > limit + 32 + (plan.notesAttendance ? 200 : 0) + (plan.sharing > 0 ? 64 : 0) {
      throw Violation(.queueTooLong, "the state has \(count) bytes, and the limit is \(limit)")
    }
  }

  /// Checks that the hub refuses an action because of the state's size only if the state is large.
  private func noteFullState(of hub: HubProcess) throws {
    report.statesTooLarge += 1
    stateFullAt = now
    let count = hub.engine.state().encoded().count
    guard count > plan.limits.stateBytes / 2 else {
      throw Violation(.wrongOutcome, "the hub refuses to grow a state of \(count) bytes")
    }
  }

  /// Checks that, at rest, all clients have the hub's state and every action has one outcome.
  func checkConvergence() throws {
    guard let hub else { throw Violation(.notAtRest, "no hub runs") }
    for client in clients {
      guard client.waiting.isEmpty else {
        throw Violation(.wrongOutcome, "\(client.waiting.count) actions of client \(client.number) have no outcome")
      }
      try checkViewsAtRest(of: client, in: hub)
      guard let spoken = client.spoken, !lacksDefaults(client, at: hub) else { continue }
      let state = spoken.view(hub.engine.state())
      if let prediction = client.prediction, prediction.shown() != (0, bytes(at: [], of: state)) {
        throw Violation(.stateDiffers, "in the end client \(client.number) does not show the hub's state")
      }
      for watched in client.watched {
        let isKnown = spoken.encodeLabel == nil || SimulatedProgram.isShared(watched.path)
        if !isKnown, hub.program.encodeLabel == nil { continue }
        guard watched.bytes() == bytes(at: watched.path, of: state) else {
          throw Violation(
            .stateDiffers, "in the end client \(client.number) has not the hub's state at \(watched.path)")
        }
        // A client that reconnects must not need a snapshot for lack of a bookmark.
        if client.replica.isSubscribed(watched.mirror), let own = watched.mirror.revision,
          own + plan.limits.bookmarkInterval < hub.core.revision
        {
          throw Violation(
            .framesOutOfOrder,
            "in the end client \(client.number) is at revision \(own) of \(watched.path), and the hub at \(hub.core.revision)"
          )
        }
        guard !client.isTool, let part = state.part(at: watched.path[...]), let hash = watched.mirror.hash() else {
          continue
        }
        guard part.stateHash() == hash else {
          throw Violation(.hashDiffers, "in the end the hash of client \(client.number) differs at \(watched.path)")
        }
      }
    }
    try checkSessions(of: hub)
    try checkSharedWork(in: hub)
    try checkWatches(in: hub)
    if plan.storage == .sync {
      for tag in acknowledged.sorted() where !hub.truth.isApplied(tag) {
        throw Violation(.acknowledgedLost, "\(Tag.text(tag)) was acknowledged and is gone in the end")
      }
    }
  }

  /// Checks that the log has the hub's sessions, and that all clients know the attendees.
  private func checkSessions(of hub: HubProcess) throws {
    let count = hub.core.detachedSessionCount + hub.core.connectionCount
    if plan.storage != .memory, disk.sessions.count != count {
      throw Violation(.sessionForgotten, "the log has \(disk.sessions.count) sessions, and the hub \(count)")
    }
    if plan.notesAttendance {
      let names = Dictionary(uniqueKeysWithValues: clients.map { ($0.name, 1) })
      guard hub.engine.state().attached == names else {
        throw Violation(.stateDiffers, "the feature believes that \(hub.engine.state().attached) are attached")
      }
    }
    for client in clients {
      guard let attendees = client.attendees else { continue }
      let names = attendees.part?.attendees.map(\.name).sorted() ?? []
      guard names == clients.map(\.name).sorted() else {
        throw Violation(.stateDiffers, "client \(client.number) believes that \(names) are attached")
      }
    }
  }
}
