/// A stable sort of positions that can be done in pieces: short runs are sorted, then merged to longer ones.
struct PiecewiseSort {
  /// The positions; sorted at the end.
  private(set) var order: [Int] = []
  private let count: Int
  /// The runs of this pass while they are merged, and the positions of the next element of each of the two runs.
  private var merged: [Int] = []
  private var (first, second) = (0, 0)
  /// The length of the sorted runs; nil until all are sorted.
  private var width: Int?

  /// The length of the first runs.
  private static var shortRun: Int { 16 }

  init(count: Int) {
    self.count = count
    // Otherwise all are copied when there is no room for the next one.
    order.reserveCapacity(count)
  }

  /// Goes on; returns true at the end.
  ///
  /// - Complexity: O(n log n) in all.
  mutating func advance(_ budget: inout WorkBudget, by precedes: (Int, Int) -> Bool) -> Bool {
    while order.count < count, width == nil {
      guard !budget.isSpent else { return false }
      let run = order.count..<min(order.count + Self.shortRun, count)
      order += run.sorted(by: precedes)
      budget.spend(run.count * 4)
    }
    var width = self.width ?? Self.shortRun
    defer { self.width = width }
    while width < count {
      guard merge(runs: width, &budget, by: precedes) else { return false }
      swap(&order, &merged)
      merged.removeAll(keepingCapacity: true)
      (first, second) = (0, 0)
      width *= 2
    }
    merged = []
    return true
  }

  /// Merges each two adjacent runs; returns true when all are merged.
  private mutating func merge(runs width: Int, _ budget: inout WorkBudget, by precedes: (Int, Int) -> Bool) -> Bool {
    if merged.isEmpty { merged.reserveCapacity(count) }
    while merged.count < count {
      guard !budget.isSpent else { return false }
      let start = merged.count / (2 * width) * 2 * width
      let (middle, end) = (min(start + width, count), min(start + 2 * width, count))
      if merged.count == start { (first, second) = (start, middle) }
      if first < middle, second == end || !precedes(order[second], order[first]) {
        merged.append(order[first])
        first += 1
      } else {
        merged.append(order[second])
        second += 1
      }
      budget.spend(1)
    }
    return true
  }
}
