import IdentifiedCollections
import Wire

extension Elements {
  /// The elements for which a function returns true, in their order.
  ///
  /// - Parameter isIncluded: Called once for each element that is new or has changed.
  /// - Complexity: O(log n) look-ups for each changed element.
  public func filter(_ isIncluded: @escaping (Element) -> Bool) -> Elements {
    followed { ElementFilter(isIncluded: isIncluded) }
  }
}

private struct ElementFilter<Element: Replicated & Identifiable>: ElementOperator where Element.ID: WireValue {
  let isIncluded: (Element) -> Bool
  private(set) var result: IdentifiedArrayOf<Element> = []

  init(isIncluded: @escaping (Element) -> Bool) { self.isIncluded = isIncluded }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) { result = elements.filter(isIncluded) }

  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>) {
    for element in changes.removed { result.remove(id: element.id) }
    for (_, element) in changes.inserted where isIncluded(element) { result.insert(element, inOrderOf: elements) }
    for (old, new) in changes.updated {
      switch (result.ids.contains(old.id), isIncluded(new)) {
      case (true, true): result[id: new.id] = new
      case (true, false): result.remove(id: new.id)
      case (false, true): result.insert(new, inOrderOf: elements)
      case (false, false): break
      }
    }
  }
}
