import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// The shells of the nodes: they pass events to the cores and execute the commands.
extension ClusterSimulation {
  static let schemas = [SchemaFingerprint(ofBytes: [1]), SchemaFingerprint(ofBytes: [2])]

  func start(_ node: ClusterNode) throws {
    node.incarnation += 1
    node.pausedUntil = -1
    // A version that finds the earlier schema in its journal stands by.
    let own = Self.schemas[node.version - 1]
    node.disk.baseSchema = node.disk.baseSchema ?? own
    let schemas = [node.disk.schema ?? own, own]
    var options = ClusterOptions(
      node: node.name, process: max(chance.next(), 1), members: node.isRelay ? [] : members, upstreams: node.upstreams,
      schemas: Array(schemas.suffix(schemas[0] == own ? 1 : 2)))
    options.relays = relays(below: node)
    (options.entryBytes, options.keptBytes, options.trimStepBytes) = (
      plan.entryBytes, plan.keptBytes, plan.trimStepBytes
    )
    let (journal, model) = try node.disk.recovered()
    truth.noteStored(node)
    note("start", node, Int(journal.point.position))
    node.process = ClusterNode.Process(ClusterCore(options, journal: journal, now: node.clock.local(now)), model)
    try node.process.map { try changed(node, $0) }
    try drive(node)
  }

  /// Ends the process, as a loss of power does.
  func crash(_ node: ClusterNode) {
    guard node.process != nil else { return }
    note("crash", node)
    node.process = nil
    let survivors = chance.number(node.disk.syncedCount...node.disk.entries.count)
    node.disk.entries.removeLast(node.disk.entries.count - survivors)
    node.disk.syncedCount = survivors
    truth.noteStored(node)
    closeLinks(of: node)
    disconnectClients(of: node)
  }

  /// Executes all commands of a core, and what follows from them.
  func drive(_ node: ClusterNode) throws {
    while true {
      guard let process = node.process else { return }
      let commands = process.core.takeCommands()
      guard !commands.isEmpty else { break }
      var turns: [[UInt8]] = []
      for command in commands where !process.reopens { try execute(command, of: node, process, &turns) }
      guard !process.reopens else { return try reopen(node) }
      if !turns.isEmpty, process.core.leadingTerm != nil {
        process.turns += turns
        process.core.append(turns)
      }
    }
    wakeLater(node)
    try connectClients(of: node)
  }

  /// Ends the process in order, and starts it again.
  private func reopen(_ node: ClusterNode) throws {
    note("reopen", node)
    report.conversions += 1
    node.process = nil
    node.disk.syncedCount = node.disk.entries.count
    truth.noteStored(node)
    closeLinks(of: node)
    try start(node)
  }

  private func wakeLater(_ node: ClusterNode) {
    guard let process = node.process, let next = process.core.nextTime else { return }
    let time = max(node.clock.global(next), now + 100)
    if let wakesAt = process.wakesAt, wakesAt <= time { return }
    process.wakesAt = time
    events.add(.wake(node: node.index, incarnation: node.incarnation), at: time)
  }

