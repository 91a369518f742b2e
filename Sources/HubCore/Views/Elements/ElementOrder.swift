import IdentifiedCollections
import Wire

extension IdentifiedArray where Element: Replicated & Identifiable, ID == Element.ID, ID: WireValue {
  /// Inserts an element of `elements` where it belongs among those of them that are here.
  ///
  /// - Parameters:
  ///   - element: The new element.
  ///   - elements: A collection with all elements. Those that `precedes` does not order have its order.
  ///   - precedes: Returns true if one element belongs before the other.
  /// - Complexity: O(log n) comparisons. Each takes a look-up by position, and one by id if the elements are not ordered
  ///   by `precedes`.
  mutating func insert(
    _ element: Element, inOrderOf elements: Self, by precedes: (Element, Element) -> Bool = { _, _ in false }
  ) {
    let position = elements.index(id: element.id)
    var (start, end) = (0, count)
    while start < end {
      let middle = start + (end - start) / 2
      let other = self[middle]
      let isBefore =
        if precedes(other, element) {
          true
        } else if precedes(element, other) {
          false
        } else {
          elements.precedes(other.id, position)
        }
      if isBefore { start = middle + 1 } else { end = middle }
    }
    insert(element, at: start)
  }

  /// Replaces the element with the id of another, unless both have the same bytes: versions go on sharing it then.
  mutating func replace(with element: Element) {
    if let old = self[id: element.id], !element.differs(from: old) { return }
    self[id: element.id] = element
  }

  private func precedes(_ id: ID, _ position: Int?) -> Bool {
    guard let position, let other = index(id: id) else {
      preconditionFailure("a result of elements contains others than its input")
    }
    return other < position
  }
}
