extension IdentifiedArray {
  /// Puts the elements into the order of `positions`, each of which occurs once.
  ///
  /// Nothing happens when that is the order they are in, so that versions go on sharing all of it.
  @inlinable
  mutating func reorder(_ positions: some Collection<Int>) {
    guard !positions.elementsEqual(0..<count) else { return }
    var reordered = emptied()
    for position in positions { reordered.appendNew(from: slot(at: position)) }
    self = reordered
  }

  /// Turns the order round.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func reverse() {
    reorder((0..<count).reversed())
  }

  /// Puts the elements into a random order.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func shuffle() {
    var generator = SystemRandomNumberGenerator()
    shuffle(using: &generator)
  }

  /// Puts the elements into a random order drawn from a generator.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public mutating func shuffle(using generator: inout some RandomNumberGenerator) {
    reorder((0..<count).shuffled(using: &generator))
  }

  /// Sorts the elements by a predicate. Elements of which neither comes before the other keep their order.
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

  /// Moves the elements that satisfy a predicate behind all others. Otherwise they keep their order.
  ///
  /// - Returns: the position of the first element that satisfies the predicate, or the end.
  /// - Complexity: O(n log n).
  @inlinable
  @discardableResult
  public mutating func partition(by belongsInSecondPartition: (Element) throws -> Bool) rethrows -> Int {
    var first: [Int] = []
    var second: [Int] = []
    for (position, element) in enumerated() {
      if try belongsInSecondPartition(element) { second.append(position) } else { first.append(position) }
    }
    reorder(first + second)
    return first.count
  }

  /// Moves the elements at several positions, such as those of an `IndexSet`, together before an element.
  ///
  /// - Parameters:
  ///   - source: the positions of the elements to move; they keep their order.
  ///   - destination: the position, before the move, of the element they come before, or the end.
  /// - Precondition: the positions are valid indices, and the destination is one or the end.
  /// - Complexity: O(k log n) for k elements, amortised.
  @inlinable
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    precondition(isInsertion: destination)
    let offsets = Set(source).sorted()
    guard let first = offsets.first, let last = offsets.last else { return }
    precondition(isPosition: first)
    precondition(isPosition: last)
    if last - first == offsets.count - 1, first...(last + 1) ~= destination { return }
    let taken = offsets.reversed().map { take(at: $0) }
    let target = destination - offsets.prefix { $0 < destination }.count
    // The last was taken first.
    for (element, id, hash) in taken { insertNew(element, id: id, hash: hash, at: target) }
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