  private func execute(
    _ command: ClusterCommand, of node: ClusterNode, _ process: ClusterNode.Process, _ turns: inout [[UInt8]]
  ) throws {
    switch command {
    case .transact(let number, let transaction, let expected):
      report.transactions += 1
      send(transaction, number, to: expected, of: node, process)
    case .compact(_, let expected): compact(expected, of: node)
    case .read(let number, let read): send(.read(read), number, of: node, process)
    case .watch(let position): process.watchesFrom = position
    case .record(let entry, let parts): try record(entry, parts, of: node, process)
    case .apply(let turns, let position):
      note("apply", node, Int(position))
      for turn in turns { try process.model.apply(turn: turn) }
      process.unstored = process.model
      try changed(node, process)
    case .stored(let count, let position):
      note("stored", node, count, Int(position))
      for turn in process.turns.prefix(count) { try process.model.apply(turn: turn) }
      process.turns.removeFirst(count)
      try changed(node, process)
    case .discardUnstored:
      note("discard", node, process.turns.count)
      report.discards += 1
      turns = []
      process.turns = []
      process.unstored = process.model
    // It performs no actions: they are sent again to whoever leads next.
    case .perform where process.core.options.standsBy: break
    case .perform(let session, let first, let actions):
      guard first <= (process.unstored.processed[session] ?? 0) + 1 else {
        // A node between has dropped some without a way, and the relay sends all again: these were under way meanwhile.
        let isOfRelay = nodes.contains { $0.isRelay && $0.name == session.node }
        guard isOfRelay || truth.point.leader?.term ?? 0 > process.core.leadingTerm ?? 0 else {
          throw Violation(.appliedOutOfOrder, "the leader \(node.name) gets action \(first) of a session too early")
        }
        return
      }
      // A loop's turn does a limited amount of work.
      for start in stride(from: 0, to: actions.count, by: 6) {
        let some = actions[start..<min(start + 6, actions.count)]
        let changes = try process.unstored.reduce(
          session, first: first + UInt64(start), count: some.count, &chance)
        guard !changes.isEmpty else { continue }
        turns.append(ClusterModel.turn(changes, padding: some.suffix(changes.count).reduce(0) { $0 + $1.count }))
      }
    case .lead(let term):
      note("lead", node, Int(term))
      if process.core.options.standsBy { turns.append(ClusterModel.turn([], padding: chance.number(1...1000))) }
    case .startEffects(let term): try startEffects(term, of: node, process)
    case .cancelEffects:
      note("cancel effects", node)
      process.effects = nil
    case .send(let message, let other): send(message, from: node, to: other)
    case .sendSnapshot(let place, let other):
      guard let (ownPlace, model) = try node.disk.synced() else { break }
      states.append(model)
      // The bug's receivers do not look where a journal ends.
      let named = bug == .uncheckedBase ? place : ownPlace
      send(named, ClusterModel.stateBytes(states.count - 1), from: node, to: other)
    case .install(let place): try install(place, of: node, process)
    case .discardSnapshot(let place): process.arrived[place.encoded()] = nil
    case .adopt(let history, let endsSessions):
      note("history", node, Int(truncatingIfNeeded: history.id))
      node.disk.history = history
      if endsSessions { disconnectClients(of: node, forgettingSessions: true) }
      for client in clients where client.node === node && client.isConnected { client.history = history }
    case .report where node.isRelay && report.forged + report.restorations > 0: break
    case .report(let refusal): throw Violation(.connectionLost, "\(node.name) reports \(refusal)")
    case .standingChanged(let standing):
      try checkProven(process, of: node)
      trace.explain("\(node.name): \(standing)")
      if case .refused(let refusal) = standing { try refused(refusal, by: node) }
    }
  }

  // MARK: The journal

  private func record(
    _ entry: EncodedEntry, _ parts: [[UInt8]], of node: ClusterNode, _ process: ClusterNode.Process
  ) throws {
    let turns: [[UInt8]] =
      switch entry.entry.content {
      case .opening, .handover: []
      case .turns(_, let turns): turns
      case .parts: [LargeTurn.joined(parts)]
      }
    node.disk.entries.append((entry, turns))
    process.checksum = entry.checksum
    note("record", node, Int(entry.entry.position))
    let options = process.core.options
    process.reopens = options.standsBy && entry.entry.schema == options.ownSchema && !turns.isEmpty
    syncLater(node, process)
  }

  private func syncLater(_ node: ClusterNode, _ process: ClusterNode.Process) {
    guard !process.isSyncing else { return }
    process.isSyncing = true
    events.add(
      .synced(node: node.index, incarnation: node.incarnation), at: now + time(upTo: chance.hits(20) ? 2000 : 15))
  }

  func synced(_ node: ClusterNode) throws {
    guard let process = node.process else { return }
    process.isSyncing = false
    // What was appended during the sync is not part of it.
    let count = chance.number(node.disk.syncedCount...node.disk.entries.count)
    node.disk.syncedCount = count
    truth.noteStored(node)
    process.core.journalStored(upTo: node.disk.syncedPosition)
    if count < node.disk.entries.count { syncLater(node, process) }
    // A journal continues from a later state now and then.
    if count > 50 { compact(node) }
    try drive(node)
  }

  private func compact(_ node: ClusterNode) {
    let count = node.disk.syncedCount
    for (entry, turns) in node.disk.entries.prefix(count) {
      node.disk.basePoint.advance(to: entry)
      node.disk.baseEntry = entry
      if !turns.isEmpty { node.disk.baseSchema = entry.entry.schema }
      // The node has applied these turns before.
      for turn in turns { try? node.disk.base.apply(turn: turn) }
    }
    node.disk.entries.removeFirst(count)
    node.disk.syncedCount = 0
  }

