import Wire

extension HubCore {
  /// Ends a loop turn: everyone who can be written to is brought up to date, each with one write.
  ///
  /// - Complexity: One encoding of what changed; O(1) for each follower that is up to date and each session that
  ///   something is owed to. A turn in which nothing happened costs nothing.
  public mutating func endTurn() {
    publish()
    for slot in owed {
      connections[slot].isOwed = false
      bringUpToDate(slot)
    }
    owed.removeAll(keepingCapacity: true)
  }

  /// Makes the current state the published one and sends everyone who was up to date the delta to it.
  private mutating func publish() {
    guard let old = published, old.revision != revision else { return }
    guard !followers.isEmpty else {
      published = nil
      return
    }
    let new = (revision: revision, state: state)
    published = new
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
    let shared = published.map { writeState(to: slot, $0) } ?? 0..<0
    let own = writeOwed(to: slot)
    if !shared.isEmpty || !own.isEmpty { commands.append(.write(id(of: slot), shared: shared, own: own)) }
  }

  /// Writes what brings a follower to the published state, or finds it among what this turn has written.
  private mutating func writeState(to slot: Int, _ published: (revision: UInt64, state: State)) -> Range<Int> {
    switch connections[slot].following {
    case .nothing, .revision(published.revision):
      return 0..<0
    case .snapshotDue(let reason):
      connections[slot].following = .revision(published.revision)
      return writeSnapshot(of: published, reason)
    case .revision(let revision):
      connections[slot].following = .revision(published.revision)
      guard let base = versions.state(at: revision) else { return writeSnapshot(of: published, .versionNotKept) }
      defer { versions.release(revision) }
      return deltas.first { $0.base == revision }?.range ?? writeDelta(from: (revision, base), to: published)
    }
  }

  /// Writes the acknowledgement, refusals and pong that a connection has coming; often nothing.
  private mutating func writeOwed(to slot: Int) -> Range<Int> {
    let start = output.count
    let session = connections[slot].session
    for rejected in session.rejections.dropFirst(connections[slot].toldRejections) {
      output.frame(rejected, revision: revision)
    }
    connections[slot].toldRejections = session.rejections.count
    if session.processed > connections[slot].toldProcessed {
      output.frame(FrameHeader(kind: .applied, revision: revision)) { $0.unsigned(session.processed) }
      connections[slot].toldProcessed = session.processed
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
