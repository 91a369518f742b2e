import ClusterCore
import ClusterLog
import Wire

/// What goes wrong, and what the operator does.
extension ClusterSimulation {
  private static let tickLength: Int64 = 100_000

  func tick() throws {
    events.add(.tick, at: now + Self.tickLength)
    if !isSettling { try injectFaults() }
    try tendLinks()
    for node in nodes where (node.isCutToStore || node.isCutFromStore) && now >= node.cutUntil {
      (node.isCutToStore, node.isCutFromStore) = (false, false)
    }
    if now >= store.quorumAt, !waiting.isEmpty {
      // Some of the requests have reached a member that still has them.
      for request in waiting where chance.hits(500) { events.add(.request(request), at: now + delay()) }
      waiting = []
    }
    try operate()
    for node in nodes where node.process == nil && node.isOn && (isSettling || chance.hits(60)) { try start(node) }
  }

  private func injectFaults() throws {
    let faults = plan.faults
    if chance.hits(faults.quorumLost) {
      report.outages += 1
      store.quorumAt = max(store.quorumAt, now + time(upTo: 4000))
      trace.note(Duration.microseconds(now), "quorum lost")
    }
    if chance.hits(faults.storeCut) {
      let node = chance.pick(nodes)
      (node.isCutToStore, node.isCutFromStore) = chance.pick([(true, true), (true, false), (false, true)])
      node.cutUntil = now + time(upTo: 6000)
      report.storeCuts += 1
      note("store cut", node)
    }
    if nodes.count > 1, chance.hits(faults.linkCut) {
      let first = chance.number(0...nodes.count - 2)
      let index = linkIndex(first, chance.number(first + 1...nodes.count - 1))
      links[index].isCut = chance.pick([[true, true], [true, false], [false, true]])
      links[index].cutUntil = now + time(upTo: 8000)
      report.linkCuts += 1
      trace.note(Duration.microseconds(now), "link cut", index)
    }
    if chance.hits(faults.pause) {
      let node = chance.pick(nodes)
      node.pausedUntil = max(node.pausedUntil, now + time(upTo: 5000))
      report.pauses += 1
      note("pause", node)
    }
    if chance.hits(faults.crash) {
      let node = chance.pick(nodes)
      if node.process != nil { report.crashes += 1 }
      crash(node)
    }
    if chance.hits(faults.diskLost) { loseDisk(chance.pick(nodes)) }
    if chance.hits(faults.storeFull) {
      store.limit = store.content.liveBytes + store.content.oldBytes + chance.number(0...2000)
      trace.note(Duration.microseconds(now), "almost full")
    }
    if let twin = nodes.last, twin.isTwin, !twin.isOn, chance.hits(10) {
      (twin.isOn, twin.disk) = (true, ClusterNode.Disk())
      report.twins += 1
      note("twin", twin)
      try start(twin)
    }
    if chance.hits(20) { takeBackup() }
    if chance.hits(faults.backupRestored) { restoreBackup() }
    if chance.hits(faults.upgrade) { try upgrade(chance.pick(nodes)) }
    if chance.hits(faults.transfer) { try transfer() }
    if faults.removal > 0, chance.hits(faults.removal) { remove(chance.pick(nodes).name) }
  }

  /// True if a journal could continue with the log alone: the log still has its last entry.
  private func canContinue(_ disk: ClusterNode.Disk) -> Bool {
    let first = store.content.entries.lowerBound
    return truth.hasStored(disk) && (first == 1 || disk.syncedPosition >= first)
  }

  func hasStored(_ node: ClusterNode, upTo position: UInt64) -> Bool {
    truth.hasStored(node.disk) && node.disk.syncedPosition >= position
  }

  /// True if the node has what its journal ever had: its disk was not lost, or it has caught up since.
  private func isIntact(_ node: ClusterNode) -> Bool {
    !node.isTwin && hasStored(node, upTo: truth.stored[node.name] ?? 0)
  }

