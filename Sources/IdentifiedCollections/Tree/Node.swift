internal import Synchronization

/// A node of an `OrderTree`: a `Branch` or a `Leaf`. All leaves stand at the same depth, so that a node's height says which.
///
/// A node is changed only by a tree that alone refers to it; a tree that shares it makes a copy first.
@usableFromInline
class Node {
  /// The label of the first leaf of this subtree. Labels rise strictly from leaf to leaf.
  @exclusivity(unchecked) @usableFromInline
  final var label: UInt64

  /// How many slots are taken: the elements of a leaf, the children of a branch.
  @exclusivity(unchecked) @usableFromInline
  final var count = 0

  /// The hash of the elements under this node, `SequenceHash.unknown` until somebody asks for it and again after each change.
  ///
  /// Atomic, because versions in two threads may share the node and both ask: then both write the same number.
  final let sequenceHash = Atomic<UInt64>(SequenceHash.unknown)

  @usableFromInline
  init(label: UInt64) {
    self.label = label
  }

  func copied() -> Node { fatalError("abstract") }

  /// Says that what is under this node, which no other tree shares, is about to change.
  final func willChange() {
    sequenceHash.store(SequenceHash.unknown, ordering: .relaxed)
  }

  /// The node in `slot`, to be changed: `slot` is given a copy first if anybody else refers to the node too.
  ///
  /// Every change of a node and of what is under it comes by here or by `OrderTree.uniqueRoot()`, so that the hashes are
  /// forgotten in no other place. A copy has none.
  @discardableResult
  static func unique(_ slot: inout Node) -> Node {
    if isKnownUniquelyReferenced(&slot) { slot.willChange() } else { slot = slot.copied() }
    return slot
  }
}
