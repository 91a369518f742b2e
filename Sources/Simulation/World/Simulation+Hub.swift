import HubCore
import Reducers
import TurnLog
import Wire

// The hub's process: its start, its turns, its end.

extension Simulation {
  // MARK: Start

  func startHub() throws {
    hubCount += 1
    if hubCount > 1, hubProgram.name.description == "older", chance.hits(plan.faults.upgrade) {
      hubProgram = .newer
      report.upgrades += 1
    }
    let recorder = Recorder(notesAttendance: plan.notesAttendance, epoch: hubCount)
    let engine = hubProgram.makeEngine(recorder)
    let random = chance.fork()
    let hub: HubProcess
    if plan.storage == .memory {
      let core = HubCore(engine: engine.engine, limits: plan.limits, name: "hub", random: random)
      hub = HubProcess(hubProgram, engine, recorder, HubTruth(engine.state()), core)
      seenRevision = 0
    } else {
      let history = try recover(engine)
      let truth = HubTruth(lastTruth, upTo: engine.engine.revision)
      try checkRecovery(engine, truth)
      let isSync = plan.storage == .sync && bug != .hubDoesNotWait
      let core = HubCore(
        engine: engine.engine, limits: plan.limits, name: "hub", history: history, durability: isSync ? .sync : .async,
        random: random)
      hub = HubProcess(hubProgram, engine, recorder, truth, core)
      log.schema = hubProgram.schema
      hub.audit = try LogAudit(hubProgram, engine.state(), at: engine.engine.revision, log.sessions)
    }
    stoppedRevision = nil
    lastTruth = hub.truth
    self.hub = hub
    hub.core.start()
    trace.note(now, "hub starts", Int(hubCount), Int(engine.engine.revision))
    trace.explain("\(hubProgram.name), recovered from \(log.stored.count) turns and \(log.snapshots.count) snapshots")
  }

  private func recover(_ engine: SimulatedEngine) throws -> HubHistory {
    do {
      var recovery = Recovery(engine: engine.engine, versionLimit: plan.limits.versions)
      // Usually from the newest snapshot, otherwise from an older one, or from the first turn if all turns are kept.
      let first = log.stored.first?.turn.position ?? log.tail + 1
      let usable = log.snapshots.filter { $0.position + 1 >= first }
      var snapshot = usable.last
      if chance.hits(300) {
        let index = chance.number(0...usable.count)
        if index < usable.count { snapshot = usable[index] } else if first == 1 { snapshot = nil }
      }
      if let snapshot {
        report.snapshotRecoveries += 1
        try recovery.restore(
          snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
          position: snapshot.position)
      }
      let start = (snapshot?.position ?? 0) + 1
      let turns = try log.read(from: start, byteLimit: .max)
      let schemas = log.stored.filter { $0.turn.position >= start }.map(\.schema)
      // Planted bug: the change of one turn is skipped.
      let skipped = bug == .recoverySkipsAChange ? turns.lastIndex { $0.revision != $0.baseRevision } : nil
      for (index, turn) in turns.enumerated() {
        var turn = turn
        if index == skipped {
          turn.delta = [0xa0]
        }
        report.turnsRecovered += 1
        let delta = turn.delta
        try recovery.apply(
          delta: delta.span.bytes, writtenFor: schemas[index], from: turn.baseRevision, to: turn.revision,
          position: turn.position)
      }
      // In sync mode, all output of a hub is stored, so the history continues; in async mode it may be lost.
      let id = plan.storage == .sync ? 1 : 1 + UInt64(hubCount)
      return recovery.history(id: id, sessions: log.recoveredSessions)
    } catch {
      throw Violation(.recoveryFailed, "\(error)")
    }
  }

  private func checkRecovery(_ engine: SimulatedEngine, _ truth: HubTruth) throws {
    let revision = engine.engine.revision
    if let stoppedRevision, revision != stoppedRevision {
      throw Violation(.acknowledgedLost, "a hub was stopped at \(stoppedRevision), and the next begins at \(revision)")
    }
    guard let state = truth.states[revision] else {
      throw Violation(.recoveredWrongly, "no turn ended at the recovered revision \(revision)")
    }
    guard hubProgram.view(state).encoded() == engine.state().encoded() else {
      throw Violation(.recoveredWrongly, "the state of revision \(revision) is not the one that was stored")
    }
    guard plan.storage == .sync else {
      seenRevision = min(seenRevision, revision)
      return
    }
    guard seenRevision <= revision else {
      throw Violation(.acknowledgedLost, "revision \(seenRevision) was seen, and \(revision) was recovered")
    }
    // In the order of the truth, so that the reported one is always the same.
    for (tag, _) in lastTruth.applied where acknowledged.contains(tag) && !truth.isApplied(tag) {
      throw Violation(.acknowledgedLost, "\(Tag.text(tag)) was acknowledged, and is not in the recovered state")
    }
  }

  // MARK: Turns

