internal import IssueReporting

extension IdentifiedArray {
  /// Reorders the elements according to `positions`, each of which occurs once.
  ///
  /// Only elements that are out of order are moved, unless there are many, so that versions continue to share the
  /// others.
  /// - Complexity: O(n + k log n) for k elements that move.
  @inlinable
  package mutating func reorder(_ positions: some Collection<Int>) {
    let positions = Array(positions)
    let staying = longestRisingSubsequence(of: positions)
    guard staying.count < count else { return }
    guard staying.count > count / 8 * 7 else {
      var reordered = emptied()
      for position in positions { reordered.appendNew(from: slot(at: position)) }
      self = reordered
      return
    }
    var moves: [(source: Int, target: Int)] = []
    var next = 0
    for stop in staying + [count] {
      for target in next..<stop { moves.append((positions[target], target)) }
      next = stop + 1
    }
    var taken = moves.sorted { $0.source > $1.source }.map { (target: $0.target, entry: take(at: $0.source)) }
    taken.sort { $0.target < $1.target }
    // All elements before a target are in place by its turn.
    for (target, entry) in taken { insertNew(entry.element, id: entry.id, hash: entry.hash, at: target) }
  }

  /// Reverses the order.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func reverse() {
    reorder((0..<count).reversed())
  }

  /// Shuffles the elements.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func shuffle() {
    var generator = SystemRandomNumberGenerator()
    shuffle(using: &generator)
  }

  /// Shuffles the elements with a random number generator.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    reorder((0..<count).shuffled(using: &generator))
  }

  /// Sorts the elements by a predicate. The sort is stable.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func sort(by areInIncreasingOrder: (Element, Element) throws -> Bool) rethrows {
    let elements = Array(self)
    reorder(try elements.indices.sorted { try areInIncreasingOrder(elements[$0], elements[$1]) })
  }

  /// Exchanges the elements at two positions.
  ///
  /// - Precondition: both are valid indices.
  /// - Complexity: O(log n).
  @inlinable
  public mutating func swapAt(_ i: Int, _ j: Int) {
    precondition(isPosition: i)
    precondition(isPosition: j)
    guard i != j else { return }
    let first = uniqueSlot(at: i)
    let second = uniqueSlot(at: j)
    tree.reenter(first.hash.pointee, from: first.label, to: second.label)
    tree.reenter(second.hash.pointee, from: second.label, to: first.label)
    swap(&first.hash.pointee, &second.hash.pointee)
    swap(&first.mark.pointee, &second.mark.pointee)
    swap(&first.id.pointee, &second.id.pointee)
    swap(&first.element.pointee, &second.element.pointee)
  }

  /// Moves the elements at several positions, such as those of an `IndexSet`, together before an element.
  ///
  /// Positions without an element, such as those of a list that another client has shortened, are reported as an issue
  /// and ignored.
  ///
  /// - Parameters:
  ///   - source: the positions of the elements to move; they keep their order.
  ///   - destination: the position, before the move, of the element before which they are inserted, or the end.
  /// - Precondition: the destination is a valid index or the end.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    precondition(isInsertion: destination)
    let offsets = presentOffsets(source, of: "move(fromOffsets:toOffset:)")
    guard let first = offsets.first, let last = offsets.last else { return }
    if last - first == offsets.count - 1, first...(last + 1) ~= destination { return }
    let taken = offsets.reversed().map { take(at: $0) }
    let target = destination - offsets.prefix { $0 < destination }.count
    // Reverse order: the last element was removed first.
    for (element, id, hash) in taken { insertNew(element, id: id, hash: hash, at: target) }
  }

  /// Returns the positions that have an element, in ascending order and without repetitions, and reports the others.
  @usableFromInline
  func presentOffsets(_ offsets: some Sequence<Int>, of operation: StaticString) -> [Int] {
    var offsets = Set(offsets).sorted()
    if offsets.first ?? 0 < 0 || offsets.last ?? -1 >= count {
      Self.reportAbsent(offsets.filter { !indices.contains($0) }, count, of: operation)
      offsets.removeAll { !indices.contains($0) }
    }
    return offsets
  }

  private static func reportAbsent(_ offsets: [Int], _ count: Int, of operation: StaticString) {
    reportIssue(
      """
      "\(operation)" was given positions without an element, which it ignores.

        Positions: \(offsets.map { "\($0)" }.joined(separator: ", "))
        Elements: \(count)

      The list may have been shortened since the positions were found. Prefer ids, which stay valid.
      """)
  }
}

extension IdentifiedArray where Element: Comparable {
  /// Sorts the elements.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func sort() {
    sort(by: <)
  }
}
