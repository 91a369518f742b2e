package import ClusterLog

/// Where the log of a relay ends: the node that it asks goes on from there.
package struct FollowRequest: Equatable, Sendable {
  /// The history of the relay's journal; nil if it has none.
  package let history: LogHistory?
  /// The relay's last entry; 0 for none.
  package let position: UInt64
  /// The checksum of that entry, which stands for all before it; 0 for none.
  package let checksum: UInt64

  /// Creates a request.
  package init(history: LogHistory?, position: UInt64, checksum: UInt64) {
    (self.history, self.position, self.checksum) = (history, position, checksum)
  }
}

/// The answer to a relay that asks to follow a node.
package enum FollowAnswer: Equatable, Sendable {
  /// The entries after the relay's place follow, in the history with this name.
  case accepted(LogHistory)
  case refused(FollowRefusal)
}

/// The reason why a node does not send a relay its log, or does not go on with it.
package enum FollowRefusal: Equatable, Sendable {
  /// The node does not serve now.
  case notReady
  /// The relay has entries that the node does not have.
  case ahead
  /// The node follows the relay itself.
  case loop
  /// The relay has another entry than the node at its place, in the same history.
  case diverged
  /// The node does not have the entries after the relay's place any more, in the history with this name.
  case lacks(LogHistory)
  /// The relay's journal is not of the node's log, which has this name.
  case otherHistory(LogHistory)
}

/// What a node tells the relays that may follow it, whether they do or not.
package struct RelayBeat: Equatable, Sendable {
  /// The node has the log up to here.
  package let position: UInt64
  /// That was the end of the log this many milliseconds ago, as far as the node knows.
  package let age: UInt64
  /// The number of the node's way to the leader for actions: another one asks for all unacknowledged actions again. 0 while
  /// there is none.
  package let way: UInt64
  /// The nodes between the cluster's members and the relay: the relays above the sender and the sender, if it is a relay
  /// itself. Its count is the sender's level.
  package let path: [NodeName]

  /// The greatest number of levels of relays.
  package static let pathLimit = 8
  /// The greatest age that is told.
  package static let ageLimit: UInt64 = 1 << 40

  /// Creates a beat.
  package init(position: UInt64, age: UInt64, way: UInt64, path: [NodeName]) {
    (self.position, self.age, self.way, self.path) = (position, age, way, path)
  }
}

/// The way of the actions of a node's clients over a link.
package struct ActionWay: Equatable, Sendable {
  /// The linked node: the leader, or the one that a relay follows.
  package let node: NodeName
  /// The term of the leader.
  package let term: UInt64
  /// Another number for each way.
  package let number: UInt64
}