  private func install(_ place: JournalPlace, of node: ClusterNode, _ process: ClusterNode.Process) throws {
    note("install", node, Int(place.position))
    report.snapshots += 1
    guard let state = process.arrived[place.encoded()] else {
      preconditionFailure("a snapshot is installed that has not arrived")
    }
    process.arrived = [:]
    let model = states[ClusterModel.stateIndex(state)]
    (process.model, process.unstored) = (model, model)
    node.disk.history = place.history
    (node.disk.base, node.disk.basePoint) = (model, place.point)
    (node.disk.baseEntry, node.disk.baseSchema) = (place.last, place.last.entry.schema)
    (node.disk.entries, node.disk.syncedCount) = ([], 0)
    process.checksum = place.point.checksum
    process.reopens = process.core.options.standsBy && place.last.entry.schema == process.core.options.ownSchema
    truth.noteStored(node)
    process.core.journalStored(upTo: place.position)
    try changed(node, process)
  }

  // MARK: What the oracles see

  /// The state of a node has changed: checks it, and acknowledges actions.
  func changed(_ node: ClusterNode, _ process: ClusterNode.Process) throws {
    try truth.check(process.model, after: process.checksum, of: node.name)
    for client in clients where client.node === node && client.isConnected {
      let number = process.model.processed[client.session] ?? 0
      process.core.processed(client.session, upTo: number)
      try acknowledge(number, to: client)
    }
  }

  /// A node that serves has what the store had when the node has proved its journal: its clients may have seen that.
  private func checkProven(_ process: ClusterNode.Process, of node: ClusterNode) throws {
    guard node.serves else { return }
    guard process.core.point.position >= process.provenPosition else {
      throw Violation(
        .sessionForgotten,
        "\(node.name) serves at \(process.core.point.position), and the log ended at \(process.provenPosition)")
    }
  }

  func acknowledge(_ number: UInt64, to client: ClusterClient) throws {
    guard number > client.acknowledged else { return }
    guard truth.committed[client.session] ?? 0 >= number else {
      throw Violation(
        .acknowledgedNotApplied,
        "action \(number) of a client of \(client.node.name) is acknowledged and not in the log")
    }
    guard client.node.process?.model.processed[client.session] ?? 0 >= number else {
      throw Violation(
        .seenBeforeStored, "action \(number) is acknowledged by \(client.node.name), whose state does not have it")
    }
    report.acknowledged += Int(number - client.acknowledged)
    client.actions.removeFirst(Int(number - client.acknowledged))
    client.acknowledged = number
  }

  private func startEffects(_ term: UInt64, of node: ClusterNode, _ process: ClusterNode.Process) throws {
    note("start effects", node, Int(term))
    process.effects = term
    for other in nodes where other !== node {
      guard let running = other.process?.effects else { continue }
      guard other.isPaused(at: now - 1000) else {
        throw Violation(
          .effectsOverlap, "effects of term \(term) start on \(node.name), and those of \(running) run on \(other.name)"
        )
      }
      report.overlaps += 1
    }
  }

  /// A node has stopped serving.
  private func refused(_ refusal: Refusal, by node: ClusterNode) throws {
    note("refuse", node)
    report.refusals += 1
    let isExplained =
      switch refusal {
      case .newerSchema: node.version == 1 && nodes.contains { $0.version == 2 }
      case .restored, .logLost, .diverged, .otherHistory, .otherLog: report.restorations > 0
      case .nameTaken: report.twins > 0
      case .removed: report.removals > 0
      case .damaged: false
      }
    guard isExplained else { throw Violation(.connectionLost, "\(node.name) refuses to serve: \(refusal)") }
    disconnectClients(of: node)
  }

  func note(_ event: StaticString, _ node: ClusterNode, _ first: Int = 0, _ second: Int = 0) {
    trace.note(Duration.microseconds(now), event, node.index, first, second)
  }
}

extension ClusterModel {
  /// The bytes of a snapshot: the index of the state in the simulation.
  static func stateBytes(_ index: Int) -> [UInt8] { UInt64(index).encoded() }
  static func stateIndex(_ bytes: [UInt8]) -> Int { (try? UInt64(decoding: bytes.span.bytes)).map(Int.init) ?? 0 }
}
