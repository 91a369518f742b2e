internal import EventLoop
internal import HubCore

// Input from clients: how much of it is handled at once, and what waits while clients compete for the loop.

extension HubShell {
  func received(_ bytes: RawSpan, on id: ConnectionID) {
    lastSender = id
    if turnWatch.isOn { turnWatch.begin(loop.nanoseconds) }
    if slowReads.isOn { return receivedTimed(bytes, on: id) }
    handle(bytes, on: id)
  }

  /// Handles and times the bytes, after a blocked turn: the log then names exactly the action that blocks the next
  /// turn.
  func receivedTimed(_ bytes: RawSpan, on id: ConnectionID) {
    let (start, peer) = (loop.nanoseconds, core.peer(of: id))
    handle(bytes, on: id)
    guard let peer else { return }
    slowReads.note(loop.nanoseconds - start, at: loop.turnMilliseconds) { ($0, lastNames(), peer) }
  }

  func handle(_ bytes: RawSpan, on id: ConnectionID) {
    guard !core.isLogBehind else { return receivedBehindLog(bytes, on: id) }
    guard !scheduler.isContended else { return receivedInContention(bytes, on: id) }
    hasNews = true
    let work = core.received(
      bytes, on: id, at: loop.now, limit: scheduler.readLimit, guaranteed: scheduler.guaranteed)
    noteWork(work.count)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
    if scheduler.concerns(work, of: bytes.byteCount), let connection = connections[id.index] {
      scheduler.noteRead(work, of: bytes.byteCount, from: &connection.sender, at: loop.turnMilliseconds)
    }
  }

  func receivedBehindLog(_ bytes: RawSpan, on id: ConnectionID) {
    hasNews = true
    let work = core.received(bytes, on: id, at: loop.now, limit: 0)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
  }

  /// Handles a small part of each connection's input; the rest waits until the other clients have been served.
  func receivedInContention(_ bytes: RawSpan, on id: ConnectionID) {
    guard let connection = connections[id.index] else { return }
    let now = loop.turnMilliseconds
    let guaranteed = scheduler.guaranteed(to: connection.sender, at: now)
    hasNews = true
    let work = core.received(bytes, on: id, at: loop.now, limit: 0, guaranteed: guaranteed)
    let plan = scheduler.noteContendedRead(work, of: bytes.byteCount, from: &connection.sender, at: now)
    switch plan.nextRead {
    case .onArrival: break
    case .afterBacklog: connection.stream.stopReading()
    case .inItsTurn:
      connection.stream.stopReading()
      waitingReaders.append(id)
    }
    if plan.outputMayWait { core.letOutputWait(of: id) }
    connection.stream.readLimit = connection.sender.readLimit
  }

  func noteWork(_ count: Int) {
    scheduler.noteWork(count, now: loop.nanoseconds, turnStart: loop.turnNanoseconds)
  }

  /// Returns true if a turn has no time for further actions.
  func isLate() -> Bool { scheduler.isLate(turnAge: loop.turnAge) }

  /// What the turn does. It also sets how much the loop and the socket take in until the next one.
  func plan(_ continues: Bool) -> TurnPlan {
    // Without the functions that describe what waits, which cost 70 instructions.
    guard scheduler.isContended || limitsArrivals else {
      return TurnScheduler.uncontendedPlan(
        continues: continues, isStopping: isStopping, hasSnapshots: core.isSendingSnapshots)
    }
    let plan = scheduler.plan(
      continues: continues, isStopping: isStopping, hasSnapshots: core.isSendingSnapshots,
      TurnScheduler.Waiting(
        connections: admission.count, hasFrames: core.hasBacklog, hasSnapshots: core.isSendingSnapshots,
        heldBack: core.heldBackCount, readers: waitingReaders.count),
      at: TurnScheduler.Time(milliseconds: loop.turnMilliseconds, nanoseconds: loop.nanoseconds))
    if plan.limitsReads != limitsArrivals {
      limitsArrivals = plan.limitsReads
      loop.limitsReads = plan.limitsReads
      socket?.acceptAtMost(plan.acceptLimit)
    }
    return plan
  }

  /// Does the work of a plan before the turn's output. Returns false if the turn has no output yet.
  func perform(_ work: TurnPlan.Work) -> Bool {
    switch work {
    case .everything:
      if admission.isInUse { openWaiting() }
      if !waitingReaders.isEmpty { resumeWaitingReaders() }
      while core.hasBacklog, scheduler.limit > 0, !core.isLogBehind, handingOver == nil {
        noteWork(core.workOnBacklog(limit: scheduler.limit, at: loop.now))
      }
    case .nothing, .output: break
    case .connection: openNext()
    case .input(let limit):
      if core.hasBacklog, !core.isLogBehind { workOnBacklog(limit: limit) }
      if !waitingReaders.isEmpty { resumeReading(waitingReaders.removeFirst()) }
      return hasNews || core.commandCount > 0 || core.isLogBehind
    }
    return true
  }

  private func workOnBacklog(limit: Int) {
    let start = loop.nanoseconds
    scheduler.beginInput()
    var count = 0
    while count < limit, core.hasBacklog, !scheduler.isInputLate {
      count += core.workOnBacklog(limit: limit - count, at: loop.now)
    }
    scheduler.noteInput(count, elapsed: loop.nanoseconds - start)
  }

  func resumeWaitingReaders() {
    for id in waitingReaders { resumeReading(id) }
    waitingReaders = []
  }

  func resumeReading(_ id: ConnectionID) {
    guard let connection = connection(id), handingOver == nil else { return }
    do throws(UVError) { try connection.stream.resumeReading() } catch { readingEnded(id, error) }
  }
}
