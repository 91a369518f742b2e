internal import JSONText
internal import ProgramOptions
internal import ReplicaCore
internal import Wire

extension ProgramOptions.Command {
  nonisolated static let cluster = Self(
    "cluster", "show the part of the hub in its cluster, or pass the leadership on",
    arguments: [.init("ACTION", value: .words(["status", "transfer"])), .init("NODE", .atMostOnce)],
    details: [
      .text(
        """
        status shows the hub's node and the one that leads, since when the state may be stale, the last applied entry \
        of the log and how many the leader has beyond it, and the nodes to which a link is open. Needs the right to read \
        the hub's own state.
        """),
      .text(
        """
        transfer has the hub, which leads, pass the leadership on to NODE, or to the node that has the most of the log, \
        and waits until that one leads. No action is lost, and clients keep their connections. Needs the right admin. A \
        hub that is stopped does the same by itself.
        """),
      .code(["storectl cluster status", "storectl cluster transfer b"]),
    ])
}

extension Tool {
  /// Runs `cluster status` and `cluster transfer [NODE]`.
  func cluster() async throws(ToolFailure) {
    switch (options.arguments[0], options.arguments.dropFirst().first) {
    case ("status", nil): try await clusterStatus()
    case ("status", let name?): throw ToolFailure(.usage, "unexpected argument '\(name)'")
    case ("transfer", let node): try await transferLeadership(to: node ?? "")
    case (let word, _): throw wrongWord(word, ["status", "transfer"])
    }
  }

  private func clusterStatus() async throws(ToolFailure) {
    let (_, mirror) = try await connectedCluster()
    guard let status = mirror.part?.cluster else { return }
    guard !isJSON else { return print(status.json) }
    print(status.rows.map { palette.name($0) + String(repeating: " ", count: 10 - $0.count) + $1 })
  }

  private func transferLeadership(to node: String) async throws(ToolFailure) {
    guard node.utf8.count <= Transfer.nodeLimit else {
      throw ToolFailure(.usage, "the name of a node has at most \(Transfer.nodeLimit) characters")
    }
    let (hub, mirror) = try await connectedCluster()
    guard let before = mirror.part?.cluster else { return }
    guard node.isEmpty || before.leader != node else { return note("node \(node) leads already") }
    hub.transferLeadership(to: node)
    // A node that takes the leadership from the chosen one would be a later term, too.
    try await hub.wait { mirror.part?.cluster.map { $0.term > before.term && !$0.leader.isEmpty } ?? false }
    guard let after = mirror.part?.cluster else { return }
    effect = "node \(after.leader) leads"
    if isJSON { print(after.json) } else { note("node \(after.leader) leads in term \(after.term)") }
  }

  /// Connects to a hub, and waits for its metrics with the part in its cluster.
  private func connectedCluster() async throws(ToolFailure) -> (HubConnection, TypedMirror<HubMetrics>) {
    let hub = try await connect()
    guard try await hub.subscribeIfPermitted(to: .metrics) != nil else {
      throw ToolFailure(.notPermitted, "this user may not read the hub's own state")
    }
    let mirror = hub.followMetrics()
    try await hub.wait { mirror.part != nil }
    guard mirror.part?.cluster != nil else { throw ToolFailure(.absent, "the hub is in no cluster") }
    return (hub, mirror)
  }
}
