/// Decides which entries the log no longer needs.
///
/// An entry may go when a majority of the nodes' journals has stored it: after the loss of any minority of the machines,
/// one is left that has it. Of the entries that may go, the last ones are kept for nodes that were away. The plan counts
/// the bytes of stretches of the log and not those of each entry, so that it is small.
package struct TrimPlan: Sendable {
  /// The nodes of the cluster.
  package let members: Set<NodeName>
  /// The number of bytes of the last entries that are kept.
  package let keptBytes: Int
  /// The number of bytes that one transaction removes at least.
  package let stepBytes: Int
  /// The position up to which each journal is on disk, as far as it has been reported.
  private var stored: [NodeName: UInt64] = [:]
  /// The end of the log as far as it was counted, without gaps; the first stretch is the oldest.
  private var stretches: [Stretch] = []
  private var byteCount = 0
  /// The first entry of the log, as far as it is known.
  private var first: UInt64 = 0

  private struct Stretch {
    let first: UInt64
    var last: UInt64
    var byteCount: Int
  }

  /// The greatest number of stretches. Beyond it, the oldest ones are joined.
  private static let stretchLimit = 1024

  /// Creates a plan in which no journal has stored anything.
  package init(members: Set<NodeName>, keptBytes: Int, stepBytes: Int) {
    (self.members, self.keptBytes, self.stepBytes) = (members, keptBytes, stepBytes)
  }

  // MARK: The journals

  /// Records the position of a journal. It may be lower than before: the node may have lost its disk.
  package mutating func note(_ node: NodeName, stored position: UInt64) {
    if members.contains(node) { stored[node] = position }
  }

  /// Forgets the position of a journal, for a node whose link has ended: it may lose its disk before it reports again.
  package mutating func forget(_ node: NodeName) { stored[node] = nil }

  /// Forgets the positions of all journals: they are those of another history.
  package mutating func forgetAll() { (stored, first) = ([:], 0) }

  /// The position up to which a journal is on disk, as far as it has been reported; otherwise 0.
  package func stored(by node: NodeName) -> UInt64 { stored[node] ?? 0 }

  /// The position up to which a majority of the journals is on disk.
  package var majority: UInt64 {
    let positions = members.map(stored(by:)).sorted(by: >)
    return positions.isEmpty ? 0 : positions[members.count / 2]
  }

  // MARK: The log

  /// Counts the next entry of the log, with the parts of its turn. After a gap, the plan begins anew.
  package mutating func count(_ position: UInt64, byteCount size: Int) {
    if let last = stretches.last, last.last + 1 != position { (stretches, byteCount) = ([], 0) }
    byteCount += size
    if let index = stretches.indices.last, stretches[index].byteCount < stepBytes {
      stretches[index].last = position
      stretches[index].byteCount += size
      return
    }
    stretches.append(Stretch(first: position, last: position, byteCount: size))
    guard stretches.count > Self.stretchLimit else { return }
    let second = stretches.remove(at: 1)
    stretches[0].last = second.last
    stretches[0].byteCount += second.byteCount
  }

  /// Forgets entries that the log no longer has.
  package mutating func removed(before position: UInt64) {
    first = max(first, position)
    while let first = stretches.first, first.last < position {
      byteCount -= first.byteCount
      stretches.removeFirst()
    }
  }

  /// The first entry that must be kept; nil if there is nothing to remove. At least the last entry is kept, which the
  /// next one compares.
  ///
  /// - Parameter isFull: True if the store needs room more than nodes that were away need entries: they take a snapshot.
  ///   Then everything that a majority has may go, also what was not counted because the node has started since.
  package func firstKept(isFull: Bool) -> UInt64? {
    let majority = majority
    guard !isFull else {
      let kept = min(majority, stretches.last?.last ?? majority)
      return kept > first ? kept : nil
    }
    guard stretches.count > 1 else { return nil }
    var (first, rest) = (UInt64?.none, byteCount)
    for (stretch, next) in zip(stretches, stretches.dropFirst()) {
      rest -= stretch.byteCount
      guard rest >= keptBytes, next.first <= majority else { break }
      first = next.first
    }
    return first
  }
}
