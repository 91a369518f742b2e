import ClusterCore
import ClusterLog

/// A hub of the tree: its core, and the processor that does one thing after the other.
final class TreeNode {
  let name: NodeName
  let index: Int
  /// The number of relays above the node, and itself if it is one.
  let level: Int
  /// The nodes that a relay may follow, in the order of preference; empty for a member.
  let upstreams: [NodeName]
  var core: ClusterCore
  /// The machine is lost.
  var isLost = false
  /// The events that wait for the node's next turn.
  var inbox: [TreeSimulation.Input] = []
  /// The time until which the processor works.
  var freeAt: Int64 = 0
  /// True if the node handles its inbox at `freeAt`, or at once.
  var isServing = false
  var wakesAt: Int64?
  var watches = false
  var isSyncing = false
  /// The processor time so far.
  var work = 0
  /// The time of the last change that the node's clients have got, and the longest time between two.
  var changedAt: Int64 = 0
  var longestGap: Int64 = 0

  init(_ name: NodeName, _ index: Int, level: Int, upstreams: [NodeName], _ core: consuming ClusterCore) {
    (self.name, self.index, self.level, self.upstreams) = (name, index, level, upstreams)
    self.core = core
  }

  var isRelay: Bool { !upstreams.isEmpty }
}

/// A client that acts.
struct TreeClient {
  let node: Int
  let session: ClusterSession
  var acknowledged: UInt64 = 0
  /// The times of the actions so far.
  var times: [Int64] = []
}
