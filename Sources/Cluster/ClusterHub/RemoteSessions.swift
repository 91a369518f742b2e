import ClusterCore
import ClusterLog
import TurnLog

/// The sessions of other nodes whose actions a hub performs. Those of a node without a link are lost after a time.
nonisolated struct RemoteSessions {
  private var sessions: [NodeName: Set<ForwardedSession>] = [:]
  private var lostAt: [NodeName: Duration] = [:]

  /// The time for which the clients of a node without a link count as attached.
  static let patience = Duration.seconds(10)

  mutating func add(_ session: ForwardedSession, _ named: ClusterSession) {
    sessions[named.node, default: []].insert(session)
  }

  /// Removes a session whose client is gone; nil if it has sent nothing.
  mutating func remove(_ session: ClusterSession, of node: NodeName) -> ForwardedSession? {
    guard let found = sessions[node]?.first(where: { $0.id == session.id && $0.user == session.user }) else {
      return nil
    }
    return sessions[node]?.remove(found)
  }

  mutating func opened(_ node: NodeName) { lostAt[node] = nil }

  mutating func closed(_ node: NodeName, at now: Duration) {
    if sessions[node]?.isEmpty == false { lostAt[node] = now + Self.patience }
  }

  /// The time at which sessions are lost.
  var nextTime: Duration? { lostAt.values.min() }

  /// Takes the sessions that are lost.
  mutating func takeLost(at now: Duration) -> [ForwardedSession] {
    var lost: [ForwardedSession] = []
    for (node, time) in lostAt where now >= time {
      lost += sessions.removeValue(forKey: node) ?? []
      lostAt[node] = nil
    }
    return lost
  }
}
