/// Elements in the order of their deadlines; of those with the same deadline, in any order.
nonisolated struct DeadlineHeap<Element> {
  private var nodes: [(deadline: UInt64, element: Element)] = []

  var count: Int { nodes.count }

  /// The earliest deadline; nil if the heap is empty.
  var firstDeadline: UInt64? { nodes.first?.deadline }

  /// - Complexity: O(log n).
  mutating func insert(_ element: Element, at deadline: UInt64) {
    nodes.append((deadline, element))
    var index = nodes.count - 1
    while index > 0, nodes[index].deadline < nodes[(index - 1) / 2].deadline {
      nodes.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes the element with the earliest deadline; nil if the heap is empty.
  /// - Complexity: O(log n).
  mutating func removeFirst() -> Element? {
    guard let last = nodes.popLast() else { return nil }
    guard let first = nodes.first else { return last.element }
    nodes[0] = last
    sink(0)
    return first.element
  }

  /// Removes the elements that satisfy a condition.
  /// - Complexity: O(n).
  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    nodes.removeAll { isRemoved($0.element) }
    for index in (0..<nodes.count / 2).reversed() { sink(index) }
  }

  private mutating func sink(_ start: Int) {
    var index = start
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < nodes.count && nodes[child].deadline < nodes[least].deadline {
        least = child
      }
      guard least != index else { return }
      nodes.swapAt(index, least)
      index = least
    }
  }
}
