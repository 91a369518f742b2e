extension IdentifiedArray {
  /// Moves the elements that satisfy a predicate after all others. Otherwise the order is kept.
  ///
  /// - Returns: the position of the first element that satisfies the predicate, or the end.
  /// - Complexity: O(n) calls of the predicate, plus O(k log n) for k elements on the wrong side of the border; at most
  ///   O(n log n).
  @inlinable
  @discardableResult
  public mutating func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
    try partition(since: emptied(), by: belongsInSecondPartition)
  }

  /// Moves the elements that satisfy a predicate after all others, as ``partition(by:)`` does, but looks only at the
  /// elements that have changed since a version that is partitioned already.
  ///
  /// ```swift
  /// let sorted = todos  // All completed todos are at the end.
  /// todos[id: 7]?.isComplete = true
  /// todos.partition(since: sorted, by: \.isComplete)
  /// ```
  ///
  /// - Parameters:
  ///   - base: a version in which no element that satisfies the predicate precedes one that does not; an empty array
  ///     is one. From any other version the result may be out of order.
  ///   - belongsInSecondPartition: the predicate; the same as for the base.
  /// - Returns: the position of the first element that satisfies the predicate, or the end.
  /// - Complexity: O(k log n) for k changes since the base, if less than an eighth of the elements move; at most
  ///   O(n log n).
  @inlinable
  @discardableResult
  public mutating func partition(
    since base: Self, by belongsInSecondPartition: (Element) throws -> Bool
  ) rethrows -> Int {
    let second = try ranges(of: belongsInSecondPartition, since: base)
    let secondCount = second.reduce(0) { $0 + $1.count }
    let firstCount = count - secondCount
    guard let last = second.last, second.count > 1 || last.upperBound < count else { return firstCount }

    // Elements that do not satisfy the predicate stay before the border, the others after it. It is chosen so that the
    // fewest move.
    var (border, fewest, before) = (count, secondCount, 0)
    for range in second {
      let misplaced = before + (firstCount - (range.lowerBound - before))
      if misplaced < fewest { (border, fewest) = (range.lowerBound, misplaced) }
      before += range.count
    }
    let early = second.prefix { $0.lowerBound < border }.flatMap { $0 }
    let late = second.drop { $0.lowerBound < border }
    var others: [Int] = []
    for (range, next) in zip(late, late.dropFirst().map(\.lowerBound) + [count]) { others += range.upperBound..<next }
    guard fewest < count / 8 else {
      let first = zip([0] + second.map(\.upperBound), second.map(\.lowerBound) + [count]).flatMap { $0..<$1 }
      reorder(first + second.flatMap { $0 })
      return firstCount
    }
    move(fromOffsets: others, toOffset: border)
    move(fromOffsets: early, toOffset: border + others.count)
    return firstCount
  }

  /// The ranges of the elements that satisfy a predicate. There are few if most elements are in place.
  ///
  /// The leaves that are shared with `base` have the same order there. They are therefore partitioned, and each stretch
  /// of them has at most one border.
  /// - Complexity: O(k log n) for k changes since `base`.
  @inlinable
  func ranges(of predicate: (Element) throws -> Bool, since base: Self) rethrows -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    func add(_ range: Range<Int>) {
      if let last = ranges.last, last.upperBound == range.lowerBound {
        ranges[ranges.count - 1] = last.lowerBound..<range.upperBound
      } else if !range.isEmpty {
        ranges.append(range)
      }
    }
    var end = 0
    for changed in tree.changedLeaves(from: base.tree)?.new ?? [] {
      add(try border(of: predicate, in: end..<changed.start)..<changed.start)
      let leaf = unsafeDowncast(changed.leaf, to: Leaf<ID, Element>.self)
      for slot in 0..<leaf.count where try predicate(leaf.elements[slot]) {
        add(changed.start + slot..<changed.start + slot + 1)
      }
      end = changed.start + leaf.count
    }
    add(try border(of: predicate, in: end..<count)..<count)
    return ranges
  }

  /// The first position in a partitioned range whose element satisfies the predicate, or its end.
  ///
  /// - Complexity: O(1) if no element satisfies the predicate, or all; otherwise O(log² n).
  @inlinable
  func border(of predicate: (Element) throws -> Bool, in range: Range<Int>) rethrows -> Int {
    guard !range.isEmpty, try predicate(self[range.upperBound - 1]) else { return range.upperBound }
    var (low, high) = (range.lowerBound, range.upperBound - 1)
    if try predicate(self[low]) { return low }
    while low < high {
      let middle = low + (high - low) / 2
      if try predicate(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
