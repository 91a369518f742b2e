extension OrderTree {
  /// The result of opening a slot in a subtree.
  private enum Opened {
    /// The slot is open. `right`, if any, is a new right neighbour of the subtree, which the caller must insert.
    case slot(AnyLeaf, Int, right: Node?)
    /// A leaf must split next to the leaf with this label, but there is no free label. Nothing has changed.
    case crowded(UInt64)
  }

  /// Opens a slot at `position` for an id with this hash, in a leaf that no other tree shares, and enters it in the
  /// index.
  ///
  /// The caller must fill the slot before any other operation on the tree.
  /// - Complexity: O(log n), amortised over splits of leaves.
  @usableFromInline
  mutating func open(at position: Int, hash: UInt64, firstLeaf: () -> AnyLeaf) -> (leaf: AnyLeaf, slot: Int) {
    var top = root.take() ?? firstLeaf()
    if height == 0, count == AnyLeaf.maximum, index.isEmpty { Self.enterAll(of: top, in: &index) }
    while true {
      switch Self.open(in: &top, height: height, at: position, isFirst: true, upper: nil, index: &index) {
      case .crowded(let label):
        Self.relabel(around: label, under: &top, height: height, index: &index)
      case .slot(let leaf, let slot, let right):
        if let right {
          top = Branch(top, right, height: height)
          height += 1
        }
        root = top
        count += 1
        leaf.setHash(hash, at: slot)
        if !index.isEmpty { index.insert(hash, label: leaf.label) }
        return (leaf, slot)
      }
    }
  }

  /// Enters the elements of the only leaf.
  static func enterAll(of node: Node, in index: inout HashTrie) {
    let leaf = unsafeDowncast(node, to: AnyLeaf.self)
    for slot in 0..<leaf.count { index.insert(leaf.hashes[slot], label: leaf.label) }
  }

  /// - Parameters:
  ///   - isFirst: true if the subtree is the first of the tree.
  ///   - upper: the label of the leaf after the subtree; `nil` if it is the last of the tree.
  private static func open(
    in node: inout Node, height: Int, at position: Int, isFirst: Bool, upper: UInt64?, index: inout HashTrie
  ) -> Opened {
    if height == 0 { return openInLeaf(&node, at: position, isFirst: isFirst, upper: upper, index: &index) }
    var position = position
    let branch = unsafeDowncast(Node.unique(&node), to: Branch.self)
    let slot = branch.slot(toInsertAt: &position)
    let opened = open(
      in: &branch.children[slot], height: height - 1, at: position, isFirst: isFirst && slot == 0,
      upper: slot + 1 < branch.count ? branch.labels[slot + 1] : upper, index: &index)
    guard case .slot(let leaf, let hole, let newChild) = opened else { return opened }
    guard let newChild else {
      branch.update(slot, weight: branch.weights[slot] + 1)
      return opened
    }
    branch.update(slot, weight: weight(of: branch.children[slot], height: height - 1))
    let weight = Self.weight(of: newChild, height: height - 1)
    guard branch.count == Branch.maximum else {
      branch.insert(newChild, weight: weight, at: slot + 1)
      return .slot(leaf, hole, right: nil)
    }
    // A tree that grows at its end leaves full branches behind.
    let kept = upper == nil && slot + 1 == branch.count ? branch.count : branch.count / 2
    let right = Branch()
    if kept < branch.count { branch.moveChildren(from: kept, toEndOf: right) }
    if slot + 1 <= kept && kept < Branch.maximum {
      branch.insert(newChild, weight: weight, at: slot + 1)
    } else {
      right.insert(newChild, weight: weight, at: slot + 1 - kept)
    }
    return .slot(leaf, hole, right: right)
  }

  private static func openInLeaf(
    _ node: inout Node, at position: Int, isFirst: Bool, upper: UInt64?, index: inout HashTrie
  ) -> Opened {
    let isAtEnd = upper == nil && position == node.count
    if node.count < (isAtEnd && !isFirst ? AnyLeaf.filled : AnyLeaf.maximum) {
      let leaf = unsafeDowncast(Node.unique(&node), to: AnyLeaf.self)
      leaf.openHole(at: position)
      return .slot(leaf, position, right: nil)
    }
    let full = unsafeDowncast(node, to: AnyLeaf.self)
    if isAtEnd {
      guard let label = label(between: full.label, and: nil) else { return .crowded(full.label) }
      let leaf = full.emptySibling(label: label)
      leaf.openHole(at: 0)
      return .slot(leaf, 0, right: leaf)
    }
    if isFirst && position == 0 {
      guard full.label > 0 else { return .crowded(full.label) }
      let label = full.label > labelStride ? full.label - labelStride : full.label / 2
      let leaf = full.emptySibling(label: label)
      leaf.openHole(at: 0)
      node = leaf
      return .slot(leaf, 0, right: full)
    }
    guard let label = label(between: full.label, and: upper) else { return .crowded(full.label) }
    return split(&node, at: position, label: label, index: &index)
  }

  private static func split(
    _ node: inout Node, at position: Int, label: UInt64, index: inout HashTrie
  ) -> Opened {
    let left = unsafeDowncast(Node.unique(&node), to: AnyLeaf.self)
    let right = left.emptySibling(label: label)
    left.moveElements(from: left.count / 2, to: right, at: 0)
    for slot in 0..<right.count { index.relabel(right.hashes[slot], from: left.label, to: label) }
    let isLeft = position <= left.count
    let (leaf, slot) = isLeft ? (left, position) : (right, position - left.count)
    leaf.openHole(at: slot)
    return .slot(leaf, slot, right: right)
  }

  private static func label(between lower: UInt64, and upper: UInt64?) -> UInt64? {
    let middle = lower + ((upper ?? labelEnd) - lower) / 2
    let label = upper == nil ? min(middle, lower + labelStride) : middle
    return label > lower ? label : nil
  }
}

extension OrderTree {
  /// Records in the index, if there is one, that the id with this hash moved from one leaf to another.
  @usableFromInline
  mutating func reenter(_ hash: UInt64, from old: UInt64, to new: UInt64) {
    if old != new, !index.isEmpty { index.relabel(hash, from: old, to: new) }
  }
}
