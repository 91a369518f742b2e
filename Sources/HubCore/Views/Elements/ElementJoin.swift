import IdentifiedCollections
public import Wire

extension Elements {
  /// A row for each element with the element of another collection that it refers to by id, in the order of the elements.
  ///
  /// ```swift
  /// Elements(\.tasks).joined(with: Elements(\.people), on: \.owner) { task, person in Row(task, of: person?.name) }
  /// ```
  ///
  /// - Parameters:
  ///   - others: The elements that are referred to.
  ///   - reference: The id of the other element; nil for none.
  ///   - row: Makes the row of an element and the other, which is nil if there is none with this id. The row has the
  ///     element's id. Called for an element that is new or has changed, and for all that refer to another that is or has.
  /// - Complexity: O(log n) for each row that changes.
  public func joined<Other: Replicated & Identifiable, Row: Replicated & Identifiable>(
    with others: Elements<State, Other>, on reference: @escaping (Element) -> Other.ID?,
    _ row: @escaping (Element, Other?) -> Row
  ) -> Elements<State, Row> where Row.ID == Element.ID {
    var inputs = inputs
    inputs.add(others.inputs)
    return Elements<State, Row>(inputs) { [follow] in
      let (elements, others, join) = (follow(), others.follow(), ElementJoin(reference: reference, row: row))
      return { state, budget in
        guard join.advance(&budget), let elements = elements(state, &budget), let others = others(state, &budget) else {
          return nil
        }
        return join.rows(of: elements, others, &budget)
      }
    }
  }
}

/// Follows two collections, of which the elements of the first refer to those of the second. It does so in pieces as
/// `ElementFollower` does.
private final class ElementJoin<
  Element: Replicated & Identifiable, Other: Replicated & Identifiable, Row: Replicated & Identifiable
