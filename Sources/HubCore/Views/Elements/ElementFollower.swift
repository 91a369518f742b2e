import IdentifiedCollections
import Wire

/// An operator on the elements of a collection, with its result for the version that it has seen last.
protocol ElementOperator<Element> {
  associatedtype Element: Replicated & Identifiable where Element.ID: WireValue
  associatedtype Result: Replicated & Identifiable where Result.ID: WireValue

  var result: IdentifiedArrayOf<Result> { get }

  /// Begins to compute the result anew.
  mutating func begin(with elements: IdentifiedArrayOf<Element>)

  /// Goes on with that; returns true when the result is complete.
  mutating func advance(_ budget: inout WorkBudget) -> Bool

  /// Changes the result for the changes that have led to `elements`.
  mutating func apply(_ changes: ElementChanges<Element>, to elements: IdentifiedArrayOf<Element>)
}

/// Follows a collection from version to version with an operator.
///
/// An operator that begins with a limited budget does so with one version, which it keeps, and then applies what has
/// changed since, in pieces too.
final class ElementFollower<Operator: ElementOperator> {
  private typealias Elements = IdentifiedArrayOf<Operator.Element>

  private var body: Operator
  /// The version that the result is of, or that it will be of when the work in progress is done.
  private var seen: Elements?
  private var work = Work.none

  private enum Work {
    case none
    case beginning
    /// The changes that are still to be applied.
    case applying(ElementChanges<Operator.Element>)
  }

  /// The steps of one applied change.
  private static var stepsOfChange: Int { 16 }

  init(_ body: Operator) { self.body = body }

  /// The result for the current elements; nil if the budget did not suffice.
  func result(
    _ budget: inout WorkBudget, for current: (inout WorkBudget) -> IdentifiedArrayOf<Operator.Element>?
  ) -> IdentifiedArrayOf<Operator.Result>? {
    // Earlier operators go on from the version that they have seen, so they need not do so before.
    guard advance(&budget), let elements = current(&budget) else { return nil }
    if let seen {
      if seen.isIdentical(to: elements) { return body.result }
      let changes = ElementChanges(from: seen, to: elements)
      budget.spend(changes.count)
      let areMost = changes.areMost(of: elements.count)
      budget.noteRound(isNewBeginning: areMost)
      work = areMost ? .beginning : .applying(changes)
    } else {
      work = .beginning
    }
    seen = elements
    if case .beginning = work { body.begin(with: elements) }
    return advance(&budget) ? body.result : nil
  }

  /// Goes on with the work in progress; returns true when there is none.
  private func advance(_ budget: inout WorkBudget) -> Bool {
    while let seen {
      switch work {
      case .none:
        return true
      case .beginning:
        guard body.advance(&budget) else { return false }
        work = .none
      case .applying(var changes):
        // The next piece is taken out of them in place.
        work = .none
        while !changes.isEmpty, !budget.isSpent {
          let piece = budget.isLimited ? changes.takeFirst(64) : changes.takeAll()
          body.apply(piece, to: seen)
          budget.spend(piece.count * Self.stepsOfChange)
        }
        guard changes.isEmpty else {
          work = .applying(changes)
          return false
        }
      }
    }
    return true
  }
}

/// The changes between two versions of a collection. A moved element is removed and inserted.
struct ElementChanges<Element: Replicated & Identifiable> where Element.ID: WireValue {
  /// The elements of the old version.
  private(set) var removed: ArraySlice<Element> = []
  /// The elements with their positions in the new version, ascending.
  private(set) var inserted: ArraySlice<(position: Int, element: Element)> = []
  /// The elements that have another value where they are.
  private(set) var updated: ArraySlice<(old: Element, new: Element)> = []

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

  private init() {}

  var count: Int { removed.count + inserted.count + updated.count }

  var isEmpty: Bool { count == 0 }

  /// Takes all of them.
  mutating func takeAll() -> ElementChanges {
    defer { self = ElementChanges() }
    return self
  }

  /// Takes the first ones, which may be applied before the others: all that are removed precede those that are inserted.
  mutating func takeFirst(_ limit: Int) -> ElementChanges {
    var first = ElementChanges()
    first.removed = Self.take(limit, of: &removed)
    if removed.isEmpty { first.inserted = Self.take(limit - first.count, of: &inserted) }
    if removed.isEmpty, inserted.isEmpty { first.updated = Self.take(limit - first.count, of: &updated) }
    return first
  }

  private static func take<Change>(_ limit: Int, of changes: inout ArraySlice<Change>) -> ArraySlice<Change> {
    let taken = changes.prefix(limit)
    changes = changes.dropFirst(limit)
    return taken
  }

  /// Returns true if it costs less to begin with all elements than to apply the changes.
  func areMost(of count: Int) -> Bool { self.count > max(count / 4, 16) }
}
