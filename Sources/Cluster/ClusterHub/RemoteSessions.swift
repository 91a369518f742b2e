import ClusterCore
import ClusterLog

/// The sessions of other nodes that send actions over this node's links, with the link over which each came last: that of
/// its own node, or of one between. Those of a link that has ended are lost after a time.
nonisolated struct RemoteSessions {
  private var sessions: [NodeName: Set<ClusterSession>] = [:]
  private var nodes: [ClusterSession: NodeName] = [:]
  private var lostAt: [NodeName: Duration] = [:]

  /// The time for which the clients of a node without a link count as attached.
  static let patience = Duration.seconds(10)

  /// Notes that a session has sent something over the link to a node.
  mutating func add(_ session: ClusterSession, of node: NodeName) {
    guard nodes[session] != node else { return }
    if let earlier = nodes.updateValue(node, forKey: session) { sessions[earlier]?.remove(session) }
    sessions[node, default: []].insert(session)
  }

  /// Removes a session whose client is gone, as the node at the other end of a link says; false if it has sent nothing
  /// over that link, or something over another one since.
  mutating func remove(_ session: ClusterSession, of node: NodeName) -> Bool {
    guard nodes[session] == node else { return false }
    nodes[session] = nil
    sessions[node]?.remove(session)
    return true
  }

  mutating func opened(_ node: NodeName) { lostAt[node] = nil }

  mutating func closed(_ node: NodeName, at now: Duration) {
    if sessions[node]?.isEmpty == false { lostAt[node] = now + Self.patience }
  }

  /// The time at which sessions are lost.
  var nextTime: Duration? { lostAt.values.min() }

  /// Takes the sessions that are lost.
  mutating func takeLost(at now: Duration) -> [ClusterSession] {
    var lost: [ClusterSession] = []
    for (node, time) in lostAt where now >= time {
      lost += sessions.removeValue(forKey: node) ?? []
      lostAt[node] = nil
    }
    for session in lost { nodes[session] = nil }
    return lost
  }
}
