/// Up to eight subtrees of the same height, each with its number of elements and the label of its first leaf.
///
/// A change of a shared tree copies the branches on a path, and counts a reference for each child of each. In a large
/// tree most of these are not cached, which costs more than some further levels.
@usableFromInline
final class Branch: Node {
  static var maximum: Int { 8 }

  let labels: UnsafeMutablePointer<UInt64>
  let weights: UnsafeMutablePointer<Int>
  let children: UnsafeMutablePointer<Node>

  init() {
    labels = .allocate(capacity: Branch.maximum)
    weights = .allocate(capacity: Branch.maximum)
    children = .allocate(capacity: Branch.maximum)
    super.init(label: 0)
  }

  /// Creates the branch above two subtrees of the same height.
  convenience init(_ left: Node, _ right: Node, height: Int) {
    self.init()
    insert(left, weight: OrderTree.weight(of: left, height: height), at: 0)
    insert(right, weight: OrderTree.weight(of: right, height: height), at: 1)
  }

  deinit {
    children.deinitialize(count: count)
    labels.deallocate()
    weights.deallocate()
    children.deallocate()
  }

  override func copied() -> Node {
    let copy = Branch()
    copy.label = label
    copy.count = count
    copy.labels.initialize(from: labels, count: count)
    copy.weights.initialize(from: weights, count: count)
    copy.children.initialize(from: children, count: count)
    return copy
  }

  /// The number of elements in the children from `start` up to `end`.
  func weight(from start: Int = 0, upTo end: Int? = nil) -> Int {
    var sum = 0
    for slot in start..<(end ?? count) { sum += weights[slot] }
    return sum
  }

  /// The child with the element at `position`, which becomes the position in that child.
  func slot(holding position: inout Int) -> Int {
    var slot = 0
    while position >= weights[slot] {
      position -= weights[slot]
      slot += 1
    }
    return slot
  }

  /// The child for an insertion at `position`; at a border, the one before it.
  func slot(toInsertAt position: inout Int) -> Int {
    var slot = 0
    while position > weights[slot] {
      position -= weights[slot]
      slot += 1
    }
    return slot
  }

  /// The child that contains the leaf with `label`.
  func slot(labelled label: UInt64) -> Int {
    var low = 0
    var high = count
    while high - low > 1 {
      let middle = (low + high) / 2
      if labels[middle] <= label { low = middle } else { high = middle }
    }
    return low
  }

  func insert(_ child: Node, weight: Int, at slot: Int) {
    let after = count - slot
    (labels + slot + 1).moveInitialize(from: labels + slot, count: after)
    (weights + slot + 1).moveInitialize(from: weights + slot, count: after)
    (children + slot + 1).moveInitialize(from: children + slot, count: after)
    (labels + slot).initialize(to: child.label)
    (weights + slot).initialize(to: weight)
    (children + slot).initialize(to: child)
    count += 1
    label = labels[0]
  }

  func remove(at slot: Int) {
    let after = count - slot - 1
    (children + slot).deinitialize(count: 1)
    (labels + slot).moveInitialize(from: labels + slot + 1, count: after)
    (weights + slot).moveInitialize(from: weights + slot + 1, count: after)
    (children + slot).moveInitialize(from: children + slot + 1, count: after)
    count -= 1
    if count > 0 { label = labels[0] }
  }

  /// Updates the entry of the child in `slot`.
  func update(_ slot: Int, weight: Int) {
    weights[slot] = weight
    labels[slot] = children[slot].label
    label = labels[0]
  }

  /// Moves the children from `start` on to the end of `other`.
  func moveChildren(from start: Int, toEndOf other: Branch) {
    let moving = count - start
    (other.labels + other.count).moveInitialize(from: labels + start, count: moving)
    (other.weights + other.count).moveInitialize(from: weights + start, count: moving)
    (other.children + other.count).moveInitialize(from: children + start, count: moving)
    other.count += moving
    other.label = other.labels[0]
    count = start
  }
}
