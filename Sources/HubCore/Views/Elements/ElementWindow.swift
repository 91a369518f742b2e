import IdentifiedCollections
import Wire

extension Elements {
  /// Some adjacent elements.
  ///
  /// Elements before the window that come or go shift it. It has fewer elements at the end.
  ///
  /// A client that shows a page needs no parameter for it: it attaches a window of the view, which is then computed once
  /// for the pages of all clients.
  ///
  /// - Parameters:
  ///   - start: The position of the first; a negative one counts as 0.
  ///   - count: The number of elements; a negative one counts as 0.
  /// - Complexity: O(count × log n) if the window changes; O(count) if others do.
  public func window(_ start: Int, _ count: Int) -> Elements {
    Elements(inputs) { [follow] in
      let elements = follow()
      var window = ElementWindow<Element>(start: max(start, 0), limit: max(count, 0))
      return { state, budget in elements(state, &budget).map { window.result(for: $0) } }
    }
  }
}

/// Follows the elements at some positions of a collection.
private struct ElementWindow<Element: Replicated & Identifiable> where Element.ID: WireValue {
  let start: Int
  let limit: Int
  private var last: (elements: IdentifiedArrayOf<Element>, range: Range<Int>, window: IdentifiedArrayOf<Element>)?

  init(start: Int, limit: Int) { (self.start, self.limit) = (start, limit) }

  mutating func result(for elements: IdentifiedArrayOf<Element>) -> IdentifiedArrayOf<Element> {
    let first = min(start, elements.count)
    let range = first..<first + min(limit, elements.count - first)
    if let last, last.range == range, !elements.differs(from: last.elements, in: range) {
      self.last?.elements = elements
      return last.window
    }
    let window = elements.windowed(range)
    last = (elements, range, window)
    return window
  }
}
