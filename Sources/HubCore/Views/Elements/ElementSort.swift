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

  init(_ order: KeyOrder<Element, Key>) { self.order = order }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) {
    let keys = elements.map(order.key)
    result = elements
    result.reorder(keys.indices.sorted { order.precedes(keys[$0], keys[$1]) })
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
