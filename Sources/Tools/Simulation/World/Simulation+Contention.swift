import HubCore
internal import RandomNumbers

// The division of the hub's time, as in `StoreHub/HubShell+Reading`: `TurnScheduler` decides, and the simulation carries
// out its plans. What a client sends is little, so its thresholds are small, and chance adds the traffic of clients that
// are not simulated.

extension Simulation {
  /// The virtual duration of handling one frame or action.
  private static var unitTime: Duration { .microseconds(1) }

  func receive(
    _ bytes: [UInt8], on link: Link, of hub: HubProcess, limit: Int, guaranteed: Int = 0
  ) -> TurnScheduler.Work {
    let (time, span) = (now, bytes.span.bytes)
    hub.hasNews = true
    let work = hub.core.received(span, on: link.id, at: time, limit: limit, guaranteed: guaranteed)
    spend(work.count, hub)
    return work
  }

  /// Handles a connection's input, as much as chance and the scheduler permit.
  ///
  /// - Returns: True if nothing waits and the shell reads on.
  func receiveWithoutContention(_ bytes: [UInt8], on link: Link, of hub: HubProcess, limit: Int) -> Bool {
    let start = hub.busyTime
    let limit = min(limit, hub.scheduler.readLimit)
    let work = receive(bytes, on: link, of: hub, limit: limit, guaranteed: hub.scheduler.guaranteed)
    hub.scheduler.noteWork(work.count, now: hub.busyTime.nanoseconds, turnStart: start.nanoseconds)
    if hub.scheduler.concerns(work, of: bytes.count) {
      hub.scheduler.noteRead(work, of: bytes.count, from: &link.sender, at: milliseconds(of: hub))
    }
    return work.isComplete
  }

  /// Handles a small part of a connection's input; the rest waits until the other clients have been served.
  ///
  /// - Returns: True if the shell reads on.
  func receiveInContention(_ bytes: [UInt8], on link: Link, of hub: HubProcess) -> Bool {
    let time = milliseconds(of: hub)
    let guaranteed = hub.scheduler.guaranteed(to: link.sender, at: time)
    let work = receive(bytes, on: link, of: hub, limit: 0, guaranteed: guaranteed)
    let plan = hub.scheduler.noteContendedRead(work, of: bytes.count, from: &link.sender, at: time)
    if plan.nextRead == .inItsTurn { hub.waitingReaders.append(link) }
    if plan.outputMayWait { hub.core.letOutputWait(of: link.id) }
    return plan.nextRead == .onArrival
  }

  /// What a turn of the hub does.
  func turnPlan(of hub: HubProcess, _ continues: Bool) -> TurnPlan {
    addTraffic(to: hub)
    let time = milliseconds(of: hub)
    let turn = hub.scheduler.plan(
      continues: continues, isStopping: hub.isStopping, hasSnapshots: hub.core.isSendingSnapshots,
      TurnScheduler.Waiting(
        hasFrames: hub.core.hasBacklog, hasSnapshots: hub.core.isSendingSnapshots, heldBack: hub.core.heldBackCount,
        readers: hub.waitingReaders.count),
      at: TurnScheduler.Time(milliseconds: time, nanoseconds: hub.clock.nanoseconds))
    hub.limitsReads = turn.limitsReads
    return turn
  }

  /// Lets clients that are not simulated send much and little. They outlast the faults, so that a client that waits for
  /// the end of a contention is found.
  private func addTraffic(to hub: HubProcess) {
    guard plan.contention > 0, isSettling || competition.hits(plan.contention) else { return }
    hub.scheduler.noteHeavy(at: milliseconds(of: hub))
    var light = hub.scheduler.newSender
    hub.scheduler.noteRead((1, true), of: 1, from: &light, at: milliseconds(of: hub))
  }

  /// Does the work of a plan before the turn's output. Returns false if the turn has no output yet.
  func perform(_ work: TurnPlan.Work, of hub: HubProcess) -> Bool {
    switch work {
    case .everything:
      for link in hub.waitingReaders { resumeReading(link, of: hub) }
      hub.waitingReaders = []
      if !hub.isHandingOver { useBacklog(of: hub) }
    case .nothing, .connection: break
    case .output: report.contendedTurns += 1
    case .input(let limit):
      report.contendedTurns += 1
      if hub.core.hasBacklog {
        let start = hub.busyTime
        let count = hub.core.workOnBacklog(limit: limit, at: now)
        spend(count, hub)
        hub.scheduler.noteInput(count, elapsed: (hub.busyTime - start).nanoseconds)
      }
      if !hub.waitingReaders.isEmpty { resumeReading(hub.waitingReaders.removeFirst(), of: hub) }
      return hub.hasNews || hub.core.commandCount > 0 || hub.core.isLogBehind
    }
    return true
  }

  private func useBacklog(of hub: HubProcess) {
    var rounds = chance.pick([0, 1, 2, 100])
    while rounds > 0, hub.core.hasBacklog {
      spend(hub.core.workOnBacklog(limit: chance.pick([1, 3, 50]), at: now), hub)
      rounds -= 1
    }
  }

  func resumeReading(_ link: Link, of hub: HubProcess) {
    if link.hub === hub, link.isOpenAtHub { link.isPaused = false }
  }

  // MARK: Time

  private func spend(_ count: Int, _ hub: HubProcess) {
    hub.busyTime += Self.unitTime * count
    hub.clock = max(hub.clock, now) + Self.unitTime * count
  }

  private func milliseconds(of hub: HubProcess) -> UInt64 {
    hub.clock = max(hub.clock, now)
    return hub.clock.nanoseconds / 1_000_000
  }
}

extension Duration {
  /// The whole nanoseconds.
  var nanoseconds: UInt64 { UInt64(clamping: attoseconds / 1_000_000_000) }
}
