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
  private var beginning: Beginning?

  /// The first result, computed in pieces: the positions of the elements that are left out, then the result, which is the
  /// input without them or a new collection, whichever changes less.
  private struct Beginning {
    let elements: IdentifiedArrayOf<Element>
    /// The next element to look at.
    var position = 0
    var left: [Int] = []
    /// The next element to append, and the next of those that are left out.
    var appended: (position: Int, left: Int)?
  }

  init(isIncluded: @escaping (Element) -> Bool) { self.isIncluded = isIncluded }

  mutating func begin(with elements: IdentifiedArrayOf<Element>) {
    result = []
    beginning = Beginning(elements: elements)
  }

  mutating func advance(_ budget: inout WorkBudget) -> Bool {
    guard var next = beginning.take() else { return true }
    if !finish(&next, &budget) { beginning = next }
    return beginning == nil
  }

  private mutating func finish(_ next: inout Beginning, _ budget: inout WorkBudget) -> Bool {
    let elements = next.elements
    while next.position < elements.count {
      guard !budget.isSpent else { return false }
      if !isIncluded(elements[next.position]) { next.left.append(next.position) }
      next.position += 1
      budget.spend(1)
      if next.position == elements.count {
        if next.left.count > elements.count / 2 { next.appended = (0, 0) } else { result = elements }
      }
    }
    if next.appended == nil {
      while let position = next.left.popLast() {
        guard !budget.isSpent else {
          next.left.append(position)
          return false
        }
        result.remove(at: position)
        budget.spend(4)
      }
    }
    while let (position, left) = next.appended, position < elements.count {
      guard !budget.isSpent else { return false }
      if left < next.left.count, next.left[left] == position {
        next.appended = (position + 1, left + 1)
      } else {
        result.append(elements[position])
        next.appended = (position + 1, left)
        budget.spend(3)
      }
      budget.spend(1)
    }
    return true
  }

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
