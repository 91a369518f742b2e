import FeatureCore
import HubCore
import Wire

// The turns of a hub's process, their commands, and its effects.

extension Simulation {
  // MARK: Turns

  /// Lets the hub's loop run, which ends a turn if an input has arrived or a timer has fired.
  func turn(_ hub: HubProcess) throws {
    if let time = hub.deadlineAt, time <= now {
      hub.deadlineAt = nil
      hub.noteCause()
      hub.inform { $0.expire(at: now) }
    }
    if let time = hub.nextTurnAt, time <= now { (hub.nextTurnAt, hub.continues) = (nil, true) }
    if hub.hasNews || hub.continues { try endTurn(of: hub) }
    try checkBounds(of: hub)
    noteResting(of: hub)
    if let endsBy = hub.endsBy {
      let isDone = hub.core.connectionCount + hub.core.closingCount == 0 && hub.core.unstoredTurnCount == 0
      if isDone || endsBy <= now { try end(hub, orderly: isDone && !hub.log.isFailed) }
    }
  }

  /// Ends a turn, and sets the timers of the next one, as `HubShell.endTurn` does.
  func endTurn(of hub: HubProcess) throws {
    let continues = hub.continues
    hub.continues = false
    let turn = turnPlan(of: hub, continues)
    guard perform(turn.work, of: hub) else {
      hub.nextTurnAt = now
      return
    }
    hub.hasNews = false
    hub.scheduler.beginTurn()
    if !hub.core.isLogBehind { hub.causesWhileBehind = 0 }
    try checkPostponedEchoes(of: hub)
    try noteTruth(of: hub)
    guard hub.core.endTurn(at: now, wallTime: wallTime, plan: turn) else {
      if !hub.waitingReaders.isEmpty { hub.nextTurnAt = now }
      return try checkEffects(of: hub)
    }
    try performCommands(of: hub)
    try checkEffects(of: hub)
    if hub.core.hasPublished {
      hub.core.published(from: now, to: now + competition.time(upTo: .microseconds(plan.contention > 0 ? 500 : 0)))
    }
    hub.deadlineAt = hub.core.deadline ?? hub.deadlineAt
    if hub.core.needsAnotherTurn || !hub.waitingReaders.isEmpty, !hub.isHandingOver {
      if bug != .shellSleepsTooEarly { hub.nextTurnAt = now }
    } else {
      let due = [hub.core.publicationDue, hub.core.allowanceDue, hub.core.metricsDue, hub.core.clientsDue]
        .compactMap(\.self).min()
      if let due, bug != .shellOversleeps { hub.nextTurnAt = due }
    }
  }

  /// Records the effects of the turn that is about to end.
  ///
  /// The core may close connections while it ends a turn, and the feature may react to that; this belongs to the next
  /// turn.
  ///
  /// - Parameters:
  ///   - hub: The process.
  ///   - isLast: True if the hub stops, and so works on all that waits.
  func noteTruth(of hub: HubProcess, isLast: Bool = false) throws {
    let tags = hub.recorder.take()
    if hub.core.postponedCount == 0 {
      for promise in hub.postponedEnds { hub.recorder.end(promise) }
      hub.postponedEnds = []
    }
    if let promise = hub.recorder.takeResumed().first {
      throw Violation(.restartedWrongly, "effect \(promise) is restarted after the hub's start")
    }
    // Nothing waits in a hub that stops: its log stores all turns before it ends.
    if !isLast, hub.endsBy == nil, isLogBehind(of: hub), hub.core.revision != hub.truth.revision {
      let what = tags.first.map(Tag.text) ?? "an action of the hub itself"
      throw Violation(.queueTooLong, "\(what) took effect while the log was far behind")
    }
    // What an overtaken hub does is never stored.
    for tag in tags where refused.contains(tag) && hub !== overtaken {
      throw Violation(.refusedTookEffect, "\(Tag.text(tag)) was reported as refused")
    }
    report.applied += tags.count(where: { !Tag.isEcho($0) })
    report.echoes += tags.count(where: Tag.isEcho)
    if plan.awkwardness > 0, hub.truth.revision != hub.core.revision { try checkReadable(hub.engine.state(), hub) }
    try hub.truth.note(tags, hub.engine.state(), at: hub.core.revision)
    try checkSize(of: hub)
    try checkRates(of: tags, in: hub)
  }

  /// True if the hub must do no work that changes the state. A hub with a planted bug may not know.
  private func isLogBehind(of hub: HubProcess) -> Bool {
    hub.core.isLogBehind || hub.core.unstoredTurnCount > plan.limits(ofHub: hub.number).unstoredTurns
  }