  /// A machine burns down, if a majority of the others is intact: no cluster survives the loss of a majority. The new one
  /// gets the journal of the backup that was restored, if that is of use.
  private func loseDisk(_ node: ClusterNode) {
    let others = nodes.count { $0 !== node && !$0.isRelay && isIntact($0) }
    guard !node.isTwin, node.isRelay || others > plan.nodeCount / 2 else { return }
    crash(node)
    node.disk = canContinue(restoredDisk) ? restoredDisk : ClusterNode.Disk()
    report.disksLost += 1
    note("disk lost", node)
  }

  private func takeBackup() {
    guard let node = nodes.first(where: { !$0.isTwin && canContinue($0.disk) }) else { return }
    var disk = node.disk
    disk.entries.removeLast(disk.entries.count - disk.syncedCount)
    backup = Backup(content: store.content, truth: truth, disk: disk)
  }

  /// The store loses everything after the last backup. Its clients have no open connections to it.
  private func restoreBackup() {
    guard let backup, continuesAt == nil else { return }
    trace.note(Duration.microseconds(now), "restore", Int(backup.truth.point.position))
    report.restorations += 1
    store.content = backup.content
    (store.earlier, waiting) = (backup.content, [])
    store.id += 1
    truth.restore(backup.truth)
    for node in nodes {
      truth.noteStored(node)
      node.process?.watchesFrom = nil
      // The log of that time is gone.
      node.process?.provenPosition = 0
      node.process?.proofs = [:]
    }
    continuesAt = now + 500_000 + time(upTo: 2500)
    (restoredDisk, self.backup) = (backup.disk, nil)
  }

  private func upgrade(_ node: ClusterNode) throws {
    guard node.version == 1, node.isOn else { return }
    if node.process != nil { crash(node) }
    node.version = 2
    report.upgrades += 1
    note("upgrade", node)
    try start(node)
  }

  private func transfer() throws {
    guard let leader = nodes.first(where: { $0.process?.core.leadingTerm != nil }), !leader.isPaused(at: now) else {
      return
    }
    let other = chance.pick(nodes)
    leader.process?.core.advance(to: leader.clock.local(now))
    if leader.process?.core.transfer(to: other.name) == true { note("transfer", leader, other.index) }
    try drive(leader)
  }

  // MARK: The operator

  /// `storectl cluster remove`. The node runs, is stopped or is cut off: it must end by itself, and not come back.
  private func remove(_ node: NodeName) {
    let leader = store.content.values[.leader].flatMap { try? Leadership(decoding: $0.bytes.span.bytes) }
    guard leader?.node != node, !isRemoved(node) else { return }
    report.removals += 1
    trace.note(Duration.microseconds(now), "remove", nodes.firstIndex { $0.name == node } ?? 0)
    store.content.revision += 1
    _ = store.content.put(.node(node), NodeRegistration.removal(position: 0).encoded())
  }

  /// `storectl cluster add`.
  private func add(_ node: NodeName) {
    guard isRemoved(node) else { return }
    trace.note(Duration.microseconds(now), "add", nodes.firstIndex { $0.name == node } ?? 0)
    store.content.revision += 1
    store.content.remove(.node(node))
  }

  /// True if the store has the removal of a node.
  func isRemoved(_ node: NodeName) -> Bool {
    store.content.values[.node(node)].flatMap { try? NodeRegistration(decoding: $0.bytes.span.bytes) }?.isRemoval
      ?? false
  }

