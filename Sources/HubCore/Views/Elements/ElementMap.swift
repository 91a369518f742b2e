import IdentifiedCollections
public import Wire

extension Elements {
  /// The values of a function of each element, in their order.
  ///
  /// - Parameter transform: Called once for each element that is new or has changed. Its value has the element's id.
  /// - Complexity: O(log n) for each changed element.
  public func map<Value: Replicated & Identifiable>(
    _ transform: @escaping (Element) -> Value
  ) -> Elements<State, Value> where Value.ID == Element.ID {
    followed { ElementMap(transform: transform) }
  }
}

private struct ElementMap<Element: Replicated & Identifiable, Value: Replicated & Identifiable>: ElementOperator
where Element.ID: WireValue, Value.ID == Element.ID {
  let transform: (Element) -> Value
  private(set) var result: IdentifiedArrayOf<Value> = []
  /// The elements of the first result, computed in pieces.
  private var beginning: IdentifiedArrayOf<Element>?

  init(transform: @escaping (Element) -> Value) { self.transform = transform }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) {
    (result, beginning) = ([], elements)
  }

  mutating func advance(_ budget: inout WorkBudget) -> Bool {
    guard let elements = beginning else { return true }
    while result.count < elements.count {
      guard !budget.isSpent else { return false }
      result.append(value(of: elements[result.count]))
      budget.spend(4)
    }
    beginning = nil
    return true
  }

  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>) {
    for element in changes.removed { result.remove(id: element.id) }
    for (position, element) in changes.inserted { result.insert(value(of: element), at: position) }
    for (_, element) in changes.updated { result.replace(with: value(of: element)) }
  }

  private func value(of element: Element) -> Value {
    let value = transform(element)
    precondition(value.id == element.id, "the value that 'map' makes of an element has the element's id")
    return value
  }
}
