import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// The nodes of a cluster, their clients, links and disks, and a store like etcd, on one thread and from one seed.
///
/// ```swift
/// let simulation = ClusterSimulation(ClusterPlan(seed: 7))
/// try simulation.run()
/// print(simulation.report)
/// ```
///
/// The cores are the real ones. The feature is `ClusterModel`. The guarantees that are checked:
///
/// - The store has one log, and every node has its states.
/// - Each action takes effect once and in order, and none is acknowledged that the log or the node does not have.
/// - Effects of two terms run at the same time only while the process of the earlier one is stopped.
/// - A client loses its connection only with the process of its own node, or when the operator ends the history.
/// - A node that cannot prove that its journal belongs to the log does not serve, and others do.
/// - Entries are removed only when a majority of the journals has them.
/// - Of two machines with the same name, one stops.
/// - A node that the operator has removed neither registers nor appends until it is taken back.
/// - When the faults end, everything that was sent is applied and acknowledged.
package final class ClusterSimulation {
  /// The plan of the simulation.
  package let plan: ClusterPlan
  /// Statistics so far.
  package internal(set) var report = ClusterReport()

  let bug: PlantedClusterBug?
  var chance: SplitMix
  var trace: Trace
  /// The true time in microseconds.
  var now: Int64 = 1_000_000
  var events = EventQueue<Event>()
  var store = ClusterStore()
  /// The last backup: that of the store, and of a journal that reaches the store's first entry.
  var backup: Backup?
  /// The journal of the backup that was restored.
  var restoredDisk = ClusterNode.Disk()
  /// The time at which the operator continues a restored log.
  var continuesAt: Int64?
  /// Requests that arrived while there was no quorum.
  var waiting: [Request] = []
  var truth = ClusterTruth()
  let nodes: [ClusterNode]
  let members: Set<NodeName>
  var clients: [ClusterClient] = []
  /// The connection of each pair of nodes, by `linkIndex`.
  var links: [SimulatedLink] = []
  /// Snapshots under way, which messages name by their index.
  var states: [ClusterModel] = []
  var lastSession: UInt64 = 0
  var isSettling = false

  /// What happens at a time.
  enum Event {
    /// Faults, the operator, and what has no other time.
    case tick
    case request(Request)
    case answer(node: Int, incarnation: Int, Answer)
    case deadline(node: Int, incarnation: Int, UInt64)
    case watch(node: Int, incarnation: Int, store: UInt64, [StoredValue])
    case message(link: Int, direction: Int, epoch: Int)
    case wake(node: Int, incarnation: Int)
    case synced(node: Int, incarnation: Int)
    case act(client: Int)
  }

  struct Backup {
    let content: ClusterStore.Content
    let truth: ClusterTruth
    let disk: ClusterNode.Disk
  }

  /// A request on its way to the store.
  struct Request {
    enum Body {
      case transaction(LogTransaction)
      case read(LogRead)
      case compaction
    }

    let node: Int
    let incarnation: Int
    let number: UInt64
    let body: Body
    /// The store that it is sent to; a restored one has other connections.
    let store: UInt64
  }

  struct Answer {
    enum Body {
      case transaction(TransactionOutcome)
      case read(LogReading)
    }

    let number: UInt64
    let store: UInt64
    let body: Body
  }

  /// Creates a simulation.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - bug: A defect to plant, which an oracle should detect.
  ///   - print: Receives each event as a line.
  package init(_ plan: ClusterPlan, bug: PlantedClusterBug? = nil, print: ((String) -> Void)? = nil) {
    (self.plan, self.bug) = (plan, bug)
    var chance = SplitMix(seed: plan.seed)
    trace = Trace(print: print)
    let twin = plan.hasTwin ? chance.number(0...plan.nodeCount - 1) : nil
    let members = (0..<plan.nodeCount + (twin == nil ? 0 : 1)).map { index in
      let isTwin = index == plan.nodeCount
      guard let name = NodeName("n\(isTwin ? twin ?? 0 : index)") else { preconditionFailure("a name") }
      return ClusterNode(
        name, index,
        SkewedClock(
          offset: Int64(chance.number(0...100_000_000)), skew: Int64(chance.number(-plan.skew...plan.skew))),
        isTwin: isTwin)
    }
    self.members = Set(members.map(\.name))
    nodes = members + Self.relays(plan, below: members, &chance)
    links = Array(repeating: SimulatedLink(), count: nodes.count * nodes.count)
    store.limit = plan.storeBytes
    self.chance = chance
  }

  /// The relays: the upper ones may follow all members, and the lower ones all upper ones and one member.
  private static func relays(
    _ plan: ClusterPlan, below members: [ClusterNode], _ chance: inout SplitMix
  ) -> [ClusterNode] {
    let upper = plan.relayCount - plan.lowerRelayCount
    func name(_ index: Int) -> NodeName {
      guard let name = NodeName("r\(index)") else { preconditionFailure("a name") }
      return name
    }
    return (0..<plan.relayCount).map { index in
      var upstreams = members.map(\.name)
      // The same order for all would make one node the upstream of all.
      upstreams = Array((upstreams + upstreams)[(index % upstreams.count)...].prefix(upstreams.count))
      if index >= upper {
        upstreams = (0..<upper).map(name) + (chance.hits(500) ? upstreams.prefix(1) : [])
      } else if index > 0, chance.hits(300) {
        upstreams.append(name(0))
      }
      return ClusterNode(
        name(index), members.count + index,
        SkewedClock(
          offset: Int64(chance.number(0...100_000_000)), skew: Int64(chance.number(-plan.skew...plan.skew))),
        upstreams: upstreams)
    }
  }

  /// Runs the whole simulation.
  /// - Throws: The first violation, as a `Violation`.
  package func run() throws {
    defer {
      (report.hash, report.events) = (trace.hash, trace.count)
      report.virtualSeconds = Int(now / 1_000_000)
    }
    for node in nodes where node.isOn {
      for _ in 0..<plan.clientsPerNode { clients.append(ClusterClient(node, newSession(of: node))) }
      try start(node)
    }
    for index in clients.indices { events.add(.act(client: index), at: now + time(upTo: plan.actionInterval)) }
    events.add(.tick, at: now)
    let end = now + Int64(plan.duration) * 1000
    while now < end { try step() }
    try settle()
  }

  private func step() throws {
    guard let (time, event) = events.next() else { preconditionFailure("ticks do not end") }
    now = time
    switch event {
    case .tick: try tick()
    case .request(let request): try execute(request)
    case .answer(let node, let incarnation, let answer):
      try deliver(event, node, incarnation) { try self.answered($0, answer) }
    case .deadline(let node, let incarnation, let number):
      try deliver(event, node, incarnation) { try self.timedOut($0, number) }
    case .watch(let node, let incarnation, let store, let values):
      try deliver(event, node, incarnation) { try self.watched($0, values, in: store) }
    case .message(let link, let direction, let epoch): try deliverMessage(link, direction, epoch)
    case .wake(let node, let incarnation):
      try deliver(event, node, incarnation) { node in
        node.process?.wakesAt = nil
        try self.drive(node)
      }
    case .synced(let node, let incarnation): try deliver(event, node, incarnation) { try self.synced($0) }
    case .act(let index): try act(index)
    }
  }

  /// Passes an event to a node's process, later if the process is stopped; drops it if the process has ended.
  private func deliver(
    _ event: Event, _ index: Int, _ incarnation: Int, _ body: (ClusterNode) throws -> Void
  ) throws {
    let node = nodes[index]
    guard node.incarnation == incarnation, node.process != nil else { return }
    guard !node.isPaused(at: now) else { return events.add(event, at: node.pausedUntil + 1) }
    node.process?.core.advance(to: node.clock.local(now))
    try body(node)
  }

  // MARK: Times

  /// A random time in microseconds up to this number of milliseconds.
  func time(upTo milliseconds: Int) -> Int64 { Int64(chance.number(0...milliseconds * 1000)) }

  /// The time that a message or a request needs.
  func delay() -> Int64 { Int64(chance.number(300...3000)) }

  // MARK: The end

  /// Ends all faults, waits until everything has arrived, and checks that all nodes and clients have the same.
  private func settle() throws {
    isSettling = true
    trace.note(Duration.microseconds(now), "settle")
    try endFaults()
    // As long as actions are acknowledged, because the clients of some plans send more than their store can take.
    let latest = now + 300_000_000
    var (end, acknowledged) = (now + 60_000_000, report.acknowledged)
    while now < min(end, latest) {
      try step()
      if report.acknowledged > acknowledged { (end, acknowledged) = (now + 60_000_000, report.acknowledged) }
      guard isQuiet else { continue }
      // The effects of the last leader start within this time.
      let last = now + 5_000_000
      while now < last { try step() }
      guard isQuiet else { continue }
      return try checkRest()
    }
    throw Violation(.notAtRest, describeUnrest())
  }

  private var isQuiet: Bool {
    nodes.allSatisfy { node in
      // A name that is used twice is not left so.
      if node.isTwin { return !node.isOn }
      guard let process = node.process, case .current = process.core.standing else { return false }
      return process.core.point == truth.point && process.turns.isEmpty
    } && clients.allSatisfy { $0.isConnected && $0.acknowledged == $0.sent }
  }

  private func describeUnrest() -> String {
    let texts = nodes.map { node in
      guard let process = node.process else { return "\(node.name) is down" }
      return """
        \(node.name) at \(process.core.point.position), \(process.core.standing), \(process.turns.count) turns unstored, \
        \(process.core.heldByteCount) bytes held
        """
    }
    let behind = clients.filter { $0.acknowledged != $0.sent }.map {
      "a client of \($0.node.name) at \($0.acknowledged) of \($0.sent)"
    }
    return "the log ends at \(truth.point.position); \((texts + behind).joined(separator: "; "))"
  }

  private func checkRest() throws {
    for node in nodes {
      guard let process = node.process else { continue }
      try truth.check(process.model, after: process.checksum, of: node.name)
      guard (process.effects == nil) == (process.core.leadingTerm == nil) else {
        throw Violation(
          .effectLost, "\(node.name) leads \(process.core.leadingTerm ?? 0) and runs \(process.effects ?? 0)")
      }
    }
    let running = nodes.compactMap(\.process?.effects)
    guard running == [truth.point.leader?.term ?? 0] else {
      throw Violation(
        .effectLost, "effects of the terms \(running) run; the leader's is \(truth.point.leader?.term ?? 0)")
    }
    for client in clients where truth.model.processed[client.session] ?? 0 != client.sent {
      throw Violation(.acknowledgedLost, "the log has not all actions of a client of \(client.node.name)")
    }
  }
}
