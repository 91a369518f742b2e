import ClusterCore
import ClusterLog
import Wire

/// The way between the nodes and the store.
extension ClusterSimulation {
  func send(_ read: Request.Body, _ number: UInt64, of node: ClusterNode, _ process: ClusterNode.Process) {
    if let request = request(read, number, of: node, process) { events.add(.request(request), at: now + delay()) }
  }

  /// The request on a connection to the store as it is now; nil if the way is cut.
  private func request(
    _ body: Request.Body, _ number: UInt64, of node: ClusterNode, _ process: ClusterNode.Process
  ) -> Request? {
    process.requests.insert(number)
    events.add(.deadline(node: node.index, incarnation: node.incarnation, number), at: now + 300_000)
    guard !node.isCutToStore else { return nil }
    return Request(node: node.index, incarnation: node.incarnation, number: number, body: body, store: store.id)
  }

  func send(
    _ transaction: LogTransaction, _ number: UInt64, to expected: UInt64?, of node: ClusterNode,
    _ process: ClusterNode.Process
  ) {
    guard let request = request(.transaction(planted(transaction, by: node)), number, of: node, process) else { return }
    // The shell knows the store of each connection.
    if let expected, expected != store.id, !isSentAnywhere(transaction) {
      let answer = Answer(number: number, store: store.id, body: .transaction(.elsewhere))
      return events.add(.answer(node: node.index, incarnation: node.incarnation, answer), at: now + delay())
    }
    let faults = isSettling ? .none : plan.faults
    if chance.hits(faults.requestLost) { return }
    let isLate = chance.hits(faults.executedLate)
    events.add(.request(request), at: now + (isLate ? time(upTo: 3000) : delay()))
    if chance.hits(faults.executedTwice) { events.add(.request(request), at: now + time(upTo: 2000)) }
  }

  /// True for a transaction that a defective shell sends to whatever store answers.
  private func isSentAnywhere(_ transaction: LogTransaction) -> Bool {
    guard bug == .removedWithoutTheNext, case .trim? = transaction.writes.first else { return false }
    return true
  }

  func compact(_ expected: UInt64, of node: ClusterNode) {
    guard !node.isCutToStore, expected == store.id else { return }
    let request = Request(
      node: node.index, incarnation: node.incarnation, number: 0, body: .compaction, store: store.id)
    if !chance.hits(isSettling ? 0 : plan.faults.requestLost) { events.add(.request(request), at: now + delay()) }
  }

  /// The transaction as a defective shell sends it.
  private func planted(_ transaction: LogTransaction, by node: ClusterNode) -> LogTransaction {
    var changed = transaction
    switch bug {
    case .noComparisonWithTheLeader:
      changed.conditions.removeAll { if case .value(.leader, _) = $0 { true } else { false } }
    case .takeoverByLeaseOnly:
      changed.conditions.removeAll {
        switch $0 {
        case .revision(.beat, _), .absent(.beat): true
        default: false
        }
      }
    case .trimmedBeyondAMajority:
      if case .trim? = transaction.writes.first, let process = node.process {
        changed.writes = [.trim(before: process.core.point.position)]
      }
    case .removedWithoutTheNext:
      if case .trim? = transaction.writes.first {
        changed.conditions.removeAll { if case .present(.entry(_)) = $0 { true } else { false } }
      }
    case .registersInAnyCase:
      if case .put(.node(let name), _)? = transaction.writes.first {
        changed.conditions.removeAll {
          switch $0 {
          case .absent(.node(name)), .value(.node(name), _): true
          default: false
          }
        }
      }
    case .unknownSettledByARead, .acknowledgedBeforeApplied, .servedBeforeCopied, .uncheckedBase,
      .relayedWithoutAChecksum, .relayedAcknowledgement, nil:
      break
    }
    return changed
  }

  func execute(_ request: Request) throws {
    // A restored store has new connections.
    guard request.store == store.id else { return }
    let faults = isSettling ? .none : plan.faults
    let body: Answer.Body
    switch request.body {
    case .transaction(let transaction):
      guard now >= store.quorumAt else { return waiting.append(request) }
      if !isSettling, chance.hits(100) { store.earlier = store.content }
      body = .transaction(try commit(transaction, of: request.node))
    case .read(let read): body = .read(store.read(read, isStale: chance.hits(faults.readStale)))
    case .compaction:
      guard now >= store.quorumAt else { return }
      report.compactions += 1
      return store.compact()
    }
    let node = nodes[request.node]
    guard !node.isCutFromStore, !chance.hits(faults.answerLost) else { return }
    let answer = Answer(number: request.number, store: store.id, body: body)
    events.add(.answer(node: node.index, incarnation: request.incarnation, answer), at: now + delay())
  }

  private func commit(_ transaction: LogTransaction, of node: Int) throws -> TransactionOutcome {
    if case .trim(let position)? = transaction.writes.first, position > store.content.entries.lowerBound {
      report.trims += 1
    }
    let before = store.content
    let (outcome, puts) = store.execute(transaction)
    switch outcome {
    case .full: report.full += 1
    case .refused, .unknown, .elsewhere: break
    case .written:
      trace.note(Duration.microseconds(now), "commit", node, puts.count, Int(store.content.revision))
      for case .trim(let position) in transaction.writes where position > before.entries.lowerBound {
        trace.note(Duration.microseconds(now), "trim", node, Int(position))
        try truth.checkTrim(before: position, members: members)
        guard nodes.contains(where: { !$0.isTwin && !$0.isRelay && hasStored($0, upTo: position - 1) }) else {
          throw Violation(.trimmedTooEarly, "no machine has entry \(position - 1), which is removed")
        }
      }
      for value in puts {
        try checkRemoved(value, before: before)
        try committed(value)
      }
      if transaction.isProof { nodes[node].process?.proofs[store.content.revision] = truth.point.position }
      publish(puts)
    }
    return outcome
  }

