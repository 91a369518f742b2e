import IdentifiedCollections
import Wire

/// An operator on the elements of a collection, with its result for the version that it has seen last.
protocol ElementOperator<Element> {
  associatedtype Element: Replicated & Identifiable where Element.ID: WireValue
  associatedtype Result: Replicated & Identifiable where Result.ID: WireValue

  var result: IdentifiedArrayOf<Result> { get }

  /// Computes the result anew.
  mutating func begin(with elements: IdentifiedArrayOf<Element>)

  /// Changes the result for the changes that have led to `elements`.
  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>)
}

/// Follows a collection from version to version with an operator.
final class ElementFollower<Operator: ElementOperator> {
  private var body: Operator
  private var seen: IdentifiedArrayOf<Operator.Element>?

  init(_ body: Operator) { self.body = body }

  func result(for elements: IdentifiedArrayOf<Operator.Element>) -> IdentifiedArrayOf<Operator.Result> {
    if let seen, seen.isIdentical(to: elements) { return body.result }
    if let seen, case let changes = ElementChanges(from: seen, to: elements), !changes.areMost(of: elements.count) {
      body.apply(changes, to: elements)
    } else {
      body.begin(with: elements)
    }
    seen = elements
    return body.result
  }
}

/// The changes between two versions of a collection. A moved element is removed and inserted.
struct ElementChanges<Element: Replicated & Identifiable> where Element.ID: WireValue {
  /// The elements of the old version.
  private(set) var removed: [Element] = []
  /// The elements with their positions in the new version, ascending.
  private(set) var inserted: [(position: Int, element: Element)] = []
  /// The elements that have another value where they are.
  private(set) var updated: [(old: Element, new: Element)] = []

  /// - Complexity: O(k log n) for k changes between versions of one collection, O(n log n) for others.
  init(from base: IdentifiedArrayOf<Element>, to elements: IdentifiedArrayOf<Element>) {
    var moved: Set<Element.ID> = []
    elements.visitChanges(from: base, by: { !$1.differs(from: $0) }) { change in
      switch change {
      case .remove(_, let element, _): removed.append(element)
      case .insert(_, let element, let position): inserted.append((position, element))
      case .move(let id, let old, let position):
        moved.insert(id)
        removed.append(base[old])
        inserted.append((position, elements[position]))
      case .update(let id, let old, let new, _):
        if !moved.contains(id) { updated.append((old, new)) }
      }
    }
  }

  /// Returns true if it costs less to begin with all elements than to apply the changes.
  func areMost(of count: Int) -> Bool { removed.count + inserted.count + updated.count > max(count / 4, 16) }
}
