import ComposableArchitecture
import Wire

extension HubCore {
  /// Ends a loop turn: everyone who can be written to is brought up to date, each with one write.
  ///
  /// - Returns: Whether there is anything for the shell to do.
  /// - Complexity: One encoding of what changed; O(1) for each follower that is up to date and each session that
  ///   something is owed to. A turn in which nothing happened costs nothing.
  @discardableResult
  public mutating func endTurn() -> Bool {
    if let publishedRevision, publishedRevision != revision { publish() }
    if !owed.isEmpty {
      for slot in owed {
        connections[slot].isOwed = false
        bringUpToDate(slot)
      }
      owed.removeAll(keepingCapacity: true)
    }
    return !commands.isEmpty || reducing.hasCommands || deadline != nil
  }

  /// Makes the current state the published one and sends everyone who was up to date the delta to it.
  private mutating func publish() {
    guard let oldRevision = publishedRevision, let oldState = published.take() else { return }
    guard !followers.isEmpty else {
      publishedRevision = nil
      return
    }
    let old = (revision: oldRevision, state: oldState)
    let new = (revision: revision, state: state)
    (publishedRevision, published) = new
    var behind = 0
    var delta: Range<Int>?
    for slot in followers where connections[slot].following == .revision(old.revision) {
      guard !connections[slot].isBusy else {
        behind += 1
        continue
      }
      let range = delta ?? writeDelta(from: old, to: new)
      delta = range
      connections[slot].following = .revision(new.revision)
      let own = writeOwed(to: slot)
      commands.append(.write(id(of: slot), shared: range, own: own))
    }
    versions.keep(old.state, at: old.revision, holders: behind)
  }

  /// Writes what one connection is owed: state first, so that an acknowledgement never precedes what it speaks of.
  private mutating func bringUpToDate(_ slot: Int) {
    guard connections[slot].phase == .live, !connections[slot].isBusy else { return }
    let shared = writeState(to: slot)
    let own = writeOwed(to: slot)
    if !shared.isEmpty || !own.isEmpty { commands.append(.write(id(of: slot), shared: shared, own: own)) }
  }

  /// Writes what brings a follower to the published state, or finds it among what this turn has written.
  private mutating func writeState(to slot: Int) -> Range<Int> {
    let following = connections[slot].following
    guard following != .nothing, let publishedRevision, following != .revision(publishedRevision), let published
    else { return 0..<0 }
    let current = (revision: publishedRevision, state: published)
    connections[slot].following = .revision(publishedRevision)
    switch following {
    case .nothing:
      return 0..<0
    case .snapshotDue(let reason):
      return writeSnapshot(of: current, reason)
    case .revision(let revision):
      guard let base = versions.state(at: revision) else { return writeSnapshot(of: current, .versionNotKept) }
      defer { versions.release(revision) }
      return deltas.first { $0.base == revision }?.range ?? writeDelta(from: (revision, base), to: current)
    }
  }

  /// Writes the acknowledgement, refusals and pong that a connection has coming; often nothing.
  private mutating func writeOwed(to slot: Int) -> Range<Int> {
    let start = output.count
    let rejectionCount = connections[slot].session.rejections.count
    if rejectionCount > connections[slot].toldRejections {
      for rejected in connections[slot].session.rejections[connections[slot].toldRejections...] {
        output.frame(rejected, revision: revision)
      }
      connections[slot].toldRejections = rejectionCount
    }
    let processed = connections[slot].session.processed
    if processed > connections[slot].toldProcessed {
      output.frame(FrameHeader(kind: .applied, revision: revision)) { $0.unsigned(processed) }
      connections[slot].toldProcessed = processed
    }
    if let number = connections[slot].owedPong {
      output.frame(Pong(number: number), revision: revision)
      connections[slot].owedPong = nil
    }
    return start..<output.count
  }

  private mutating func writeDelta(
    from base: (revision: UInt64, state: State), to published: (revision: UInt64, state: State)
  ) -> Range<Int> {
    let range = output.frame(FrameHeader(kind: .delta, revision: published.revision)) {
      $0.arrayHeader(count: 2)
      $0.unsigned(base.revision)
      published.state.encodeDelta(from: base.state, to: &$0)
    }
    deltas.append((base.revision, range))
    return range
  }

  private mutating func writeSnapshot(
    of published: (revision: UInt64, state: State), _ reason: SnapshotReason
  ) -> Range<Int> {
    if let written = snapshots.first(where: { $0.reason == reason }) { return written.range }
    let range = SnapshotChunk.write(
      published.state.encoded(), reason: reason, scope: 0, revision: published.revision, to: &output)
    snapshots.append((reason, range))
    return range
  }
}
