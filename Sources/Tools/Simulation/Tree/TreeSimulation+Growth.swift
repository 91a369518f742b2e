import ClusterCore
import ClusterLog
internal import RandomNumbers
import Wire

/// The shape of the tree, and its start.
extension TreeSimulation {
  static let schema = SchemaFingerprint(ofBytes: [1])

  /// Makes all nodes: each level is filled before the next one begins. A relay may also follow another node of the level
  /// above, and a member, if the one that it prefers is lost.
  func grow() {
    let members = (0..<plan.memberCount).map { Self.name("n\($0)") }
    var shapes = members.map { (name: $0, level: 0, upstreams: [NodeName]()) }
    var above = 0..<members.count
    while shapes.count < members.count + plan.relayCount {
      let start = shapes.count
      let count = min(above.count * plan.fanOut, members.count + plan.relayCount - start)
      for index in 0..<count {
        // Evenly, also on a level that is not full.
        let place = index * above.count / count
        let second = (place + 1 + index % max(above.count - 1, 1)) % above.count
        var upstreams = [shapes[above.lowerBound + place].name]
        for other in [shapes[above.lowerBound + second].name, members[index % members.count]]
        where !upstreams.contains(other) { upstreams.append(other) }
        shapes.append((Self.name("r\(start + index)"), shapes[above.lowerBound].level + 1, upstreams))
      }
      above = start..<shapes.count
    }
    // A relay names those below it, and a member all, because it may lead. Those of the last level come first here.
    var relays: [NodeName: Set<NodeName>] = [:]
    for shape in shapes.reversed() where shape.level > 0 {
      let below = (relays[shape.name] ?? []).union([shape.name])
      for upstream in shape.upstreams + members { relays[upstream, default: []].formUnion(below) }
    }
    for (index, shape) in shapes.enumerated() {
      var options = ClusterOptions(
        node: shape.name, process: max(chance.next(), 1), members: shape.level == 0 ? Set(members) : [],
        upstreams: shape.upstreams, schemas: [Self.schema])
      options.relays = relays[shape.name] ?? []
      let journal = ClusterCore.Journal(history: nil, point: .start, last: nil)
      nodes.append(
        TreeNode(
          shape.name, index, level: shape.level, upstreams: shape.upstreams,
          ClusterCore(options, journal: journal, now: .nanoseconds(now))))
      indices[shape.name] = index
    }
    let levelCount = (shapes.map(\.level).max() ?? 0) + 1
    report.levels = Array(repeating: TreeReport.Level(), count: levelCount)
    actors = Array(repeating: [], count: nodes.count)
    for node in nodes.indices {
      let id = SessionID(high: 0, low: UInt64(node + 1))
      actors[node].append(clients.count)
      clients.append(TreeClient(node: node, session: ClusterSession(node: nodes[node].name, user: 1000, id: id)))
    }
  }

  private static func name(_ text: String) -> NodeName {
    guard let name = NodeName(text) else { preconditionFailure("a name") }
    return name
  }

  /// Starts all nodes, and opens the links: between all members, and from a relay to all that it may follow.
  func start() throws {
    for node in nodes { try drive(node, at: now) }
    for node in nodes {
      let peers = node.isRelay ? node.upstreams.compactMap { indices[$0] } : Array(0..<plan.memberCount)
      for peer in peers where node.isRelay || peer > node.index {
        let time = now + Int64(chance.number(0...50_000_000))
        events.add(.input(node: node.index, .linked(peer)), at: time)
        events.add(.input(node: peer, .linked(node.index)), at: time)
      }
    }
  }
}
