/// The order of the elements and the look-up of ids: a B+-tree of leaves, and an index from ids to leaves.
///
/// Every insertion shifts the positions after it, and a node may belong to many versions, so it cannot have a pointer
/// to its parent. How is a position found by id? Each leaf has a **label**, a number that increases from leaf to leaf.
/// The index maps an id to the label of its leaf; a search by label from the root finds the leaf and the number of
/// elements before it. An insertion changes labels only when a leaf splits: the new leaf takes a number between its
/// neighbours, and half of the elements are re-entered, which the preceding 16 insertions pay for. If there is no
/// number left between two leaves, the fewest leaves that give room are spread out
/// (`relabel(around:under:height:index:)`). Labels of single elements could be searched as fast, but spreading them out
/// would change an index entry for every element, and they would take twice the memory.
///
/// There is no index while all elements fit into one leaf: a search through at most 32 hashes is faster.
@usableFromInline
struct OrderTree {
  /// `nil` if there are no elements.
  @usableFromInline var root: Node?
  /// The number of branches above each leaf.
  @usableFromInline var height = 0
  @usableFromInline var count = 0
  /// May be empty while there is only one leaf.
  @usableFromInline var index = HashTrie.empty

  /// Labels are below this, so that the sum of two does not overflow.
  static var labelEnd: UInt64 { 1 << 63 }
  /// The label of the first leaf: in the middle, because leaves are added on both sides.
  @usableFromInline static var firstLabel: UInt64 { 1 << 62 }
  /// The gap between leaves at the ends, where most are added.
  static var labelStride: UInt64 { 1 << 32 }

  @usableFromInline
  init() {}

  /// The leaf and the slot of the element at `position`, valid as long as the tree is neither changed nor released.
  @usableFromInline
  func leaf(at position: Int) -> (leaf: Unmanaged<AnyLeaf>, slot: Int) {
    var position = position
    var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        let branch = unsafeDowncast(node, to: Branch.self)
        let slot = branch.slot(holding: &position)
        return Unmanaged.passUnretained(branch.children[slot])
      }
    }
    return (node._withUnsafeGuaranteedRef { .passUnretained(unsafeDowncast($0, to: AnyLeaf.self)) }, position)
  }

  /// The leaf with an existing label, valid as long as the tree is neither changed nor released.
  @usableFromInline
  func leaf(labelled label: UInt64) -> Unmanaged<AnyLeaf> {
    var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        let branch = unsafeDowncast(node, to: Branch.self)
        return Unmanaged.passUnretained(branch.children[branch.slot(labelled: label)])
      }
    }
    return node._withUnsafeGuaranteedRef { .passUnretained(unsafeDowncast($0, to: AnyLeaf.self)) }
  }

  /// The position of the first element of the leaf with an existing label.
  @usableFromInline
  func start(ofLeaf label: UInt64) -> Int {
    var start = 0
    var node = Unmanaged.passUnretained(root.unsafelyUnwrapped)
    for _ in 0..<height {
      node = node._withUnsafeGuaranteedRef { node in
        let branch = unsafeDowncast(node, to: Branch.self)
        let slot = branch.slot(labelled: label)
        start += branch.weight(upTo: slot)
        return Unmanaged.passUnretained(branch.children[slot])
      }
    }
    return start
  }

  /// The leaf and the slot of the element at `position`, for changes in place: shared nodes on the path are copied.
  @usableFromInline
  mutating func uniqueLeaf(at position: Int) -> (leaf: AnyLeaf, slot: Int) {
    var position = position
    var node = uniqueRoot()
    for _ in 0..<height {
      let branch = unsafeDowncast(node, to: Branch.self)
      let slot = branch.slot(holding: &position)
      node = Node.unique(&branch.children[slot])
    }
    return (unsafeDowncast(node, to: AnyLeaf.self), position)
  }

  /// The leaf with an existing label, for changes in place.
  @usableFromInline
  mutating func uniqueLeaf(labelled label: UInt64) -> AnyLeaf {
    var node = uniqueRoot()
    for _ in 0..<height {
      let branch = unsafeDowncast(node, to: Branch.self)
      node = Node.unique(&branch.children[branch.slot(labelled: label)])
    }
    return unsafeDowncast(node, to: AnyLeaf.self)
  }

  private mutating func uniqueRoot() -> Node {
    if isKnownUniquelyReferenced(&root) {
      root.unsafelyUnwrapped.willChange()
    } else {
      root = root.unsafelyUnwrapped.copied()
    }
    return root.unsafelyUnwrapped
  }

  /// The number of elements under `node`, whose height is `height`.
  static func weight(of node: Node, height: Int) -> Int {
    height == 0 ? node.count : unsafeDowncast(node, to: Branch.self).weight()
  }
}
