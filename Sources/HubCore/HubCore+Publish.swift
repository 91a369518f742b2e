import ComposableArchitecture
import Wire

extension HubCore {
  /// Ends a loop turn: everyone who can be written to is brought up to date, each with one write.
  ///
  /// Who acted is always told in the same turn. When many others follow what has changed, they are told of the changes of
  /// several turns at once (`HubLimits.gathering`).
  ///
  /// - Parameter now: The time; nil to tell everyone, whatever was before.
  /// - Returns: Whether there is anything for the shell to do.
  /// - Complexity: One encoding of what changed; O(1) for each follower of a place that changed and each session that
  ///   something is owed to. A turn in which nothing happened costs nothing.
  @discardableResult
  public mutating func endTurn(at now: Duration? = nil) -> Bool {
    outgoing.snapshotBudget = limits.snapshotBytesPerTurn
    if !unfinished.isEmpty {
      for slot in unfinished { owe(slot) }
      unfinished.removeAll(keepingCapacity: true)
    }
    publish(at: now)
    if !owed.isEmpty {
      for slot in owed {
        connections[slot].isOwed = false
        bringUpToDate(slot)
      }
      owed.removeAll(keepingCapacity: true)
    }
    // What was encoded meant nothing to anyone.
    if commands.isEmpty, outgoing.writer.count > 0 { clear() }
    return !commands.isEmpty || reducing.hasCommands || deadline != nil
  }

  /// Whether a state has changed since it was published. One that nobody follows is not published.
  private var isUnpublished: Bool {
    publisher.publishedRevision.map { $0 != revision } ?? false
      || hubPublisher.publishedRevision.map { $0 != hubRevision } ?? false
  }

  /// Publishes what has changed, and decides who is told of it in this turn.
  private mutating func publish(at now: Duration?) {
    // Counted from the first turn after the writes, which may take longer than the time between them.
    if let now, let time = gatheringTime.take() { nextFanOut = now + time }
    guard isUnpublished || !gathering.isEmpty else { return }
    if let now, now < nextFanOut {
      deadline = deadline.map { min($0, nextFanOut) } ?? nextFanOut
      // Without anybody who follows and must be told now, even the encoding is left to the next time.
      guard owed.contains(where: { !connections[$0].scopes.isEmpty }) else { return }
      publishChanges()
      gather(publisher.due)
      gather(hubPublisher.due)
      return
    }
    publishChanges()
    let count = publisher.due.count + hubPublisher.due.count + gathering.count
    for slot in publisher.due { owe(slot) }
    for slot in hubPublisher.due { owe(slot) }
    for slot in gathering {
      connections[slot].isGathering = false
      owe(slot)
    }
    gathering.removeAll(keepingCapacity: true)
    if count >= limits.fewFollowers { gatheringTime = min(limits.gathering * count, limits.longestGathering) }
  }

  private mutating func publishChanges() {
    publisher.publish(state, at: revision, &outgoing)
    hubPublisher.publish(hubState, at: hubRevision, &outgoing)
  }

  /// Has those wait who are owed nothing else.
  private mutating func gather(_ due: [Int]) {
    for slot in due where !connections[slot].isOwed && !connections[slot].isGathering {
      connections[slot].isGathering = true
      gathering.append(slot)
    }
  }

  /// Writes what one connection is owed: state first, so that an acknowledgement never precedes what it speaks of.
  private mutating func bringUpToDate(_ slot: Int) {
    guard connections[slot].phase == .live, !connections[slot].isBusy else { return }
    outgoing.begin()
    let isUpToDate = connections[slot].scopes.isEmpty || writeScopes(of: slot)
    writeOwed(to: slot, isUpToDate: isUpToDate)
    let run = outgoing.run
    if !run.isEmpty { commands.append(.write(id(of: slot), pieces: run)) }
    if !isUpToDate { unfinished.append(slot) }
  }

  /// Brings what a connection follows up to date, and says whether it was possible in this turn.
  private mutating func writeScopes(of slot: Int) -> Bool {
    var isUpToDate = true
    for scope in connections[slot].scopes {
      switch scope.root {
      case .hub:
        hubPublisher.bringUpToDate(scope.follower, &outgoing)
        if hubPublisher.isUnfinished(scope.follower) { isUpToDate = false }
      default:
        publisher.bringUpToDate(scope.follower, &outgoing)
        if publisher.isUnfinished(scope.follower) { isUpToDate = false }
      }
    }
    return isUpToDate
  }

  /// Writes what a connection has coming besides state; often nothing.
  ///
  /// Acknowledgements and refusals wait until the state that they speak of is whole.
  private mutating func writeOwed(to slot: Int, isUpToDate: Bool) {
    let start = outgoing.writer.count
    if isUpToDate {
      let rejectionCount = connections[slot].session.rejections.count
      if rejectionCount > connections[slot].toldRejections {
        for rejected in connections[slot].session.rejections[connections[slot].toldRejections...] {
          outgoing.writer.frame(rejected, revision: revision)
        }
        connections[slot].toldRejections = rejectionCount
      }
      let processed = connections[slot].session.processed
      if processed > connections[slot].toldProcessed {
        outgoing.writer.frame(FrameHeader(kind: .applied, revision: revision)) { $0.unsigned(processed) }
        connections[slot].toldProcessed = processed
      }
    }
    if let number = connections[slot].owedPong {
      outgoing.writer.frame(Pong(number: number), revision: revision)
      connections[slot].owedPong = nil
    }
    if !connections[slot].owedDetached.isEmpty {
      for number in connections[slot].owedDetached {
        outgoing.writer.frame(FrameHeader(kind: .detached, scope: number)) { _ in }
      }
      connections[slot].owedDetached = []
    }
    if connections[slot].owesSchema {
      outgoing.writer.frame(FrameHeader(kind: .schema)) { schema.encode(to: &$0) }
      connections[slot].owesSchema = false
    }
    outgoing.add(start..<outgoing.writer.count)
  }
}
