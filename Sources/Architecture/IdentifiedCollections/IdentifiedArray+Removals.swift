extension IdentifiedArray {
  /// Removes the element with the id of `element`, whether or not they are equal.
  ///
  /// - Returns: the element that was removed.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func remove(_ element: Element) -> Element? {
    remove(id: identify(element))
  }

  /// Removes the element with an id.
  ///
  /// - Returns: the element that was removed.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func remove(id: ID) -> Element? {
    index(id: id).map { take(at: $0).element }
  }

  /// Removes the element at `index`.
  ///
  /// - Precondition: `index` is a valid index.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func remove(at index: Int) -> Element {
    precondition(isPosition: index)
    return take(at: index).element
  }

  /// Removes the elements at several positions, such as those of an `IndexSet`, in any order and with or without
  /// repetitions.
  ///
  /// Positions without an element, such as those of a list that another client has shortened, are reported as an issue
  /// and ignored. (The original stops the program.)
  ///
  /// - Complexity: O(k log n) for k offsets, amortised.
  @inlinable
  public mutating func remove(atOffsets offsets: some Sequence<Int>) {
    for offset in presentOffsets(offsets, of: "remove(atOffsets:)").reversed() { remove(at: offset) }
  }

  /// Removes all elements that satisfy a predicate.
  ///
  /// - Complexity: O(n) calls of the predicate, plus O(log n) for each removed element.
  @inlinable
  public mutating func removeAll(where shouldBeRemoved: (Element) throws -> Bool) rethrows {
    var removed: [Int] = []
    for (position, element) in enumerated() where try shouldBeRemoved(element) { removed.append(position) }
    if removed.count == count { return removeAll() }
    for position in removed.reversed() { _ = take(at: position) }
  }

  /// Removes all elements.
  ///
  /// - Parameter keepCapacity: true to reserve space for one leaf of elements.
  /// - Complexity: O(n) if the array is not shared.
  @inlinable
  public mutating func removeAll(keepingCapacity keepCapacity: Bool = false) {
    let count = count
    tree = OrderTree()
    if keepCapacity { reserveCapacity(count) }
  }

  /// Removes the first element.
  ///
  /// - Precondition: the array is not empty.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func removeFirst() -> Element {
    precondition(isPosition: 0, "Can't remove the first element of an empty array")
    return take(at: 0).element
  }

  /// Removes the first `n` elements.
  ///
  /// - Precondition: there are as many.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func removeFirst(_ n: Int) {
    removeSubrange(0..<n)
  }

  /// Removes the last element.
  ///
  /// - Precondition: the array is not empty.
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func removeLast() -> Element {
    precondition(isPosition: count - 1, "Can't remove the last element of an empty array")
    return take(at: count - 1).element
  }

  /// Removes the last `n` elements.
  ///
  /// - Precondition: there are as many.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func removeLast(_ n: Int) {
    removeSubrange((count - n)..<count)
  }

  /// Removes the elements of a range of positions.
  ///
  /// - Precondition: the range is within the array.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func removeSubrange(_ bounds: some RangeExpression<Int>) {
    removeSubrange(bounds.relative(to: self))
  }

  /// Removes the elements of a range of positions.
  ///
  /// - Precondition: the range is within the array.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func removeSubrange(_ range: Range<Int>) {
    Swift.precondition(range.lowerBound >= 0 && range.upperBound <= count, "Range out of bounds")
    if range.count == count { return removeAll() }
    for position in range.reversed() { _ = take(at: position) }
  }

  /// Removes the first element, if there is one.
  ///
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func popFirst() -> Element? {
    isEmpty ? nil : take(at: 0).element
  }

  /// Removes the last element, if there is one.
  ///
  /// - Complexity: O(log n), amortised.
  @inlinable
  @discardableResult
  public mutating func popLast() -> Element? {
    isEmpty ? nil : take(at: count - 1).element
  }

  /// The elements that satisfy a predicate, in the same order.
  ///
  /// - Complexity: O(n), plus O(log n) for each element excluded or included, whichever are fewer.
  @inlinable
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> Self {
    var left: [Int] = []
    var kept = emptied()
    for (position, element) in enumerated() where try !isIncluded(element) { left.append(position) }
    if left.count <= count / 2 {
      kept = self
      for position in left.reversed() { _ = kept.take(at: position) }
      return kept
    }
    var next = 0
    for position in left + [count] {
      for position in next..<position { kept.appendNew(from: slot(at: position)) }
      next = position + 1
    }
    return kept
  }

  /// Appends the element of a slot of another array that has no ids in common with this one.
  @inlinable
  mutating func appendNew(from slot: Slot<ID, Element>) {
    insertNew(slot.element.pointee, id: slot.id.pointee, hash: slot.hash.pointee, at: count)
  }
}
