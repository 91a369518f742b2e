import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// A large tree of hubs on virtual processors, from one seed: what each level carries, and what the loss of a relay costs.
///
/// The cores are the real ones, and the store is that of `ClusterSimulation`. Only time is modelled: the work of a hub for
/// each step and the latencies are those of the plan. Clients are counted, and cost their hub a change each; some of them
/// act. The guarantees that are checked: each action takes effect once and in order, an acknowledgement follows the
/// entry, and in the end all nodes have the whole log and all actions are acknowledged.
///
/// ```swift
/// let simulation = TreeSimulation(TreePlan(seed: 7))
/// try simulation.run()
/// print(simulation.report.text)
/// ```
package final class TreeSimulation {
  /// The plan of the simulation.
  package let plan: TreePlan
  /// The results so far.
  package internal(set) var report = TreeReport()

  var chance: SplitMix
  /// The time in nanoseconds.
  var now: Int64 = 1_000_000_000
  var events = EventQueue<Event>()
  var store = ClusterStore()
  var nodes: [TreeNode] = []
  var indices: [NodeName: Int] = [:]
  var clients: [TreeClient] = []
  /// The clients of each node that act.
  var actors: [[Int]] = []
  /// The leader's state with all turns, and what each entry of the log has changed.
  var model = ClusterModel()
  var entries: [UInt64: Committed] = [:]
  var committed: [ClusterSession: UInt64] = [:]
  /// The time of the first turn that waits for a transaction, and of that in the transaction under way.
  var (waitingSince, sentSince): (Int64?, Int64?)
  var isSettling = false
  var lostRelay: Int?
  var interval: ClosedRange<Int64> = 0...0

  /// An entry with turns.
  struct Committed {
    /// The time of the first turn.
    let time: Int64
    let changes: [ClusterModel.Change]
  }

  /// What arrives at a node.
  enum Input {
    case message(ClusterMessage, from: Int)
    case transaction(UInt64, TransactionOutcome)
    case reading(UInt64, LogReading)
    case watched([StoredValue])
    case linked(Int)
    case action(client: Int)
    case wake
    case synced(UInt64)
  }

  enum Event {
    case input(node: Int, Input)
    case serve(node: Int)
    case commit(node: Int, UInt64, LogTransaction)
    case act(client: Int)
    case lose
  }

  /// Creates a simulation.
  /// - Precondition: The plan has members, clients and a fan-out.
  package init(_ plan: TreePlan) {
    precondition(plan.memberCount > 0 && plan.fanOut > 0 && plan.rate > 0 && plan.seconds > 0, "an empty plan")
    self.plan = plan
    chance = SplitMix(seed: plan.seed)
    grow()
  }

  /// Runs the whole simulation.
  /// - Throws: The first violation, as a `Violation`.
  package func run() throws {
    try start()
    // The first leader has taken over, and all relays follow.
    try run(until: now + 5_000_000_000)
    guard nodes.allSatisfy({ isCurrent($0) }) else { throw Violation(.notAtRest, "not all nodes follow: \(unrest)") }
    for client in clients { nodes[client.node].core.open(client.session, processed: 0) }
    interval = now...now + Int64(plan.seconds) * 1_000_000_000
    for node in nodes { (node.work, node.changedAt, node.longestGap) = (0, now, 0) }
    for index in clients.indices { events.add(.act(client: index), at: now + pause()) }
    if plan.losesRelay, plan.relayCount > 0 { events.add(.lose, at: (interval.lowerBound + interval.upperBound) / 2) }
    try run(until: interval.upperBound)
    measure()
    isSettling = true
    let end = now + 20_000_000_000
    while !isQuiet {
      guard now < end else { throw Violation(.notAtRest, unrest) }
      try run(until: now + 100_000_000)
    }
  }

  func run(until end: Int64) throws {
    while let next = events.first, next <= end, let (time, event) = events.next() {
      now = time
      try handle(event)
    }
    now = end
  }

  private func handle(_ event: Event) throws {
    switch event {
    case .input(let index, let input):
      guard !nodes[index].isLost else { return }
      nodes[index].inbox.append(input)
      serveSoon(nodes[index])
    case .serve(let index):
      nodes[index].isServing = false
      if !nodes[index].isLost { try serve(nodes[index]) }
    case .commit(let index, let number, let transaction): try commit(transaction, number, of: nodes[index])
    case .act(let index): act(index)
    case .lose: loseRelay()
    }
  }

  // MARK: Clients

  /// A random time between two actions of a client.
  private func pause() -> Int64 {
    let mean = Double(clients.count) / Double(plan.rate) * 1e9
    return Int64(Double.random(in: 0...2 * mean, using: &chance))
  }

  private func act(_ index: Int) {
    guard !isSettling, now < interval.upperBound, !nodes[clients[index].node].isLost else { return }
    events.add(.act(client: index), at: now + pause())
    clients[index].times.append(now)
    events.add(.input(node: clients[index].node, .action(client: index)), at: now)
  }

  // MARK: The loss of a relay

  /// Ends the machine of the relay with the most nodes below it. The others find out by its silence.
  private func loseRelay() {
    let counts = Dictionary(nodes.compactMap { $0.upstreams.first }.map { ($0, 1) }, uniquingKeysWith: +)
    guard let lost = nodes.filter(\.isRelay).max(by: { (counts[$0.name] ?? 0) < (counts[$1.name] ?? 0) }) else {
      return
    }
    lost.isLost = true
    lostRelay = lost.index
  }

  // MARK: The end

  private func isCurrent(_ node: TreeNode) -> Bool {
    if case .current = node.core.standing { true } else { node.isLost }
  }

  private var isQuiet: Bool {
    let end = store.content.entries.upperBound - 1
    return nodes.allSatisfy { $0.isLost || ($0.core.point.position == end && isCurrent($0)) }
      && clients.allSatisfy { nodes[$0.node].isLost || $0.acknowledged == UInt64($0.times.count) }
  }

  private var unrest: String {
    let end = store.content.entries.upperBound - 1
    let behind = nodes.filter { !$0.isLost && ($0.core.point.position != end || !isCurrent($0)) }
    let waiting = clients.filter { !nodes[$0.node].isLost && $0.acknowledged != UInt64($0.times.count) }
    let texts = behind.prefix(3).map { "\($0.name) at \($0.core.point.position), \($0.core.standing)" }
    return """
      the log ends at \(end); \(behind.count) nodes are not there: \(texts.joined(separator: "; ")); \(waiting.count) \
      clients wait
      """
  }

  /// Notes what the nodes have done.
  private func measure() {
    report.seconds = plan.seconds
    let perNode = plan.clientCount / nodes.count
    for node in nodes {
      report.levels[node.level].nodeCount += 1
      report.levels[node.level].clientCount += perNode
      report.levels[node.level].work += node.work
      report.levels[node.level].mostWork = max(report.levels[node.level].mostWork, node.work)
    }
    guard let lostRelay else { return }
    for node in nodes where isBelow(node, nodes[lostRelay]) {
      report.movedCount += 1
      report.gaps.add(Int(node.longestGap / 1000), times: perNode)
    }
  }

  /// True if the node was planned to get its log through another one.
  private func isBelow(_ node: TreeNode, _ other: TreeNode) -> Bool {
    var next = node
    while let name = next.upstreams.first, let index = indices[name] {
      if index == other.index { return true }
      next = nodes[index]
    }
    return false
  }
}
