extension OrderTree {
  private static var smallLeaf: Int { AnyLeaf.maximum / 4 }
  private static var smallBranch: Int { Branch.maximum / 4 }

  /// Closes the slot at `position`, whose element the caller has removed after `uniqueLeaf(at:)`.
  ///
  /// The path to it is not copied here: it is already unique, and a slot without an element could not be copied.
  /// - Complexity: O(log n), amortised over merges of leaves.
  @usableFromInline
  mutating func close(at position: Int) {
    guard var top = root.take() else { return }
    close(in: top, height: height, at: position)
    count -= 1
    while height > 0, top.count == 1 {
      top = unsafeDowncast(top, to: Branch.self).children[0]
      height -= 1
    }
    if count > 0 { root = top }
    // Half the leaf size at which the index is created, so that a size that fluctuates around that limit does not
    // rebuild it each time.
    if height == 0, count <= AnyLeaf.maximum / 2, !index.isEmpty { index = .empty }
  }

  private mutating func close(in node: Node, height: Int, at position: Int) {
    guard height > 0 else {
      let leaf = unsafeDowncast(node, to: AnyLeaf.self)
      if !index.isEmpty { index.remove(leaf.hashes[position], label: leaf.label) }
      return leaf.closeHole(at: position)
    }
    var position = position
    let branch = unsafeDowncast(node, to: Branch.self)
    let slot = branch.slot(holding: &position)
    close(in: branch.children[slot], height: height - 1, at: position)
    if branch.children[slot].count == 0 { return branch.remove(at: slot) }
    branch.update(slot, weight: branch.weights[slot] - 1)
    if height == 1 {
      mergeSmallLeaf(slot, in: branch)
    } else {
      Self.mergeSmallBranch(slot, in: branch)
    }
  }

  /// The neighbour that, together with the child in `slot`, has at most `limit` slots.
  private static func partner(of slot: Int, in branch: Branch, limit: Int) -> Int? {
    let count = branch.children[slot].count
    return [slot - 1, slot + 1].first {
      $0 >= 0 && $0 < branch.count && branch.children[$0].count + count <= limit
    }
  }

  private mutating func mergeSmallLeaf(_ slot: Int, in branch: Branch) {
    guard branch.children[slot].count < Self.smallLeaf,
      let partner = Self.partner(of: slot, in: branch, limit: AnyLeaf.maximum * 3 / 4)
    else { return }
    // The smaller one joins the larger one, so that fewer ids are re-entered.
    let from = branch.children[slot].count <= branch.children[partner].count ? slot : partner
    let to = from == slot ? partner : slot
    Node.unique(&branch.children[partner])
    let source = unsafeDowncast(branch.children[from], to: AnyLeaf.self)
    let target = unsafeDowncast(branch.children[to], to: AnyLeaf.self)
    for slot in 0..<source.count { index.relabel(source.hashes[slot], from: source.label, to: target.label) }
    source.moveElements(from: 0, to: target, at: from < to ? 0 : target.count)
    branch.update(to, weight: target.count)
    branch.remove(at: from)
  }

  private static func mergeSmallBranch(_ slot: Int, in branch: Branch) {
    guard branch.children[slot].count < smallBranch,
      let partner = partner(of: slot, in: branch, limit: Branch.maximum * 3 / 4)
    else { return }
    Node.unique(&branch.children[partner])
    let left = min(slot, partner)
    let target = unsafeDowncast(branch.children[left], to: Branch.self)
    unsafeDowncast(branch.children[left + 1], to: Branch.self).moveChildren(from: 0, toEndOf: target)
    branch.update(left, weight: branch.weights[left] + branch.weights[left + 1])
    branch.remove(at: left + 1)
  }
}