> where Element.ID: WireValue, Other.ID: WireValue, Row.ID == Element.ID {
  private typealias Versions = (elements: IdentifiedArrayOf<Element>, others: IdentifiedArrayOf<Other>)

  private let reference: (Element) -> Other.ID?
  private let row: (Element, Other?) -> Row
  /// The versions that the rows are of, or that they will be of when the work in progress is done.
  private var seen: Versions?
  private var work = Work.none
  /// The elements that refer to an id, also if there is none with this id. They are in trees, which grow by a node at a
  /// time, and not in sets, which are copied as a whole when they grow.
  private var referring: IdentifiedArrayOf<Referring> = []
  private let noReferences: IdentifiedArrayOf<Reference> = []
  private var rows: IdentifiedArrayOf<Row> = []

  private struct Referring: Identifiable {
    let id: Other.ID
    /// One of them, for which no tree is needed if it is the only one.
    var first: Element.ID
    var rest: IdentifiedArrayOf<Reference>

    var count: Int { 1 + rest.count }

    subscript(position: Int) -> Element.ID { position == 0 ? first : rest[position - 1].id }

    /// Removes an element; returns true if it was the only one.
    mutating func remove(_ element: Element.ID) -> Bool {
      if element != first {
        rest.remove(id: element)
      } else if let last = rest.popLast() {
        first = last.id
      } else {
        return true
      }
      return false
    }
  }

  private struct Reference: Identifiable {
    let id: Element.ID
  }

  private enum Work {
    case none
    case beginning
    /// The changes that are still to be applied, and then the ids of other elements, each with the number of its rows
    /// that are made anew already.
    case applying(ElementChanges<Element>, renewed: [Other.ID], rowCount: Int)
  }

  /// The steps of a row that is made anew, and of one that is new.
  private static var stepsOfRow: Int { 4 }
  private static var stepsOfNewRow: Int { 16 }

  init(reference: @escaping (Element) -> Other.ID?, row: @escaping (Element, Other?) -> Row) {
    (self.reference, self.row) = (reference, row)
  }

  /// The rows of the current elements; nil if the budget did not suffice. Call it when `advance` has returned true.
  func rows(
    of elements: IdentifiedArrayOf<Element>, _ others: IdentifiedArrayOf<Other>, _ budget: inout WorkBudget
  ) -> IdentifiedArrayOf<Row>? {
    if let seen {
      if seen.elements.isIdentical(to: elements), seen.others.isIdentical(to: others) { return rows }
      work = changes(from: seen, to: (elements, others), &budget)
    } else {
      work = .beginning
    }
    seen = (elements, others)
    if case .beginning = work { (rows, referring) = ([], []) }
    return advance(&budget) ? rows : nil
  }

  private func changes(from old: Versions, to new: Versions, _ budget: inout WorkBudget) -> Work {
    let elements = ElementChanges(from: old.elements, to: new.elements)
    let others = ElementChanges(from: old.others, to: new.others)
    budget.spend(elements.count + others.count)
    let areMost = elements.areMost(of: new.elements.count) || others.areMost(of: new.others.count)
    budget.noteRound(isNewBeginning: areMost)
    if areMost { return .beginning }
    let changed = others.removed.map(\.id) + others.inserted.map(\.element.id) + others.updated.map(\.new.id)
    return .applying(elements, renewed: changed, rowCount: 0)
  }

  /// Goes on with the work in progress; returns true when there is none.
  func advance(_ budget: inout WorkBudget) -> Bool {
    guard let seen else { return true }
    switch work {
    case .none: break
    case .beginning: return begin(seen, &budget)
    case .applying(var changes, var renewed, var rowCount):
      // The next piece is taken out of them in place.
      work = .none
      while !changes.isEmpty, !budget.isSpent {
        let piece = budget.isLimited ? changes.takeFirst(64) : changes.takeAll()
        apply(piece, seen)
        budget.spend(piece.count * 2 * Self.stepsOfNewRow)
      }
      if changes.isEmpty { renew(&renewed, &rowCount, seen, &budget) }
      guard changes.isEmpty, renewed.isEmpty else {
        work = .applying(changes, renewed: renewed, rowCount: rowCount)
        return false
      }
    }
    return true
  }

  /// Goes on to make the first rows; returns true if all are made.
  private func begin(_ now: Versions, _ budget: inout WorkBudget) -> Bool {
    while rows.count < now.elements.count {
      guard !budget.isSpent else { return false }
      rows.append(newRow(now.elements[rows.count], now))
      budget.spend(Self.stepsOfNewRow)
    }
    work = .none
    return true
  }

  private func apply(_ changes: ElementChanges<Element>, _ now: Versions) {
    for element in changes.removed {
      forget(element)
      rows.remove(id: element.id)
    }
    for (position, element) in changes.inserted { rows.insert(newRow(element, now), at: position) }
    for (old, new) in changes.updated {
      forget(old)
      rows.replace(with: newRow(new, now))
    }
  }

  /// Makes the rows anew of all that refer to some ids, from the last one on.
  ///
  /// - Parameters:
  ///   - ids: The ids; those that are done are removed.
  ///   - rowCount: The number of rows of the last one that are done.
  private func renew(_ ids: inout [Other.ID], _ rowCount: inout Int, _ now: Versions, _ budget: inout WorkBudget) {
    while let id = ids.last {
      let elements = referring[id: id]
      while let elements, rowCount < elements.count {
        guard !budget.isSpent else { return }
        guard let element = now.elements[id: elements[rowCount]] else {
          preconditionFailure("an element that is gone refers to another")
        }
        rows.replace(with: value(element, now.others[id: id]))
        rowCount += 1
        budget.spend(Self.stepsOfRow)
      }
      budget.spend(1)
      ids.removeLast()
      rowCount = 0
      if budget.isSpent { return }
    }
  }

  /// The id that an element refers to; nil also for one that no element can have, such as a NaN.
  private func other(of element: Element) -> Other.ID? {
    guard let other = reference(element), other == other else { return nil }
    return other
  }

  private func newRow(_ element: Element, _ now: Versions) -> Row {
    guard let other = other(of: element) else { return value(element, nil) }
    if referring[id: other]?.rest.append(Reference(id: element.id)) == nil {
      referring.append(Referring(id: other, first: element.id, rest: noReferences))
    }
    return value(element, now.others[id: other])
  }

  private func forget(_ element: Element) {
    guard let other = other(of: element) else { return }
    if referring[id: other]?.remove(element.id) == true { referring.remove(id: other) }
  }

  private func value(_ element: Element, _ other: Other?) -> Row {
    let row = row(element, other)
    precondition(row.id == element.id, "the row that 'joined' makes of an element has the element's id")
    return row
  }
}