  private func operate() throws {
    // An entry may be larger than the store, which is then full only until the next compaction.
    if isSettling || store.isFull && chance.hits(15), plan.operatorMakesRoom {
      (store.isFull, store.limit) = (false, nil)
    }
    if let time = continuesAt, now >= time || isSettling {
      // storectl cluster restore
      continuesAt = nil
      // Nodes with empty journals may have begun a history of this store meanwhile. Then there is nothing to continue,
      // and another name would part the nodes from those that read it later.
      if let old = store.content.values[.history],
        let found = try? LogHistory(decoding: old.bytes.span.bytes), found.store != store.id
      {
        let history = LogHistory(id: chance.next(), store: store.id)
        store.content.revision += 1
        _ = store.content.put(.history, history.encoded())
        trace.note(Duration.microseconds(now), "continue", old.bytes.count)
      }
    }
    if plan.faults.removal > 0 {
      for node in nodes where isRemoved(node.name) && (isSettling || chance.hits(20)) { add(node.name) }
    }
    if isSettling { try finishUpgrades() }
    for node in nodes where isSettling || chance.hits(30) {
      guard !node.isPaused(at: now), case .refused(let refusal)? = node.process?.core.standing else { continue }
      switch refusal {
      case .newerSchema: try upgrade(node)
      // It goes on when it was taken back.
      case .removed: break
      case .nameTaken:
        // One of the two has stopped, which need not be the wrong one.
        if let twin = nodes.last, twin.isTwin, twin.isOn { stop(twin) }
        if !node.isTwin { crash(node) }
      case .otherLog:
        // The operator moves the journal away, and the relay gets another one from the node that it follows.
        crash(node)
        node.disk = ClusterNode.Disk()
        note("wipe", node)
      case .logLost, .diverged, .otherHistory, .damaged:
        // The operator replaces the journal by that of the backup, or moves it away if the log begins after that one.
        crash(node)
        node.disk = canContinue(restoredDisk) ? restoredDisk : ClusterNode.Disk()
        if node.disk.schema == Self.schemas[1] { node.version = 2 }
        note("wipe", node)
      case .restored:
        // A node may have begun the history of the restored store with the id of the earlier one.
        let history = store.content.values[.history].flatMap { try? LogHistory(decoding: $0.bytes.span.bytes) }
        if continuesAt == nil, let history, history.store != store.id { continuesAt = now }
      }
    }
  }

  /// The schema of the first entry in the store; nil if there is none.
  private var firstSchema: SchemaFingerprint? {
    let entries = store.content.values.compactMap { key, value in
      if case .entry = key { try? EncodedEntry(decoding: value.bytes).entry } else { nil }
    }
    return entries.min { $0.position < $1.position }?.schema
  }

  /// The operator upgrades the machines that are left, since the clients of those that stand by wait for that.
  private func finishUpgrades() throws {
    let running = nodes.filter { $0.isOn && !$0.isTwin }
    guard running.contains(where: { $0.version == 2 }) else { return }
    // Relays do not lead, and may have the journal of a log that has begun again.
    let members = running.filter { !$0.isRelay }
    if members.allSatisfy({ $0.version == 2 && $0.disk.isEmpty }), let node = members.first {
      // Nobody has a journal in the first schema of the log: the earlier version copies it, as far as it has that.
      guard firstSchema == Self.schemas[0] else { return }
      crash(node)
      node.version = 1
      note("downgrade", node)
      return try start(node)
    }
    for node in running where node.version == 1 {
      if truth.schema == Self.schemas[1] {
        try upgrade(node)
      } else if case .current? = node.process?.core.standing {
        // It has a journal in the schema of the log.
        try upgrade(node)
      }
    }
  }

  /// Takes a machine with the name of another one out of operation.
  private func stop(_ twin: ClusterNode) {
    crash(twin)
    (twin.isOn, twin.disk) = (false, ClusterNode.Disk())
    note("twin stops", twin)
  }

  /// Ends all faults.
  func endFaults() throws {
    store.quorumAt = min(store.quorumAt, now)
    for node in nodes {
      (node.isCutToStore, node.isCutFromStore) = (false, false)
      guard node.isPaused(at: now) else { continue }
      node.pausedUntil = now
      events.add(.wake(node: node.index, incarnation: node.incarnation), at: now + 1)
    }
    for index in links.indices { links[index].cutUntil = now }
  }
}