  /// One turn of the hub's loop.
  func turnHub() throws {
    guard let hub else { return }
    try useBacklog(of: hub)
    if let deadline = hub.core.deadline, deadline <= now { hub.core.expire(at: now) }
    let wasBehind = hub.core.isLogBehind
    let unstored = hub.core.unstoredTurnCount
    try noteTruth(of: hub)
    hub.core.endTurn(at: now, wallTime: Int64(now.components.seconds) * 1000, flushing: isSettling || chance.hits(100))
    if wasBehind, hub.core.unstoredTurnCount > unstored { hub.turnsWhileBehind += 1 }
    try performCommands(of: hub)
    try checkBounds(of: hub)
    if let endsBy = hub.endsBy {
      let isDone = hub.core.connectionCount + hub.core.closingCount == 0 && hub.core.unstoredTurnCount == 0
      if isDone || endsBy <= now { try endHub(orderly: isDone && !log.isFailed) }
    }
  }

  private func useBacklog(of hub: HubProcess) throws {
    var rounds = chance.pick([0, 1, 2, 100])
    if isSettling { rounds = 1000 }
    while rounds > 0, hub.core.hasBacklog, !hub.core.isLogBehind || bug == .shellIgnoresASlowLog {
      hub.core.workOnBacklog(limit: chance.pick([1, 3, 50]), at: now)
      rounds -= 1
    }
  }

  /// Records the effects of the turn that is about to end.
  ///
  /// The core may close connections while it ends a turn, and the feature may react to that; this belongs to the next
  /// turn.
  func noteTruth(of hub: HubProcess) throws {
    let tags = hub.recorder.take()
    if hub.core.isLogBehind, let tag = tags.first(where: { !Tag.isEcho($0) }) {
      throw Violation(.queueTooLong, "\(Tag.text(tag)) took effect while the log was far behind")
    }
    for tag in tags where refused.contains(tag) {
      throw Violation(.refusedTookEffect, "\(Tag.text(tag)) was reported as refused")
    }
    report.applied += tags.count
    try hub.truth.note(tags, hub.engine.state(), at: hub.core.revision)
  }

  private func performCommands(of hub: HubProcess) throws {
    var next = 0
    var writtenWhileFull: ConnectionID?
    // A connection that becomes full meanwhile may get the rest of this turn.
    let full = Set(hub.links.compactMap { $0 }.filter { !$0.toClient.rest.isEmpty }.map(\.number))
    // Performing a command may add more.
    while next < hub.core.commandCount {
      let command = hub.core.command(next)
      next += 1
      switch command {
      case .close(let id), .abort(let id): if writtenWhileFull == id { writtenWhileFull = nil }
      default: break
      }
      try perform(command, of: hub, full, &writtenWhileFull)
    }
    if let id = writtenWhileFull {
      throw Violation(.writtenWhileFull, "connection \(id.index) was full and was written to")
    }
    if next > 0 { hub.core.clear() }
  }

  private func perform(
    _ command: HubCommand, of hub: HubProcess, _ full: Set<Int>, _ writtenWhileFull: inout ConnectionID?
  ) throws {
    switch command {
    case .write(let id, let pieces):
      guard let link = hub.link(id) else { return }
      if full.contains(link.number), !link.toClient.rest.isEmpty { writtenWhileFull = id }
      let output = hub.core.output.bytes
      var bytes: [UInt8] = []
      for piece in hub.core.pieces[pieces] { bytes += output[piece] }
      try write(bytes, to: link)
    case .resumeReading(let id):
      guard let link = hub.link(id) else { return }
      if bug != .shellForgetsToReadAgain { link.isPaused = false }
    case .close(let id):
      guard let link = hub.link(id) else { return }
      link.isClosing = true
      if link.toClient.rest.isEmpty { drop(link) }
    case .abort(let id):
      if let link = hub.link(id) { drop(link) }
    case .store:
      report.turns += hub.core.turnsToStore.count
      for turn in hub.core.turnsToStore {
        try hub.audit?.check(turn, hub.truth, isStopping: hub.endsBy != nil)
      }
      log.append(hub.core.turnsToStore)
    case .releaseMemory: break
    case .saveSnapshot:
      log.save(hub.core.snapshot())
    case .report(let index):
      try check(hub.core.reports[index])
    case .effect(let index):
      let effect = hub.execute(hub.core.effectCommands[index], at: now)
      if let cause = effect?.cause { try checkEffect(cause, hub) }
    }
  }

  /// Writes a turn's bytes to a connection.
  private func write(_ bytes: [UInt8], to link: Link) throws {
    trace.note(now, "hub writes", link.number, bytes.count)
    trace.note(bytes)
    let frames = link.tap.frameCount
    let limit = plan.storage == .sync ? log.storedRevision : nil
    try link.tap.hubWrote(bytes, revision: limit) { log.processed($0) }
    report.frames += link.tap.frameCount - frames
    if frames == 0 { link.welcomeRevision = link.hub.truth.revision }
    guard link.isOpenAtClient || link.toClient.isDead else { return drop(link) }
    for bytes in planted(bytes, on: link) {
      let isOut = link.toClient.write(
        bytes, limit: socketBytes, notBefore: now + chance.time(upTo: plan.faults.longestDelay))
      if !isOut {
        if bug != .shellIgnoresFullSockets { link.hub.core.isBusy(link.id) }
      }
    }
  }