  func performCommands(of hub: HubProcess) throws {
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
    case .write(let id, let run):
      guard let link = hub.link(id) else { return }
      if full.contains(link.number), !link.toClient.rest.isEmpty { writtenWhileFull = id }
      let output = hub.core.output.bytes
      var bytes: [UInt8] = []
      for piece in hub.core.ranges[run] { bytes += output[piece] }
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
      // The number of ends that wait does not tell which of them the turn has.
      let promises = hub.postponedEnds.isEmpty && hub.core.postponedCount == 0 ? hub.recorder.owedPromises : nil
      hub.log.append(hub.core.turnsToStore, promises: promises)
    case .releaseMemory, .forwarding: break
    case .saveSnapshot:
      hub.log.save(hub.core.snapshot())
    case .report(let index):
      hub.noteCause()
      try check(hub.core.reports[index], of: hub)
    case .effect(let index):
      // Once its runner has cancelled all of them, it begins none.
      if hub.endsBy != nil { return }
      if bug == .shellDropsAnEffect, chance.hits(100) { return }
      let effect = hub.execute(hub.core.effectCommands[index], at: now)
      if let cause = effect?.cause { try checkEffect(cause, hub) }
    }
  }

  /// Writes a turn's bytes to a connection.
  private func write(_ bytes: [UInt8], to link: Link) throws {
    trace.note(now, "hub writes", link.number, bytes.count)
    trace.note(bytes)
    let (frames, releases) = (link.tap.frameCount, link.tap.releaseCount)
    if bug != .shellKeepsTheRecordOfAWrittenConnection { link.restingRecord = nil }
    let inherited = link.inheritedOutput
    link.inheritedOutput = []
    guard bytes.starts(with: inherited) else {
      throw Violation(.protocolBroken, "connection \(link.number) does not get the unsent output of the last process")
    }
    let log = link.hub.log
    let limit = plan.storage == .sync ? log.storedRevision : nil
    // The tap has seen the output of the last process.
    try link.tap.hubWrote(Array(bytes.dropFirst(inherited.count)), revision: limit) { log.processed($0) }
    report.frames += link.tap.frameCount - frames
    report.releases += link.tap.releaseCount - releases
    if frames == 0 { link.welcomeRevision = link.hub.truth.revision }
    guard link.isOpenAtClient || link.toClient.isDead else { return drop(link) }
    for bytes in planted(bytes, on: link) {
      let isOut = link.toClient.write(
        bytes, limit: socketBytes, notBefore: now + chance.time(upTo: plan.faults.longestDelay))
      if !isOut {
        if bug != .shellIgnoresFullSockets {
          link.hub.inform { $0.noteBusy(link.id, queuedBytes: link.toClient.rest.count, at: now) }
        }
      }
    }
  }

  /// The hub's shell drops a connection.
  func drop(_ link: Link) {
    guard link.isOpenAtHub else { return }
    trace.note(now, "hub drops", link.number)
    link.isOpenAtHub = false
    (link.toClient.rest, link.toClient.hasEnded) = ([], true)
    guard link.hub.isAlive else { return }
    link.hub.links[link.id.index] = nil
    if bug == .shellForgetsEndedConnections, chance.hits(100) { return }
    link.hub.inform { $0.ended(link.id) }
    link.hub.noteCause()
  }

  // MARK: Effects

  func runEffects(of hub: HubProcess) throws {
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
        let postponedCount = hub.core.postponedCount
        let isApplied = hub.inform { $0.apply(action, from: running.id) }
        if let echo = running.effect.echo {
          if hub.core.postponedCount > postponedCount {
            hub.postponedEchoes.append(echo)
            report.postponed += 1
          } else if !isApplied {
            try noteRefused(echo, by: hub)
          }
        }
        if bug == .shellRepeatsAnEffect, running.effect.cause != nil {
          hub.inform { _ = $0.apply(action, from: running.id) }
        }
      }
      if !running.effect.repeats { finish(running, of: hub) }
    }
  }

  private func finish(_ running: HubProcess.RunningEffect, of hub: HubProcess) {
    let postponedCount = hub.core.postponedCount
    hub.inform { $0.finish(running.id) }
    guard let promise = running.effect.promise else { return }
    if hub.core.postponedCount > postponedCount {
      hub.postponedEnds.append(promise)
    } else {
      hub.recorder.end(promise)
    }
  }

  /// Notes that the hub has not applied the action of an effect, unless the effect was cancelled.
  private func noteRefused(_ echo: UInt64, by hub: HubProcess) throws {
    guard hub.recorder.owedEchoes.contains(echo) else { return }
    // A state at its limit does not take it.
    guard plan.hasSmallState else {
      throw Violation(.effectLost, "the hub does not accept the action of an effect that was not cancelled")
    }
    hub.recorder.forgetEcho(echo)
  }

  /// Checks that the hub has applied the actions of effects that waited for the log.
  private func checkPostponedEchoes(of hub: HubProcess) throws {
    guard hub.core.postponedCount == 0 else { return }
    // A hub whose log has failed applies nothing more.
    if !hub.log.isFailed { for echo in hub.postponedEchoes { try noteRefused(echo, by: hub) } }
    hub.postponedEchoes = []
  }

  /// Checks that in sync mode an effect begins only when the action that caused it is stored.
  private func checkEffect(_ cause: UInt64, _ hub: HubProcess) throws {
    guard plan.storage == .sync, let revision = hub.truth.revision(of: cause), revision > hub.log.storedRevision else {
      return
    }
    throw Violation(
      .seenBeforeStored, "an effect of revision \(revision) begins, and \(hub.log.storedRevision) is stored")
  }
}
