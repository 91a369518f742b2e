import HubCore
import Wire

// The virtual shell: one turn of its loop.

extension LoadSimulation {
  func runLoop() throws {
    clock.spend(Cost.poll)
    for client in clients where client.isRead && !client.unread.isEmpty { read(client) }
    accept()
    guard hasNews || continues else {
      // Nothing happens until a client acts.
      return clock.spend(20_000)
    }
    let continues = continues
    self.continues = false
    plan = scheduler.plan(
      continues: continues, isStopping: false, hasSnapshots: core.isSendingSnapshots,
      TurnScheduler.Waiting(
        connections: queued.count, hasFrames: core.hasBacklog, hasSnapshots: core.isSendingSnapshots,
        heldBack: core.heldBackCount, readers: waitingReaders.count),
      at: TurnScheduler.Time(milliseconds: turnStart / 1_000_000, nanoseconds: clock.now))
    guard perform(plan.work) else {
      self.continues = true
      return
    }
    hasNews = false
    scheduler.beginTurn()
    let now = clock.time
    if core.endTurn(at: now, plan: plan) {
      try performCommands()
      if core.hasPublished { core.published(from: now, to: clock.time) }
    }
    self.continues =
      core.needsAnotherTurn || !waitingReaders.isEmpty || !queued.isEmpty
      || core.publicationDue.map { $0 <= clock.time } ?? false
  }

  private func read(_ client: LoadClient) {
    guard let id = client.id else { return }
    let bytes = client.read(atMost: plan.limitsReads ? client.sender.readLimit : 64 * 1024)
    clock.spend(Cost.read + UInt64(bytes.count))
    let milliseconds = turnStart / 1_000_000
    hasNews = true
    if scheduler.isContended {
      let guaranteed = scheduler.guaranteed(to: client.sender, at: milliseconds)
      let work = receive(bytes, on: id, limit: 0, guaranteed: guaranteed)
      let read = scheduler.noteContendedRead(work, of: bytes.count, from: &client.sender, at: milliseconds)
      client.isRead = read.nextRead == .onArrival
      if read.nextRead == .inItsTurn, bug != .shellForgetsAReader { waitingReaders.append(client) }
      if read.outputMayWait { core.letOutputWait(of: id) }
    } else {
      let limit = bug == .shellHasNoLimits ? .max : scheduler.readLimit
      let work = receive(bytes, on: id, limit: limit, guaranteed: scheduler.guaranteed)
      scheduler.noteWork(work.count, now: clock.now, turnStart: turnStart)
      client.isRead = work.isComplete
      if scheduler.concerns(work, of: bytes.count) {
        scheduler.noteRead(work, of: bytes.count, from: &client.sender, at: milliseconds)
      }
    }
  }

  private func receive(_ bytes: [UInt8], on id: ConnectionID, limit: Int, guaranteed: Int) -> TurnScheduler.Work {
    let (span, time) = (bytes.span.bytes, clock.time)
    let work = core.received(span, on: id, at: time, limit: limit, guaranteed: guaranteed)
    clock.spend(UInt64(work.count) * Cost.frame)
    return work
  }

  // MARK: Connections

  private func accept() {
    for count in 0..<min(plan.acceptLimit, arriving.count) {
      let client = arriving.removeFirst()
      clients.append(client)
      if !scheduler.isContended, queued.isEmpty, count < 2 {
        open(client)
      } else {
        queued.append(client)
        scheduler.noteQueue(queued.count, at: turnStart / 1_000_000)
      }
    }
  }

  private func open(_ client: LoadClient) {
    clock.spend(Cost.opening)
    hasNews = true
    let peer = Peer(process: 1, user: client.user, group: client.user)
    client.opened(as: core.connected(peer, at: clock.time), at: clock.now)
  }

  // MARK: Plans

  /// Does the work of a plan before the turn's output. Returns false if the turn has no output yet.
  private func perform(_ work: TurnPlan.Work) -> Bool {
    switch work {
    case .everything:
      let start = clock.now
      while !queued.isEmpty, clock.now - start < 50_000 { open(queued.removeFirst()) }
      for client in waitingReaders { client.isRead = true }
      waitingReaders = []
      while core.hasBacklog, scheduler.limit > 0 || bug == .shellHasNoLimits {
        let limit = bug == .shellHasNoLimits ? .max : scheduler.limit
        scheduler.noteWork(workOnBacklog(limit), now: clock.now, turnStart: turnStart)
      }
    case .nothing, .output: break
    case .connection: open(queued.removeFirst())
    case .input(let limit):
      if core.hasBacklog {
        let start = clock.now
        scheduler.beginInput()
        var count = 0
        while count < limit, core.hasBacklog, !scheduler.isInputLate { count += workOnBacklog(limit - count) }
        scheduler.noteInput(count, elapsed: clock.now - start)
      }
      if !waitingReaders.isEmpty { waitingReaders.removeFirst().isRead = true }
      return hasNews || core.commandCount > 0
    }
    return true
  }

  private func workOnBacklog(_ limit: Int) -> Int {
    let count = core.workOnBacklog(limit: limit, at: clock.time)
    clock.spend(UInt64(count) * Cost.frame)
    return count
  }

  private func performCommands() throws {
    var next = 0
    while next < core.commandCount {
      let command = core.command(next)
      next += 1
      switch command {
      case .write(let id, let run):
        clock.spend(Cost.write)
        let output = core.output.bytes
        guard let client = clients.first(where: { $0.id == id }) else { continue }
        let bytes = core.ranges[run].flatMap { output[$0] }
        if let time = try client.receive(bytes, at: clock.now) { try checkWait(time, of: client) }
      case .resumeReading(let id): clients.first { $0.id == id }?.isRead = true
      case .close(let id), .abort(let id):
        throw Violation(.connectionLost, "the hub closes connection \(id.index)")
      case .report, .effect, .store, .saveSnapshot, .releaseMemory, .forwarding: break
      }
    }
    core.clear()
  }
}
