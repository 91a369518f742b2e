import HubCore
internal import RandomNumbers

// Clients with little traffic that share the hub with clients that send much, as in `StoreHub/HubShell+Reading`. SplitMix
// decides which clients these are, and which work comes first; the real shell decides by bytes and times.

extension Simulation {
  /// Handles a small part of a connection's input; the rest waits until the other clients have been served.
  ///
  /// - Returns: True if nothing waits and the shell reads on.
  func receiveInContention(_ bytes: [UInt8], on link: Link, of hub: HubProcess) -> Bool {
    let (time, sentMuch) = (now, now < link.sendsMuchUntil)
    let span = bytes.span.bytes
    let work = hub.informed.received(
      span, on: link.id, at: time, limit: 0, guaranteed: sentMuch ? 0 : plan.guaranteedWork)
    let isFull = competition.hits(200)
    if isFull || competition.hits(200) {
      link.sendsMuchUntil = now + .seconds(1)
      hub.core.noteMuch(from: link.id)
    }
    guard work.isComplete, isFull else { return work.isComplete }
    // More is waiting.
    hub.waitingReaders.append(link)
    return false
  }

  /// Begins or ends a contention. It outlasts the faults, so that a client that waits for its end is found.
  func updateContention(of hub: HubProcess) {
    guard plan.contention > 0 else { return }
    if hub.isContended {
      hub.isContended = (isSettling || !competition.hits(50)) && !hub.isStopping
    } else {
      hub.isContended = (isSettling || competition.hits(plan.contention)) && !hub.isStopping
    }
    hub.core.isContended = hub.isContended
    hub.core.answersFirst = hub.isContended
  }

  /// Does one short piece of the waiting work. Returns false if the turn has no output yet.
  func workInContention(_ hub: HubProcess, _ continues: Bool) -> Bool {
    guard continues, hub.isContended else { return true }
    hub.workCount += 1
    report.contendedTurns += 1
    let hasInput = hub.core.hasBacklog || !hub.waitingReaders.isEmpty
    guard hasInput, !hub.workCount.isMultiple(of: 4), competition.hits(700) else {
      hub.core.answersFirst = false
      return true
    }
    if hub.core.hasBacklog {
      hub.core.workOnBacklog(limit: competition.pick([2, 5, 50]), at: now)
    }
    if !hub.waitingReaders.isEmpty { resumeReading(hub.waitingReaders.removeFirst(), of: hub) }
    return hub.hasNews || hub.core.commandCount > 0 || hub.core.isLogBehind
  }

  func resumeReading(_ link: Link, of hub: HubProcess) {
    if link.hub === hub, link.isOpenAtHub { link.isPaused = false }
  }
}