  /// Checks that a removed node neither registers nor appends.
  private func checkRemoved(_ value: StoredValue, before: ClusterStore.Content) throws {
    let name: NodeName
    switch value.key {
    case .node(let node): name = node
    case .entry:
      guard let entry = try? EncodedEntry(decoding: value.bytes) else { return }
      name = entry.entry.leader.node
    case .history, .leader, .beat, .part, .inquiry, .reply: return
    }
    guard let record = before.values[.node(name)],
      (try? NodeRegistration(decoding: record.bytes.span.bytes))?.isRemoval == true
    else { return }
    throw Violation(.removedReturns, "\(name) was removed, and puts \(value.key)")
  }

  private func committed(_ value: StoredValue) throws {
    guard case .entry(let position) = value.key else { return }
    report.entries += 1
    try truth.commit(value) { content in
      guard case .parts(_, let turn) = content,
        let process = try? EncodedEntry(decoding: value.bytes).entry.leader.process
      else { return [] }
      report.largeTurns += 1
      return (0..<turn.count).compactMap {
        store.content.values[.part(position: position, process: process, index: $0)]?.bytes
      }
    }
    report.terms = max(report.terms, Int(truth.point.leader?.term ?? 0))
    if truth.point.successor != nil { report.transfers += 1 }
  }

  /// Sends events to the watches.
  private func publish(_ puts: [StoredValue]) {
    let faults = isSettling ? .none : plan.faults
    for node in nodes {
      guard let from = node.process?.watchesFrom, !node.isCutFromStore, !chance.hits(faults.eventLost) else { continue }
      let values = puts.filter {
        switch $0.key {
        case .entry(let position): position >= from
        case .beat: true
        default: false
        }
      }
      guard !values.isEmpty else { continue }
      let time = chance.hits(faults.eventLate) ? time(upTo: 2500) : delay()
      events.add(
        .watch(node: node.index, incarnation: node.incarnation, store: store.id, values), at: now + time)
    }
  }

  // MARK: Answers

  func answered(_ node: ClusterNode, _ answer: Answer) throws {
    guard let process = node.process, process.requests.remove(answer.number) != nil else { return }
    switch answer.body {
    case .transaction(let outcome):
      if case .written(let revision) = outcome, let position = process.proofs[revision] {
        process.provenPosition = position
      }
      process.core.transactionEnded(answer.number, in: answer.store, outcome)
    case .read(let reading): process.core.readEnded(answer.number, in: answer.store, withheld(reading, from: process))
    }
    try drive(node)
  }

  func timedOut(_ node: ClusterNode, _ number: UInt64) throws {
    guard let process = node.process, process.requests.remove(number) != nil else { return }
    note("no answer", node, Int(number))
    report.unknown += 1
    process.core.transactionEnded(number, in: store.id, unknown(node, process))
    process.core.readEnded(number, in: store.id, .failed)
    try drive(node)
  }

  /// What a shell makes of a missing answer.
  private func unknown(_ node: ClusterNode, _ process: ClusterNode.Process) -> TransactionOutcome {
    guard bug == .unknownSettledByARead, process.core.leadingTerm != nil, !node.isCutToStore,
      let leader = store.content.values[.leader], let stored = try? Leadership(decoding: leader.bytes.span.bytes),
      stored.node == node.name
    else { return .unknown }
    return .written(revision: store.content.revision)
  }

  func watched(_ node: ClusterNode, _ values: [StoredValue], in store: UInt64) throws {
    guard let process = node.process else { return }
    if bug == .acknowledgedBeforeApplied { try acknowledgeEarly(node, values) }
    process.core.watched(bug == .takeoverByLeaseOnly ? values.filter { $0.key != .beat } : values, in: store)
    try drive(node)
  }

  /// One bug's node looks only at the lease, and the other one's is content with its journal.
  private func withheld(_ reading: LogReading, from process: ClusterNode.Process) -> LogReading {
    guard case .entries(let entries, let first, let beat, let revision) = reading else { return reading }
    switch bug {
    case .takeoverByLeaseOnly: return .entries(entries, first: first, beat: nil, at: revision)
    case .servedBeforeCopied where process.core.standing == .starting:
      return .entries([], first: first, beat: beat, at: .max)
    default: return reading
    }
  }

  private func acknowledgeEarly(_ node: ClusterNode, _ values: [StoredValue]) throws {
    for value in values {
      guard let entry = try? EncodedEntry(decoding: value.bytes), case .turns(_, let turns) = entry.entry.content else {
        continue
      }
      for change in try turns.flatMap(ClusterModel.changes) {
        for client in clients where client.session == change.session && client.isConnected {
          try acknowledge(change.number, to: client)
        }
      }
    }
  }
}

extension LogTransaction {
  /// True for the proof of a journal: it alone writes nothing but a registration and compares the history.
  fileprivate var isProof: Bool {
    guard case .put(.node, _)? = writes.first else { return false }
    return conditions.contains {
      switch $0 {
      case .absent(.history), .value(.history, _): true
      case .absent, .present, .value, .revision: false
      }
    }
  }
}
