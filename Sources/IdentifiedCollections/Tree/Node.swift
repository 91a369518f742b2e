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

  @usableFromInline
  init(label: UInt64) {
    self.label = label
  }

  func copied() -> Node { fatalError("abstract") }

  /// The node in `slot`, after `slot` has been given a copy if anybody else refers to it too.
  @discardableResult
  static func unique(_ slot: inout Node) -> Node {
    if !isKnownUniquelyReferenced(&slot) { slot = slot.copied() }
    return slot
  }
}
