import IdentifiedCollections
public import Wire

extension Elements {
  /// The number of elements with each key, in the order of the keys. There is no group without elements.
  ///
  /// Equal keys have one group, whose key is one that they have or had: texts may be equal and have different bytes. An
  /// element whose key is not equal to itself, such as a NaN, is in no group.
  ///
  /// - Parameter key: The key of an element, called for an element that is new, has changed or is removed.
  /// - Complexity: O(log g) comparisons of keys for each changed element, of g groups.
  public func grouped<Key: Replicated & Hashable & Comparable>(
    by key: @escaping (Element) -> Key
  ) -> Elements<State, GroupCount<Key>> {
    followed { ElementGroups(key: key) { $0 < $1 } }
  }

  /// The number of elements that have a property and of those that have not, which precede them.
  ///
  /// - Parameter key: Returns true if an element has the property.
  /// - Complexity: O(1) for each changed element.
  public func grouped(by key: @escaping (Element) -> Bool) -> Elements<State, GroupCount<Bool>> {
    followed { ElementGroups(key: key) { !$0 && $1 } }
  }
}

private struct ElementGroups<Element: Replicated & Identifiable, Key: Replicated & Hashable>: ElementOperator
where Element.ID: WireValue {
  private let key: (Element) -> Key
  private let precedes: (Key, Key) -> Bool
  private(set) var result: IdentifiedArrayOf<GroupCount<Key>> = []
  private var beginning: Beginning?

  /// The first result, computed in pieces.
  private struct Beginning {
    let elements: IdentifiedArrayOf<Element>
    /// The number of the elements that are counted.
    var position = 0
    /// Counted elements that the result does not include yet, as differences of its counts.
    var differences: [(key: Key, value: Int)] = []

    /// The most elements that are counted before the result is changed.
    static var piece: Int { 4_096 }
  }

  init(key: @escaping (Element) -> Key, precedes: @escaping (Key, Key) -> Bool) {
    (self.key, self.precedes) = (key, precedes)
  }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) {
    (result, beginning) = ([], Beginning(elements: elements))
  }

  mutating func advance(_ budget: inout WorkBudget) -> Bool {
    guard var next = beginning.take() else { return true }
    if !finish(&next, &budget) { beginning = next }
    return beginning == nil
  }

  private mutating func finish(_ next: inout Beginning, _ budget: inout WorkBudget) -> Bool {
    while true {
      while let (key, difference) = next.differences.last {
        guard !budget.isSpent else { return false }
        let count = result.count
        add(difference, to: key)
        next.differences.removeLast()
        budget.spend(result.count > count ? 12 : 2)
      }
      guard next.position < next.elements.count else { return true }
      guard !budget.isSpent else { return false }
      // There are often few groups, so their elements are counted together.
      var differences: [Key: Int] = [:]
      let end = min(next.position + min(Beginning.piece, budget.steps), next.elements.count)
      budget.spend(end - next.position)
      for position in next.position..<end { add(1, for: next.elements[position], to: &differences) }
      next.position = end
      next.differences = Array(differences)
    }
  }

  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>) {
    // Summed up first, so that a group does not leave the result for an element that moves within its collection.
    var differences: [Key: Int] = [:]
    for element in changes.removed { add(-1, for: element, to: &differences) }
    for (_, element) in changes.inserted { add(1, for: element, to: &differences) }
    for (old, new) in changes.updated {
      add(-1, for: old, to: &differences)
      add(1, for: new, to: &differences)
    }
    for (key, difference) in differences where difference != 0 { add(difference, to: key) }
  }

  private func add(_ difference: Int, for element: Element, to counts: inout [Key: Int]) {
    let key = key(element)
    // The removed element could not be found in the group of a NaN, which would be another one each time.
    if key == key { counts[key, default: 0] += difference }
  }

  private mutating func add(_ difference: Int, to key: Key) {
    let count = (result[id: key]?.count ?? 0) + difference
    precondition(count >= 0, "the key that 'grouped' has for an element depends on nothing but the element")
    if count == 0 {
      result.remove(id: key)
    } else if result.ids.contains(key) {
      result[id: key]?.count = count
    } else {
      result.insert(GroupCount(id: key, count: count), at: position(of: key))
    }
  }

  /// The position where a new group belongs.
  private func position(of key: Key) -> Int {
    var (start, end) = (0, result.count)
    while start < end {
      let middle = start + (end - start) / 2
      if precedes(result[middle].id, key) { start = middle + 1 } else { end = middle }
    }
    return start
  }
}
