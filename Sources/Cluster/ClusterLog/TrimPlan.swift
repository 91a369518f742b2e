/// Decides which entries the log no longer needs.
///
/// An entry may go when a majority of the nodes' journals has stored it: after the loss of any minority of the machines,
/// one is left that has it.
package struct TrimPlan: Sendable {
  /// The nodes of the cluster.
  package let members: Set<NodeName>
  /// The number of entries that are kept for nodes that were away.
  package let kept: UInt64
  /// The position up to which each journal is on disk, as far as it has been reported.
  private var stored: [NodeName: UInt64] = [:]

  /// Creates a plan in which no journal has stored anything.
  package init(members: Set<NodeName>, kept: UInt64) { (self.members, self.kept) = (members, kept) }

  /// Records the position of a journal. It may be lower than before: the node may have lost its disk.
  package mutating func note(_ node: NodeName, stored position: UInt64) {
    if members.contains(node) { stored[node] = position }
  }

  /// Forgets the position of a journal, for a node whose link has ended: it may lose its disk before it reports again.
  package mutating func forget(_ node: NodeName) { stored[node] = nil }

  /// The position up to which a majority of the journals is on disk.
  package var majority: UInt64 {
    let positions = members.map { stored[$0] ?? 0 }.sorted(by: >)
    return positions.isEmpty ? 0 : positions[members.count / 2]
  }

  /// The first entry that must be kept, if the log ends at a position: at least the last one, which the next compares.
  package func firstKept(tail: UInt64) -> UInt64 {
    let end = min(majority, tail)
    return max(end > kept ? end - kept : 0, 1)
  }
}
