internal import Synchronization

/// A node of an `OrderTree`: a `Branch` or a `Leaf`. All leaves are at the same depth, so a node's height determines
/// its kind.
///
/// A tree changes a node only if it alone refers to it; otherwise it first makes a copy. Nodes therefore omit the
/// run-time exclusivity check: whoever changes one has exclusive access to the tree.
@usableFromInline
class Node {
  /// The label of the first leaf of this subtree. Labels increase strictly from leaf to leaf.
  @exclusivity(unchecked) @usableFromInline
  final var label: UInt64

  /// The number of used slots: the elements of a leaf, the children of a branch.
  @exclusivity(unchecked) @usableFromInline
  final var count = 0

  /// The hash of the elements under this node; `SequenceHash.unknown` before it is first requested and after each
  /// change.
  ///
  /// Atomic, because versions in two threads may share the node and both compute the hash; they write the same number.
  final let sequenceHash = Atomic<UInt64>(SequenceHash.unknown)

  @usableFromInline
  init(label: UInt64) {
    self.label = label
  }

  func copied() -> Node { fatalError("abstract") }

  /// Announces a change below this node, which no other tree shares.
  final func willChange() {
    sequenceHash.store(SequenceHash.unknown, ordering: .relaxed)
  }

  /// The node in `slot`, for changes. If the node is shared, `slot` first receives a copy.
  ///
  /// Every change of a node or below it goes through here or `OrderTree.uniqueRoot()`, so hashes are invalidated
  /// nowhere else. A copy has no hash.
  @discardableResult
  static func unique(_ slot: inout Node) -> Node {
    if isKnownUniquelyReferenced(&slot) { slot.willChange() } else { slot = slot.copied() }
    return slot
  }
}
