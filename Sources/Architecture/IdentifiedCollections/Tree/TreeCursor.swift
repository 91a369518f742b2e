/// A place in an `OrderTree` that moves from left to right over whole subtrees, valid as long as the tree is.
@usableFromInline
struct TreeCursor {
  /// Its references are not counted, because even that would access a skipped subtree.
  private(set) var node: Unmanaged<Node>?
  private(set) var height: Int
  /// The label of `node` and its number of elements, read from the branch above, so that skipped subtrees are not
  /// accessed.
  private(set) var label: UInt64
  private var weight: Int
  /// The position of the first element under `node`.
  private(set) var position = 0
  private var way: [(branch: Branch, slot: Int)] = []

  init(_ tree: OrderTree) {
    node = tree.root.map { .passUnretained($0) }
    height = tree.height
    label = tree.root?.label ?? 0
    weight = tree.count
  }

  /// Moves to the first child.
  mutating func descend() {
    guard let node else { return }
    let branch = unsafeDowncast(node.takeUnretainedValue(), to: Branch.self)
    way.append((branch, 0))
    enter(branch, 0)
    height -= 1
  }

  /// Moves to the next subtree, of the same height or, at the end of a branch, of a greater one.
  mutating func advance() {
    position += weight
    while let last = way.indices.last {
      let slot = way[last].slot + 1
      if slot < way[last].branch.count {
        way[last].slot = slot
        return enter(way[last].branch, slot)
      }
      way.removeLast()
      height += 1
    }
    node = nil
    weight = 0
  }

  private mutating func enter(_ branch: Branch, _ slot: Int) {
    node = .passUnretained(branch.children[slot])
    label = branch.labels[slot]
    weight = branch.weights[slot]
  }
}
