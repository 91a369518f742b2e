/// A place in an `OrderTree` that moves from left to right over whole subtrees.
@usableFromInline
struct TreeCursor {
  private(set) var node: Node?
  private(set) var height: Int
  /// The position of the first element under `node`.
  private(set) var position = 0
  private var way: [(branch: Branch, slot: Int)] = []

  init(_ tree: OrderTree) {
    node = tree.root
    height = tree.height
  }

  /// Goes to the first child.
  mutating func descend() {
    guard let node else { return }
    let branch = unsafeDowncast(node, to: Branch.self)
    way.append((branch, 0))
    self.node = branch.children[0]
    height -= 1
  }

  /// Goes to the next subtree, of the same height or, past the end of a branch, of a greater one.
  mutating func advance() {
    guard let node else { return }
    position += OrderTree.weight(of: node, height: height)
    while let (branch, slot) = way.popLast() {
      if slot + 1 < branch.count {
        way.append((branch, slot + 1))
        self.node = branch.children[slot + 1]
        return
      }
      height += 1
    }
    self.node = nil
  }
}
