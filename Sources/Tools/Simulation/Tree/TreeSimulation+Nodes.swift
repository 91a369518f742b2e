import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// The hubs: each handles what has arrived in turns, and its processor is busy meanwhile.
extension TreeSimulation {
  func serveSoon(_ node: TreeNode) {
    guard !node.isServing else { return }
    node.isServing = true
    events.add(.serve(node: node.index), at: max(now, node.freeAt))
  }

  /// A turn: everything that has arrived is handled, and then each client gets one change for all of it.
  func serve(_ node: TreeNode) throws {
    let inputs = node.inbox
    node.inbox = []
    node.freeAt = max(node.freeAt, now)
    let position = node.core.point.position
    for input in inputs {
      node.core.advance(to: .nanoseconds(node.freeAt))
      take(input, node)
      try drive(node, at: node.freeAt)
    }
    try publish(node, after: position)
    if !node.inbox.isEmpty { serveSoon(node) }
  }

  private func spend(_ cost: Int, _ node: TreeNode) {
    node.freeAt += Int64(cost)
    node.work += cost
  }

  private func take(_ input: Input, _ node: TreeNode) {
    switch input {
    case .message(let message, let from):
      if case .entry = message { spend(plan.costs.linkEntry, node) } else { spend(plan.costs.receipt, node) }
      node.core.received(message, from: nodes[from].name)
    case .transaction(let number, let outcome):
      node.core.transactionEnded(number, in: store.id, outcome)
    case .reading(let number, let reading): node.core.readEnded(number, in: store.id, reading)
    case .watched(let values):
      if node.core.leadingTerm == nil {
        spend(values.count { if case .entry = $0.key { true } else { false } } * plan.costs.storeEntry, node)
      }
      node.core.watched(values, in: store.id)
    case .linked(let peer): node.core.linkOpened(nodes[peer].name)
    case .action(let client):
      spend(plan.costs.receipt, node)
      let number = UInt64(clients[client].times.count)
      node.core.act(clients[client].session, [number.encoded()])
    case .wake: node.wakesAt = nil
    case .synced(let position):
      node.isSyncing = false
      node.core.journalStored(upTo: position)
      if node.core.point.position > position { sync(node) }
    }
  }

  private func sync(_ node: TreeNode) {
    guard !node.isSyncing else { return }
    node.isSyncing = true
    events.add(
      .input(node: node.index, .synced(node.core.point.position)), at: node.freeAt + Int64(plan.costs.syncLatency))
  }

  /// Executes all commands of a core.
  func drive(_ node: TreeNode, at time: Int64) throws {
    node.freeAt = max(node.freeAt, time)
    while true {
      let commands = node.core.takeCommands()
      guard !commands.isEmpty else { break }
      var turns: [[UInt8]] = []
      for command in commands { try execute(command, of: node, &turns) }
      if !turns.isEmpty, node.core.leadingTerm != nil { node.core.append(turns) }
    }
    guard let next = node.core.nextTime else { return }
    let (seconds, attoseconds) = next.components
    let wake = max(seconds * 1_000_000_000 + attoseconds / 1_000_000_000 + 1, node.freeAt + 100_000)
    if let wakesAt = node.wakesAt, wakesAt <= wake { return }
    node.wakesAt = wake
    events.add(.input(node: node.index, .wake), at: wake)
  }

