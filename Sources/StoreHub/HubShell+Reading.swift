internal import EventLoop
internal import HubCore

// Input from clients: how much of it is handled at once, and what waits while clients compete for the loop.

extension HubShell {
  func received(_ bytes: RawSpan, on id: ConnectionID) {
    lastSender = id
    loop.readBuffer.noteStart(core.startOfFirstFrame(in: bytes, on: id))
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
    guard !contention.isOn else { return receivedInContention(bytes, on: id) }
    let work = informed.received(bytes, on: id, at: loop.now, limit: meter.readLimit, guaranteed: Contention.guaranteed)
    noteWork(work.count)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
    // Most turns end here, because no client has sent much recently.
    if Contention.isMuch(work, of: bytes.byteCount) {
      contention.noteMuch(from: connections[id.index], at: loop.turnMilliseconds)
    } else if contention.isPossible {
      contention.noteLittle(work.count, from: connections[id.index], at: loop.turnMilliseconds)
    }
  }

  func receivedBehindLog(_ bytes: RawSpan, on id: ConnectionID) {
    let work = informed.received(bytes, on: id, at: loop.now, limit: 0)
    if !work.isComplete { connections[id.index]?.stream.stopReading() }
  }

  /// Handles a small part of each connection's input; the rest waits until the other clients have been served.
  func receivedInContention(_ bytes: RawSpan, on id: ConnectionID) {
    guard let connection = connections[id.index] else { return }
    let now = loop.turnMilliseconds
    let sentMuch = Contention.sendsMuch(connection, at: now)
    // The guaranteed work is for the user's other connections.
    let work = informed.received(
      bytes, on: id, at: loop.now, limit: 0, guaranteed: sentMuch ? 0 : Contention.guaranteed)
    let isFull = bytes.byteCount >= connection.stream.readLimit
    if !work.isComplete {
      connection.stream.stopReading()
    } else if isFull {
      // More is waiting.
      connection.stream.stopReading()
      waitingReaders.append(id)
    }
    if isFull || Contention.isMuch(work, of: bytes.byteCount) {
      contention.noteMuch(from: connection, at: now)
      core.noteMuch(from: id)
      let isInsideFrame = work == (0, true)
      connection.stream.readLimit = isInsideFrame ? Contention.contendedRead.large : Contention.contendedRead.small
    } else {
      contention.noteLittle(work.count, from: connection, at: now)
      if !sentMuch { connection.stream.readLimit = Contention.muchBytes }
    }
  }

  func noteWork(_ count: Int) {
    meter.note(count, now: loop.nanoseconds, turnStart: loop.turnNanoseconds)
  }

  /// Returns true if a turn has no time for further actions, although it has not reached their limit: they are slower
  /// than those before.
  func isLate() -> Bool {
    if loop.turnAge >= WorkMeter.longTurn { meter.isLate = true }
    return meter.isLate
  }

  /// Does one short piece of the waiting work between two polls. Returns false if the turn has no output yet.
  ///
  /// A poll costs less than writing the output of a turn. Clients that send much are therefore answered at intervals,
  /// and only the other clients in each turn.
  func workInContention(_ continues: Bool) -> Bool {
    contention.update(at: loop.turnMilliseconds)
    // The last turns send everything.
    let isContended = contention.isOn && !isStopping
    if core.isContended != isContended { setContended(isContended) }
    core.answersFirst = isContended
    guard continues, isContended else { return true }
    let now = loop.nanoseconds
    workCount &+= 1
    let waiting = Contention.Waiting(
      connections: admission.count, hasFrames: core.hasBacklog, hasSnapshots: core.isSendingSnapshots,
      heldBack: core.heldBackCount, readers: waitingReaders.count)
    switch Contention.nextWork(workCount, of: waiting, sinceOutput: now - lastOutput) {
    case .connection:
      openNext()
      return true
    case .output:
      lastOutput = now
      core.answersFirst = false
      return true
    case .input: break
    }
    if core.hasBacklog, !core.isLogBehind {
      meter.isLate = false
      let limit = meter.contendedLimit
      var count = 0
      while count < limit, core.hasBacklog, !meter.isLate {
        count += core.workOnBacklog(limit: limit - count, at: loop.now)
      }
      meter.noteContended(count, elapsed: loop.nanoseconds - now)
    }
    if !waitingReaders.isEmpty { resumeReading(waitingReaders.removeFirst()) }
    return hasNews || core.commandCount > 0 || core.isLogBehind
  }

  func setContended(_ isContended: Bool) {
    core.isContended = isContended
    loop.limitsReads = isContended
    socket?.acceptAtMost(isContended ? Admission.acceptedInContention : Admission.acceptedPerTurn)
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
