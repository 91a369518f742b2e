package import ClusterCore
package import ClusterLog

/// The sessions of other nodes that send actions over this node's links, with the link over which each came last: that of
/// its own node, or of one between.
///
/// Nothing tells that a client is gone while the link is broken. When it is back, the other node tells of all clients
/// that are there, so those that it does not tell of in time are lost, as are all if it does not come back.
package struct RemoteSessions: Sendable {
  /// The sessions that were told of over each link since it was opened.
  private var sessions: [NodeName: Set<ClusterSession>] = [:]
  /// The link over which each session came last, which may be broken.
  private var nodes: [ClusterSession: NodeName] = [:]
  /// The sessions of links that have ended, which were not told of since; the ones that are lost first are first.
  private var missing: [(until: Duration, sessions: Set<ClusterSession>)] = []

  /// The time for which the clients of a node without a link count as attached.
  package static let patience = Duration.seconds(10)

  /// Knows of no session.
  package init() {}

  /// Notes that a session has sent something over the link to a node.
  package mutating func add(_ session: ClusterSession, of node: NodeName) {
    guard sessions[node, default: []].insert(session).inserted else { return }
    if let earlier = nodes.updateValue(node, forKey: session), earlier != node { sessions[earlier]?.remove(session) }
    find(session)
  }

  /// Removes a session whose client is gone, as the node at the other end of a link says; false if it has sent nothing
  /// over that link, or something over another one since.
  package mutating func remove(_ session: ClusterSession, of node: NodeName) -> Bool {
    guard nodes[session] == node else { return false }
    nodes[session] = nil
    sessions[node]?.remove(session)
    find(session)
    return true
  }

  private mutating func find(_ session: ClusterSession) {
    for index in missing.indices { missing[index].sessions.remove(session) }
    missing.removeAll { $0.sessions.isEmpty }
  }

  /// Notes that the link to a node has ended.
  package mutating func closed(_ node: NodeName, at now: Duration) {
    guard let gone = sessions.removeValue(forKey: node), !gone.isEmpty else { return }
    missing.append((now + Self.patience, gone))
  }

  /// The time at which sessions are lost.
  package var nextTime: Duration? { missing.first?.until }

  /// Takes the sessions that are lost.
  package mutating func takeLost(at now: Duration) -> [ClusterSession] {
    let count = missing.prefix { now >= $0.until }.count
    let lost = missing[..<count].flatMap(\.sessions)
    missing.removeFirst(count)
    for session in lost { nodes[session] = nil }
    return lost
  }
}