  private func execute(_ command: ClusterCommand, of node: TreeNode, _ turns: inout [[UInt8]]) throws {
    switch command {
    case .transact(let number, let transaction, _):
      if transaction.hasEntry {
        spend(plan.costs.commit, node)
        (sentSince, waitingSince) = (waitingSince, nil)
      }
      events.add(.commit(node: node.index, number, transaction), at: node.freeAt + Int64(plan.costs.commitLatency) / 2)
    case .read(let number, let read):
      // What the store has when it answers.
      let reading = store.read(read, isStale: false)
      events.add(.input(node: node.index, .reading(number, reading)), at: node.freeAt + Int64(plan.costs.readLatency))
    case .watch: node.watches = true
    case .record: sync(node)
    case .apply, .stored, .lead, .startEffects, .cancelEffects, .adopt, .discardSnapshot, .compact: break
    case .perform(let session, let first, let actions):
      spend(plan.costs.action * actions.count, node)
      let changes = try model.reduce(session, first: first, count: actions.count, &chance)
      guard !changes.isEmpty else { return }
      waitingSince = waitingSince ?? node.freeAt
      turns.append(ClusterModel.turn(changes, padding: 8 * changes.count))
    case .send(let message, let name):
      guard let peer = indices[name] else { preconditionFailure("a node of the tree") }
      spend(plan.costs.message, node)
      events.add(
        .input(node: peer, .message(message, from: node.index)), at: node.freeAt + Int64(plan.costs.linkLatency))
    case .standingChanged(.refused(let refusal)), .report(let refusal):
      throw Violation(.connectionLost, "\(node.name): \(refusal)")
    case .standingChanged: break
    case .discardUnstored: throw Violation(.connectionLost, "\(node.name) does not lead any more")
    case .sendSnapshot, .install: throw Violation(.connectionLost, "\(node.name) lacks entries")
    }
  }

  // MARK: The store

  func commit(_ transaction: LogTransaction, _ number: UInt64, of node: TreeNode) throws {
    let (outcome, puts) = store.execute(transaction)
    for value in puts {
      guard case .entry(let position) = value.key else { continue }
      let content = try EncodedEntry(decoding: value.bytes).entry.content
      guard case .turns(_, let turns) = content else { continue }
      let changes = try turns.flatMap(ClusterModel.changes)
      for change in changes {
        guard change.number == (committed[change.session] ?? 0) + 1 else {
          throw Violation(.appliedOutOfOrder, "action \(change.number) of a client of \(change.session.node)")
        }
        committed[change.session] = change.number
      }
      entries[position] = Committed(time: sentSince ?? now, changes: changes)
      if interval.contains(now) {
        report.entries += 1
        report.actions += changes.count
      }
    }
    let answer = now + Int64(plan.costs.commitLatency) / 2
    events.add(.input(node: node.index, .transaction(number, outcome)), at: answer)
    guard !puts.isEmpty else { return }
    let values = puts.filter {
      switch $0.key {
      case .entry, .beat: true
      default: false
      }
    }
    let watching = nodes.filter(\.watches)
    report.watches = max(report.watches, watching.count)
    for node in watching where !values.isEmpty {
      if interval.contains(now) { report.watchedBytes += values.reduce(0) { $0 + $1.bytes.count } }
      events.add(.input(node: node.index, .watched(values)), at: answer)
    }
  }

  // MARK: Clients

  /// Writes the changes since a position to all clients of a node, and what they have waited for.
  private func publish(_ node: TreeNode, after position: UInt64) throws {
    let end = node.core.point.position
    let passed = position < end ? (position + 1...end).compactMap { entries[$0] } : []
    guard !passed.isEmpty else { return }
    let start = node.freeAt
    let perNode = plan.clientCount / nodes.count
    spend(plan.costs.delta * perNode, node)
    if interval.contains(start) {
      node.longestGap = max(node.longestGap, start - node.changedAt)
      for entry in passed {
        for fifth in 0..<5 where perNode > 0 {
          let time = start + Int64(plan.costs.delta * perNode * (2 * fifth + 1) / 10) - entry.time
          report.levels[node.level].freshness.add(Int(time / 1000))
        }
      }
    }
    node.changedAt = start
    // The core forgets what is processed. A client's place among the others is in the middle.
    let time = start + Int64(plan.costs.delta * perNode / 2)
    for change in passed.flatMap(\.changes) where change.session.node == node.name {
      for client in actors[node.index] where clients[client].session == change.session {
        guard change.number == clients[client].acknowledged + 1, clients[client].times.count >= Int(change.number)
        else {
          throw Violation(.acknowledgedNotApplied, "action \(change.number) of a client of \(node.name)")
        }
        clients[client].acknowledged = change.number
        if interval.contains(time) {
          report.levels[node.level].answers.add(Int((time - clients[client].times[Int(change.number) - 1]) / 1000))
        }
      }
      node.core.processed(change.session, upTo: change.number)
    }
  }
}

extension LogTransaction {
  fileprivate var hasEntry: Bool { writes.contains { if case .put(.entry, _) = $0 { true } else { false } } }
}
