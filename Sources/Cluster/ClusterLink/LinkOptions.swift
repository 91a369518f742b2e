package import ClusterLog

/// The settings of a node's links.
package struct LinkOptions: Sendable {
  /// The node's name.
  package var node: NodeName
  /// The random number of the process.
  package var process: UInt64
  /// The other nodes with which there may be links: the members of the cluster, and those that a relay follows.
  package var members: Set<NodeName>
  /// The relays that may follow this node, directly or over others. There may be links with them.
  package var relays: Set<NodeName> = []
  /// The history of the journal when the link is opened.
  package var history: LogHistory?
  /// True if a uid is the same person on all machines; the nodes must agree on it.
  package var sharesUsers = false
  /// The numbers of each node's users, if the machines have users of their own. The nodes must agree on them, and a node
  /// may act for its own users.
  package var userRanges: [NodeName: ClosedRange<UInt32>] = [:]
  /// What other nodes may do.
  package var ceilings: [NodeName: NodeCeiling] = [:]
  /// The greatest payload of a frame, in bytes: more than an action of the hub and than `LogEntry.byteLimit`. A node that
  /// accepts less than another one sends is not linked with it.
  package var payloadLimit = 2 << 20
  /// The bytes of a frame with several actions, and of a piece of a snapshot, at most.
  package var chunkBytes = 64 << 10
  /// The greatest number of bytes of a snapshot. A larger one is not sent, and not taken.
  package var snapshotBytes = 4 << 30
  /// The bytes that wait for an end that does not read, beside those of a snapshot, at most.
  package var waitingBytes = 16 << 20
  /// The time for the hello.
  package var helloTime = Duration.seconds(5)
  /// An end that has sent nothing else for so long sends a ping.
  package var pingInterval = Duration.seconds(1)
  /// An end sends a ping at least this often, to compare the clocks.
  package var clockInterval = Duration.seconds(5)
  /// The answer to a ping tells the other node's clock if it arrives within this time.
  package var clockRoundTrip = Duration.seconds(1)
  /// The link ends when nothing has arrived for so long.
  package var silenceLimit = Duration.seconds(4)

  /// Creates settings with the default limits.
  package init(node: NodeName, process: UInt64, members: Set<NodeName>) {
    (self.node, self.process, self.members) = (node, process, members)
  }

  /// Returns the reason why a snapshot of this size is not sent or taken, and what the operator can do; nil if it is.
  package func objection(toSnapshotOf byteCount: UInt64) -> String? {
    guard byteCount > UInt64(snapshotBytes) else { return nil }
    return """
      it has \(byteCount) bytes, and a link takes \(snapshotBytes) at most: copy the journal of a node that serves, by \
      `storectl cluster copy --into DIR` on its machine, and put the copy into the place of the --state-dir of the node \
      that needs it, while that hub is stopped
      """
  }
}

/// What a leader accepts from a node at most. The node has checked its clients' rights by the credentials of its kernel;
/// this bounds what a machine that was taken over can do.
package struct NodeCeiling: Equatable, Sendable {
  /// The uids for which the node may act.
  package var users: [ClosedRange<UInt32>]
  /// The groups that its clients may have, beside none.
  package var groups: [ClosedRange<UInt32>] = [0...UInt32.max]
  /// False if the node's clients may only read.
  package var mayAct: Bool
  /// The greatest number of sessions that act.
  package var sessions: Int
  /// The bytes of actions a second that are read from the node, on average and at once.
  package var bytesPerSecond: Int

  /// Everybody, with generous quotas.
  package static let `default` = NodeCeiling(
    users: [0...UInt32.max], mayAct: true, sessions: 100_000, bytesPerSecond: 256 << 20)

  /// Creates a ceiling.
  package init(users: [ClosedRange<UInt32>], mayAct: Bool, sessions: Int, bytesPerSecond: Int) {
    (self.users, self.mayAct, self.sessions, self.bytesPerSecond) = (users, mayAct, sessions, bytesPerSecond)
  }

  /// The reason why a session is not accepted, beside others; nil if it is.
  ///
  /// - Parameter origin: The ceiling of the node whose client it is: this one's, or that of a relay below the node.
  func refusal(of session: LinkSession, from origin: NodeCeiling, beside count: Int) -> SessionRefusal? {
    guard mayAct, origin.mayAct else { return .node }
    guard origin.users.contains(where: { $0.contains(session.user) }),
      session.group == .max || origin.groups.contains(where: { $0.contains(session.group) })
    else { return .user }
    return count < sessions ? nil : .tooMany
  }
}
