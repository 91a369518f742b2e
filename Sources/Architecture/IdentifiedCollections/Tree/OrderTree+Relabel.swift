extension OrderTree {
  /// Spreads out leaves so that there are free labels next to the leaf `label` again.
  ///
  /// The candidates are the aligned ranges of labels around it whose leaves are sparse enough by the rule of Bender,
  /// Cole, Demaine, Farach-Colton and Zito ("Two Simplified Algorithms for Maintaining Order in a List", 2002): fewer
  /// than (4/3)^i in a range of 2^i. This spreads O(log n) leaves per split, amortised. The best candidate is the one
  /// in which each relabelled leaf gains the most future halvings.
  static func relabel(around label: UInt64, under root: inout Node, height: Int, index: inout HashTrie) {
    var best: (range: Range<UInt64>, leaves: Int, gain: Double)?
    var sparse = 1.0
    for bits in 1...63 as ClosedRange<UInt64> {
      sparse *= 4 / 3
      let start = (label >> bits) << bits
      let range = start..<(start + (1 << bits))
      let leaves = countLeaves(under: root, height: height, in: range)
      if let best, leaves > best.leaves * 4 + 64 { break }
      guard Double(leaves) < sparse, UInt64(leaves) * 4 <= 1 << bits else { continue }
      let halvings = 63 - ((1 << bits) / UInt64(leaves)).leadingZeroBitCount
      let gain = Double(halvings) / Double(leaves)
      if gain > best?.gain ?? 0 { best = (range, leaves, gain) }
    }
    guard let best else { preconditionFailure("An identified array has more elements than labels.") }
    let stride = (best.range.upperBound - best.range.lowerBound) / UInt64(best.leaves)
    var next = best.range.lowerBound + stride / 2
    spread(&root, height: height, upper: labelEnd, range: best.range, next: &next, stride: stride, index: &index)
  }

  /// The number of leaves under `node` with a label in `range`.
  private static func countLeaves(under node: Node, height: Int, in range: Range<UInt64>) -> Int {
    guard height > 0 else { return range.contains(node.label) ? 1 : 0 }
    let branch = unsafeDowncast(node, to: Branch.self)
    var leaves = 0
    var slot = branch.slot(labelled: range.lowerBound)
    while slot < branch.count, branch.labels[slot] < range.upperBound {
      leaves += countLeaves(under: branch.children[slot], height: height - 1, in: range)
      slot += 1
    }
    return leaves
  }

  /// Gives the leaves in `range` the labels `next`, `next + stride` and so on.
  ///
  /// - Parameter upper: the label after those under `node`.
  private static func spread(
    _ node: inout Node, height: Int, upper: UInt64, range: Range<UInt64>, next: inout UInt64, stride: UInt64,
    index: inout HashTrie
  ) {
    guard node.label < range.upperBound, upper > range.lowerBound else { return }
    guard height > 0 else {
      guard range.contains(node.label) else { return }
      let leaf = unsafeDowncast(Node.unique(&node), to: AnyLeaf.self)
      for slot in 0..<leaf.count { index.relabel(leaf.hashes[slot], from: leaf.label, to: next) }
      leaf.label = next
      next += stride
      return
    }
    let branch = unsafeDowncast(Node.unique(&node), to: Branch.self)
    // The bounds are the old ones, whatever the new labels of the earlier children are.
    for slot in branch.slot(labelled: range.lowerBound)..<branch.count {
      guard branch.labels[slot] < range.upperBound else { break }
      let end = slot + 1 < branch.count ? branch.labels[slot + 1] : upper
      spread(
        &branch.children[slot], height: height - 1, upper: end, range: range, next: &next, stride: stride,
        index: &index)
      branch.update(slot, weight: branch.weights[slot])
    }
  }

  /// Removes the gaps between the labels of leaves. For tests.
  mutating func squeezeLabels(atEnd: Bool) {
    guard var top = root.take() else { return }
    let all = 0..<Self.labelEnd
    var next = atEnd ? Self.labelEnd - UInt64(Self.countLeaves(under: top, height: height, in: all)) : 0
    if index.isEmpty { Self.enterAll(of: top, in: &index) }
    Self.spread(&top, height: height, upper: Self.labelEnd, range: all, next: &next, stride: 1, index: &index)
    root = top
  }
}