  /// The hub's shell drops a connection.
  func drop(_ link: Link) {
    guard link.isOpenAtHub else { return }
    trace.note(now, "hub drops", link.number)
    link.isOpenAtHub = false
    link.hub.links[link.id.index] = nil
    (link.toClient.rest, link.toClient.hasEnded) = ([], true)
    link.hub.core.ended(link.id)
  }

  // MARK: Log

  /// Lets the log work if it has anything to do.
  func useLog() throws {
    guard plan.storage != .memory, let hub else { return }
    switch isSettling ? 3 : chance.number(0...2) {
    case 0: commit()
    case 1: savePiece()
    case 2: try handleLogEvents(hub)
    default:
      commit()
      savePiece()
      try handleLogEvents(hub)
    }
  }

  private func commit() {
    guard !log.unsynced.isEmpty, isSettling || chance.hits(plan.faults.commit) else { return }
    let count = isSettling ? Int.max : chance.pick([1, 2, .max])
    trace.note(now, "log commits", min(count, log.unsynced.count))
    log.commit(count)
  }

  private func savePiece() {
    guard log.isSaving else { return }
    let fails = !isSettling && chance.hits(plan.faults.snapshotFailure)
    let trims = chance.hits(plan.faults.trim)
    if log.savePiece(limit: chance.pick([64, 1024, 1 << 20]), fails: fails, trims: trims) {
      trace.note(now, "log has a snapshot")
      report.snapshots += 1
    }
  }

  private func handleLogEvents(_ hub: HubProcess) throws {
    for event in log.takeEvents() {
      // While saying goodbye, the core ends a turn by itself.
      if hub.endsBy != nil { try noteTruth(of: hub) }
      switch event {
      case .stored(let position):
        trace.note(now, "log has stored", Int(position))
        hub.core.stored(upTo: position, at: now)
      case .saved, .snapshotFailed:
        hub.core.snapshotEnded()
      case .conflict, .failed:
        trace.note(now, "hub learns that its log has failed")
        try noteTruth(of: hub)
        hub.effects = []
        hub.core.logFailed(reason: "the simulated log has failed", at: now)
        hub.endsBy = now + .seconds(1)
      }
    }
  }

  // MARK: Effects

  func runEffects() throws {
    guard let hub else { return }
    while let index = hub.effects.firstIndex(where: { $0.due <= now }) {
      let running = hub.effects[index]
      if running.effect.repeats {
        // A timer that missed several of its times sends only once.
        hub.effects[index].due = max(running.due + running.effect.delay, now)
        if hub.effects[index].due <= now { hub.effects[index].due = now + running.effect.delay }
      } else {
        hub.effects.remove(at: index)
      }
      report.effects += 1
      trace.note(now, "effect", index)
      if let action = running.effect.action {
        _ = hub.core.apply(action, from: running.id)
        if bug == .shellRepeatsAnEffect, running.effect.cause != nil {
          _ = hub.core.apply(action, from: running.id)
        }
      }
      if !running.effect.repeats { hub.core.finish(running.id) }
    }
  }

  /// Checks that in sync mode an effect begins only when the action that caused it is stored.
  private func checkEffect(_ cause: UInt64, _ hub: HubProcess) throws {
    guard plan.storage == .sync, let revision = hub.truth.revision(of: cause), revision > log.storedRevision else {
      return
    }
    throw Violation(
      .seenBeforeStored, "an effect of revision \(revision) begins, and \(log.storedRevision) is stored")
  }

  // MARK: End

  func crashHub() throws {
    guard let hub else { return }
    trace.note(now, "hub crashes")
    report.hubCrashes += 1
    _ = hub
    let surviving = chance.hits(plan.faults.unsyncedSurvives) ? chance.number(0...log.unsynced.count) : 0
    log.crash(surviving: surviving)
    endProcess()
  }

  func stopHub() throws {
    guard let hub, hub.endsBy == nil else { return }
    trace.note(now, "hub stops")
    report.hubStops += 1
    try noteTruth(of: hub)
    hub.effects = []
    hub.core.shutDown(reason: "the simulated operator stops it", at: now)
    hub.endsBy = now + .seconds(30)
    try turnHub()
  }

  private func endHub(orderly: Bool) throws {
    guard let hub else { return }
    trace.note(now, "hub has ended", orderly ? 1 : 0)
    if orderly, plan.storage != .memory {
      // The feature's reactions to the end of the last connections are not stored.
      stoppedRevision = hub.truth.revision
      log.close()
    } else {
      log.crash(surviving: chance.hits(plan.faults.unsyncedSurvives) ? log.unsynced.count : 0)
    }
    endProcess()
  }

  private func endProcess() {
    guard let hub else { return }
    hub.isAlive = false
    hub.effects = []
    for link in links where link.hub === hub && link.isOpenAtHub {
      link.isOpenAtHub = false
      (link.toClient.rest, link.toClient.hasEnded) = ([], true)
    }
    hub.links = []
    self.hub = nil
    hubStartsAt = now + chance.time(upTo: .seconds(chance.pick([0, 2])))
  }
}
