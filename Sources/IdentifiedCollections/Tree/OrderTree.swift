/// The order of the elements, and the way from an id to its place: a B+-tree of leaves, and an index from ids to leaves.
///
/// How is a place found by id, when every insertion shifts the places after it, and when a node may belong to many versions,
/// so that it can have no pointer to its parent? Each leaf has a **label**, a number that rises from leaf to leaf. The index
/// says the label of an id's leaf, and a search by label from the root comes to the leaf and to the number of elements before
/// it. An insertion changes no label but when a leaf splits: the new leaf takes a number between its neighbours, half of the
/// elements are entered anew, and that is paid for by the 32 insertions before it. When there is no number left between two
/// leaves, as few leaves as give room are spread out (`relabel(around:under:height:index:)`). Labels of single elements would be searched as
/// fast, but would need an entry in the index changed for every element that is spread out, and twice the memory.
///
/// While all elements fit into one leaf there is no index: a search through at most 64 hashes is faster.
@usableFromInline
struct OrderTree {
  /// `nil` when there are no elements.
  @usableFromInline var root: Node?
  /// The number of branches above each leaf.
  @usableFromInline var height = 0
  @usableFromInline var count = 0
  /// Empty as long as there is only one leaf, perhaps.
  @usableFromInline var index = HashTrie.empty

  /// Labels are below this, so that half of the sum of two does not overflow.
  static var labelEnd: UInt64 { 1 << 63 }
  /// The label of a first leaf: in the middle, since leaves come on both sides.
  @usableFromInline static var firstLabel: UInt64 { 1 << 62 }
  /// The room between leaves at the ends, where most come.
  static var labelStride: UInt64 { 1 << 32 }

  @usableFromInline
  init() {}

  /// The leaf and the slot of the element at `position`, good as long as the tree is neither changed nor released.
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

  /// The leaf with a label that is in use, good as long as the tree is neither changed nor released.
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

  /// The position of the first element of the leaf with a label that is in use.
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

  /// The leaf and the slot of the element at `position`, to be changed in place: nodes on the way that others share are
  /// copied.
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

  /// The leaf with a label that is in use, to be changed in place.
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

  /// How many elements are under `node`, whose height is `height`.
  static func weight(of node: Node, height: Int) -> Int {
    height == 0 ? node.count : unsafeDowncast(node, to: Branch.self).weight()
  }
}
