internal import Synchronization

extension OrderTree {
  /// The hash of the sequence of all elements' hashes (`SequenceHash`), which each node caches for its subtree.
  ///
  /// - Parameter leafHash: the hash of the sequence of a leaf's elements' hashes; nil to end the walk.
  /// - Returns: nil if the walk was ended. The next one goes on there, since the hashes so far are cached.
  /// - Complexity: O(nodes without a cached hash).
  func sequenceHash(_ leafHash: (AnyLeaf) -> UInt64?) -> UInt64? {
    guard let root else { return 0 }
    return Self.sequenceHash(of: root, height: height, leafHash)
  }

  private static func sequenceHash(of node: Node, height: Int, _ leafHash: (AnyLeaf) -> UInt64?) -> UInt64? {
    let kept = node.sequenceHash.load(ordering: .relaxed)
    guard kept == SequenceHash.unknown else { return kept }
    var hash: UInt64 = 0
    if height == 0 {
      guard let whole = leafHash(unsafeDowncast(node, to: AnyLeaf.self)) else { return nil }
      hash = whole
    } else {
      let branch = unsafeDowncast(node, to: Branch.self)
      for slot in 0..<branch.count {
        guard let child = sequenceHash(of: branch.children[slot], height: height - 1, leafHash) else { return nil }
        hash = SequenceHash.joining(hash, child, count: branch.weights[slot])
      }
    }
    node.sequenceHash.store(hash, ordering: .relaxed)
    return hash
  }
}
