extension OrderTree {
  /// Walks the whole tree and the index and returns the first violated invariant; `nil` if there is none.
  func firstViolation() -> String? {
    guard let root else {
      return count == 0 && height == 0 && index.isEmpty ? nil : "no root, yet something else is there"
    }
    if height == 0, root.count == 0 { return count == 0 && index.isEmpty ? nil : "a root without elements" }
    var leaves: [AnyLeaf] = []
    if let violation = Self.violation(in: root, height: height, isRoot: true, leaves: &leaves) { return violation }
    guard leaves.reduce(0, { $0 + $1.count }) == count else { return "count is \(count)" }
    for (leaf, next) in zip(leaves, leaves.dropFirst()) where leaf.label >= next.label {
      return "labels \(leaf.label), \(next.label)"
    }
    guard (leaves.last?.label ?? 0) < Self.labelEnd else { return "a label is too large" }
    if index.isEmpty { return height == 0 ? nil : "no index" }
    // As a set: entries of ids with the same hash in the same leaf are equal, and their number is right if all numbers
    // are.
    let expected = leaves.flatMap { leaf in
      (0..<leaf.count).map { HashTrie.Entry(hash: leaf.hashes[$0], label: leaf.label) }
    }
    let entered = index.entries
    return entered.count == expected.count && Set(entered) == Set(expected) ? nil : "the index differs from the leaves"
  }

  private static func violation(in node: Node, height: Int, isRoot: Bool, leaves: inout [AnyLeaf]) -> String? {
    guard node.count > 0 else { return "an empty node" }
    guard height > 0 else {
      guard let leaf = node as? AnyLeaf else { return "a branch at the height of leaves" }
      leaves.append(leaf)
      for slot in 0..<leaf.count where leaf.marks[slot] != AnyLeaf.mark(leaf.hashes[slot]) { return "a wrong mark" }
      return leaf.count <= leaf.capacity && leaf.capacity <= AnyLeaf.maximum ? nil : "a leaf of \(leaf.count)"
    }
    guard let branch = node as? Branch else { return "a leaf at the height of branches" }
    guard branch.count <= Branch.maximum, !isRoot || branch.count > 1 else { return "a branch of \(branch.count)" }
    guard branch.label == branch.labels[0] else { return "a branch with a wrong label" }
    for slot in 0..<branch.count {
      let child = branch.children[slot]
      if let violation = violation(in: child, height: height - 1, isRoot: false, leaves: &leaves) { return violation }
      guard branch.labels[slot] == child.label else { return "a wrong label for a child" }
      guard branch.weights[slot] == weight(of: child, height: height - 1) else { return "a wrong weight for a child" }
    }
    return nil
  }
}
