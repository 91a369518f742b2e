import ClusterCore
import ClusterLink
import ClusterLog
import Configuration
import EtcdLogStore
import Glibc
import ServiceProcess
import StoreHub
import TurnLog
import Wire

/// The node's part in the cluster, for the operator and for clients.
extension ClusterNode {
  var status: ClusterStatus {
    var status = ClusterStatus(node: "\(settings.node)")
    if let leader = core.point.leader {
      (status.leader, status.term) = ("\(leader.node)", leader.term)
    }
    // A leadership of an earlier process of this node is none.
    if core.leadingTerm == nil, status.leads { status.leader = "" }
    let (condition, since) = core.standing.condition
    status.condition = condition.rawValue
    if let since { status.staleSince = Self.wallTime(of: since) }
    (status.position, status.lag, status.takeovers) = (core.point.position, core.lag, takeovers)
    status.heldBytes = UInt64(core.heldByteCount)
    status.linkedNodes = core.linkedNodes.map { "\($0)" }
    status.clockDifferences = clocks.milliseconds
    status.removedNodes = (store?.removedNodes ?? []).map { "\($0)" }
    (status.snapshotsGiven, status.snapshotsTaken) = (snapshotsGiven, request.snapshotsTaken)
    if core.isRelay { (status.upstream, status.level) = (core.upstream.map { "\($0)" } ?? "", UInt64(core.path.count)) }
    return status
  }

  /// A time of the core in milliseconds since 1970.
  private static func wallTime(of time: Duration) -> Int64 {
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    return Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000 - Int64((now - time) / .milliseconds(1))
  }

  /// Logs a change of the standing, and tells the hub of it.
  func note(_ standing: Standing) {
    switch standing {
    case .starting: break
    case .current(leads: true):
      (toldLeader, etcdFailures) = (settings.node, RepeatedFailures(patience: .zero))
      report(.info, .roleChanged, "this node leads in term \(core.leadingTerm ?? 0)")
    case .current(leads: false):
      etcdFailures = RepeatedFailures(patience: .zero)
      tellLeader()
    case .waiting:
      report(
        .warning, .clusterWaits,
        core.isRelay
          ? "this relay hears of no current state of the log: actions wait"
          : "the log of the cluster cannot be appended to: actions wait")
    case .storeFull:
      report(
        .error, .clusterWaits,
        "etcd is full: actions wait. Remove what does not belong there, compact and defragment it, and disarm its alarm"
      )
    // The hub logs it; before it serves, `becomeReady` tells it.
    case .refused(let refusal): if isReady { deliver(.refused(reason: "\(refusal)")) }
    }
    deliver(.statusChanged)
  }

  /// Tells the operator how the log gets the schema of this version.
  func tellStandBy() {
    guard !hasToldStandBy else { return }
    hasToldStandBy = true
    let text =
      """
      the log has the schema of another version of the feature: this node stands by, and converts the state when it leads. \
      Install this version on the other machines, last on that of the hub that leads; hubs with the schema of the log end \
      when that has changed
      """
    report(.warning, .clusterWaits, text)
    request.onObstacle(text)
  }

  /// Logs which node this one follows.
  func tellLeader() {
    toldLeader = core.point.leader?.node
    // A node that has passed the leadership on may be the last leader that it knows.
    guard let leader = toldLeader, leader != settings.node else {
      return report(.info, .roleChanged, "this node follows nobody yet")
    }
    report(.info, .roleChanged, "this node follows \(leader)")
    deliver(.statusChanged)
    guard settings.nodes[leader] == nil, !settings.isRelay else { return }
    request.log.write(
      .error,
      """
      node \(leader) leads, but 'nodes' in [cluster] does not name it, so that the actions of this node's clients wait: \
      write the same 'nodes' on all machines
      """)
  }

  /// Logs which node a relay follows.
  func tellUpstream() {
    guard core.isRelay, core.upstream != toldUpstream else { return }
    if core.upstream == nil, core.askedUpstream != nil { return }
    toldUpstream = core.upstream
    deliver(.statusChanged)
    guard let upstream = toldUpstream else {
      return report(.warning, .roleChanged, "this relay has no node to follow: \(names(settings.follow))")
    }
    report(.info, .roleChanged, "this relay follows node \(upstream), on level \(core.path.count)")
  }

  private func names(_ nodes: [NodeName]) -> String { nodes.map(\.description).joined(separator: ", ") }

  /// Tells the operator once that the clock of a node differs from this machine's, and once that it agrees again.
  func noteClock(of node: NodeName, _ difference: Duration) {
    let before = clocks.milliseconds
    switch clocks.note(difference, of: node) {
    case .differs(let difference):
      report(
        .warning, .clocksDiffer,
        """
        the clock of node \(node) is \(ClusterStatus.clockText(Int64(difference / .milliseconds(1)))) this machine's: set \
        the wrong one, for example by chrony or systemd-timesyncd. Nothing is lost, but the times of actions are those of \
        the node that leads
        """)
    case .agrees: report(.info, .clocksDiffer, "the clock of node \(node) agrees with this machine's again")
    case nil: break
    }
    if clocks.milliseconds != before { deliver(.statusChanged) }
  }

  func report(_ level: Log.Level, _ id: MessageID, _ text: String) {
    request.log.write(level, text, Log.Details(id, status, reason: text))
  }
}

extension Standing {
  /// The condition for clients, and the time since which the state may be stale.
  fileprivate var condition: (ClusterStatus.Condition, since: Duration?) {
    switch self {
    case .starting: (.starting, nil)
    case .current: (.current, nil)
    case .waiting(let since): (.waiting, since)
    case .storeFull(let since): (.full, since)
    case .refused: (.refused, nil)
    }
  }
}
