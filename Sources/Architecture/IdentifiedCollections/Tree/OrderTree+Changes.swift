/// A leaf that only one of two compared trees has.
@usableFromInline
struct ChangedLeaf {
  @usableFromInline let leaf: AnyLeaf
  /// The position of its first element.
  @usableFromInline let start: Int
  /// The number of shared subtrees before it. Between shared subtrees, the two trees have the same gaps.
  @usableFromInline let gap: Int
}

extension OrderTree {
  /// The unshared leaves of `base` and of this tree, each in order.
  ///
  /// A shared node has the same label in both trees. The trees are therefore walked like sorted lists, the lower label
  /// first, and a subtree that both cursors have reached is skipped entirely.
  /// - Parameter shared: called for each shared subtree with its positions in `base` and here; `false` ends the walk.
  /// - Complexity: O(nodes that are not shared).
  @usableFromInline
  func changedLeaves(
    from base: OrderTree, shared: (Int, Int) -> Bool = { _, _ in true }
  ) -> (old: [ChangedLeaf], new: [ChangedLeaf])? {
    var old = TreeCursor(base)
    var new = TreeCursor(self)
    var changed: (old: [ChangedLeaf], new: [ChangedLeaf]) = ([], [])
    var gap = 0
    while true {
      let order: (old: Bool, new: Bool)
      switch (old.node, new.node) {
      case (nil, nil): return changed
      case (_?, nil): order = (true, false)
      case (nil, _?): order = (false, true)
      case (let a?, let b?):
        if a.toOpaque() == b.toOpaque() {
          guard shared(old.position, new.position) else { return nil }
          gap += 1
          old.advance()
          new.advance()
          continue
        }
        order =
          old.label != new.label
          ? (old.label < new.label, old.label > new.label) : (old.height >= new.height, old.height <= new.height)
      }
      if order.old { Self.step(&old, gap: gap, into: &changed.old) }
      if order.new { Self.step(&new, gap: gap, into: &changed.new) }
    }
  }

  private static func step(_ cursor: inout TreeCursor, gap: Int, into leaves: inout [ChangedLeaf]) {
    guard let node = cursor.node else { return }
    if cursor.height > 0 { return cursor.descend() }
    let leaf = unsafeDowncast(node.takeUnretainedValue(), to: AnyLeaf.self)
    leaves.append(ChangedLeaf(leaf: leaf, start: cursor.position, gap: gap))
    cursor.advance()
  }
}
