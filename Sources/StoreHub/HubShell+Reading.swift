internal import EventLoop
internal import HubCore

// Input from clients: how much of it is handled at once, and what waits while clients compete for the loop.

extension HubShell {
  func received(_ bytes: RawSpan, on id: ConnectionID) {
    lastSender = id
    if slowReads.isOn { return receivedTimed(bytes, on: id) }
    handle(bytes, on: id)
  }

  /// Handles and times the bytes, after a blocked turn: the log then names exactly the action that blocks the next
  /// turn.
  func receivedTimed(_ bytes: RawSpan, on id: ConnectionID) {
    let (start, peer) = (loop.nanoseconds, core.peer(of: id))
    handle(bytes, on: id)
    guard let peer else { return }
    slowReads.note(loop.nanoseconds - start, at: loop.turnMilliseconds) { ($0, core.names(ofActionsIn: bytes), peer) }
  }

  func handle(_ bytes: RawSpan, on id: ConnectionID) {
    guard !core.isLogBehind else { return receivedBehindLog(bytes, on: id) }
    guard !contention.isOn else { return receivedInContention(bytes, on: id) }
    let work = informed.received(bytes, on: id, at: loop.now, limit: meter.limit, guaranteed: Contention.guaranteed)
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
    let work = informed.received(bytes, on: id, at: loop.now, limit: 0, guaranteed: Contention.guaranteed)
    guard let connection = connections[id.index] else { return }
    if !work.isComplete {
      connection.stream.stopReading()
    } else if bytes.byteCount >= Contention.muchBytes {
      // A part of a large frame, which arrives over several turns as well.
      connection.stream.stopReading()
      waitingReaders.append(id)
    }
    if Contention.isMuch(work, of: bytes.byteCount) {
      contention.noteMuch(from: connection, at: loop.turnMilliseconds)
    } else {
      contention.noteLittle(work.count, from: connection, at: loop.turnMilliseconds)
    }
  }

  func noteWork(_ count: Int) {
    meter.note(count, now: loop.nanoseconds, turnStart: loop.turnNanoseconds)
  }

  /// Handles waiting frames for a short time, once between two polls, and resumes reading from one connection.
  func workInContention() {
    contention.update(at: loop.turnMilliseconds)
    core.isContended = contention.isOn
    guard hasPolled, handingOver == nil else { return }
    hasPolled = false
    if core.hasBacklog, !core.isLogBehind {
      let (start, limit) = (loop.nanoseconds, meter.contendedLimit)
      var count = 0
      while count < limit, core.hasBacklog { count += core.workOnBacklog(limit: limit - count, at: loop.now) }
      meter.noteContended(count, elapsed: loop.nanoseconds - start)
    }
    if !waitingReaders.isEmpty { resumeReading(waitingReaders.removeFirst()) }
    if !contention.isOn { resumeWaitingReaders() }
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
