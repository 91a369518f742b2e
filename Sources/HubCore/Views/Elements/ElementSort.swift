import IdentifiedCollections
import Wire

extension Elements {
  /// The elements in the order of their keys; those with equal keys are in the order that they have here.
  ///
  /// ```swift
  /// StateView("newest", Elements(\.log).sorted(by: \.time, using: >))
  /// ```
  ///
  /// An element whose key is not equal to itself, such as a NaN, follows all others.
  ///
  /// - Parameters:
  ///   - key: The key of an element.
  ///   - precedes: Returns true if one key belongs before the other: `<`, or `>` for the greatest first.
  /// - Complexity: O(log n) comparisons of keys for each changed element.
  public func sorted<Key: Comparable>(
    by key: @escaping (Element) -> Key, using precedes: @escaping (Key, Key) -> Bool = { $0 < $1 }
  ) -> Elements {
    followed { ElementSort(KeyOrder(key, precedes)) }
  }
}

private struct ElementSort<Element: Replicated & Identifiable, Key: Comparable>: ElementOperator
where Element.ID: WireValue {
  private let order: KeyOrder<Element, Key>
  private(set) var result: IdentifiedArrayOf<Element> = []
  private var beginning: Beginning?

  /// The first result, computed in pieces.
  private struct Beginning {
    let elements: IdentifiedArrayOf<Element>
    var keys: [Key] = []
    var positions: PiecewiseSort?
  }

  init(_ order: KeyOrder<Element, Key>) { self.order = order }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) {
    result = []
    beginning = Beginning(elements: elements)
    // Otherwise all are copied when there is no room for the next one.
    beginning?.keys.reserveCapacity(elements.count)
  }

  mutating func advance(_ budget: inout WorkBudget) -> Bool {
    guard var next = beginning.take() else { return true }
    if !finish(&next, &budget) { beginning = next }
    return beginning == nil
  }

  private mutating func finish(_ next: inout Beginning, _ budget: inout WorkBudget) -> Bool {
    let elements = next.elements
    if next.positions == nil {
      while next.keys.count < elements.count {
        guard !budget.isSpent else { return false }
        next.keys.append(order.key(elements[next.keys.count]))
        budget.spend(2)
      }
      next.positions = PiecewiseSort(count: elements.count)
    }
    do {
      let keys = next.keys
      guard next.positions?.advance(&budget, by: { order.precedes(keys[$0], keys[$1]) }) ?? true else { return false }
    }
    while result.count < elements.count {
      guard !budget.isSpent, let position = next.positions?.order[result.count] else { return false }
      result.append(elements[position])
      budget.spend(6)
    }
    // Texts take a while to be released.
    while !next.keys.isEmpty {
      guard !budget.isSpent else { return false }
      next.keys.removeLast(min(next.keys.count, 64))
      budget.spend(16)
    }
    return true
  }

  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>) {
    for element in changes.removed { result.remove(id: element.id) }
    // All that have no place any more are removed before the first is inserted: a search needs elements in order.
    var placed = changes.inserted.map(\.element)
    for (old, new) in changes.updated {
      if order.isSame(old, new) {
        result[id: new.id] = new
      } else {
        result.remove(id: new.id)
        placed.append(new)
      }
    }
    let order = order
    for element in placed { result.insert(element, inOrderOf: elements, by: order.precedes) }
  }
}

/// A strict weak order of elements by their keys, also of those that are not equal to themselves.
private struct KeyOrder<Element, Key: Comparable> {
  let key: (Element) -> Key
  /// The order of the other keys.
  private let keyPrecedes: (Key, Key) -> Bool

  init(_ key: @escaping (Element) -> Key, _ precedes: @escaping (Key, Key) -> Bool) {
    (self.key, keyPrecedes) = (key, precedes)
  }

  func precedes(_ first: Key, _ second: Key) -> Bool {
    let (isFirstOrdered, isSecondOrdered) = (first == first, second == second)
    return isFirstOrdered && isSecondOrdered ? keyPrecedes(first, second) : isFirstOrdered && !isSecondOrdered
  }

  func precedes(_ first: Element, _ second: Element) -> Bool { precedes(key(first), key(second)) }

  /// Returns true if neither belongs before the other.
  func isSame(_ first: Element, _ second: Element) -> Bool {
    let (first, second) = (key(first), key(second))
    return !precedes(first, second) && !precedes(second, first)
  }
}
