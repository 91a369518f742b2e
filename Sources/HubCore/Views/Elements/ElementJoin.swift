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
        return join.next(elements, others, &budget)
      }
    }
  }
}

/// Follows two collections, of which the elements of the first refer to those of the second.
private final class ElementJoin<
  Element: Replicated & Identifiable, Other: Replicated & Identifiable, Row: Replicated & Identifiable
> where Element.ID: WireValue, Other.ID: WireValue, Row.ID == Element.ID {
  private typealias Versions = (elements: IdentifiedArrayOf<Element>, others: IdentifiedArrayOf<Other>)

  private let reference: (Element) -> Other.ID?
  private let row: (Element, Other?) -> Row
  private var seen: Versions?
  /// The elements that refer to an id, also if there is none with this id.
  private var referring: [Other.ID: Set<Element.ID>] = [:]
  private var rows: IdentifiedArrayOf<Row> = []
  /// True while the rows of `seen` are made in pieces.
  private var isBeginning = false

  init(reference: @escaping (Element) -> Other.ID?, row: @escaping (Element, Other?) -> Row) {
    (self.reference, self.row) = (reference, row)
  }

  func next(
    _ elements: IdentifiedArrayOf<Element>, _ others: IdentifiedArrayOf<Other>, _ budget: inout WorkBudget
  ) -> IdentifiedArrayOf<Row>? {
    if seen == nil || !follow((elements, others)) {
      if seen != nil { budget.noteRound(isNewBeginning: true) }
      (rows, referring, isBeginning) = ([], [:], true)
    }
    seen = (elements, others)
    return advance(&budget) ? rows : nil
  }

  /// Goes on to make the first rows; returns true if all are made.
  func advance(_ budget: inout WorkBudget) -> Bool {
    guard isBeginning, let seen else { return true }
    while rows.count < seen.elements.count {
      guard !budget.isSpent else { return false }
      rows.append(newRow(seen.elements[rows.count], seen))
      budget.spend(8)
    }
    isBeginning = false
    return true
  }

  /// Applies the changes since the last versions; returns false if there are too many.
  private func follow(_ now: Versions) -> Bool {
    guard let seen else { return false }
    let others = seen.others.isIdentical(to: now.others) ? nil : ElementChanges(from: seen.others, to: now.others)
    if let others, others.areMost(of: now.others.count) { return false }
    if !seen.elements.isIdentical(to: now.elements) {
      let changes = ElementChanges(from: seen.elements, to: now.elements)
      if changes.areMost(of: now.elements.count) { return false }
      apply(changes, now)
    }
    guard let others else { return true }
    for other in others.removed { renew(other.id, now) }
    for (_, other) in others.inserted { renew(other.id, now) }
    for (_, other) in others.updated { renew(other.id, now) }
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

  /// Makes the rows of all that refer to an id anew.
  private func renew(_ other: Other.ID, _ now: Versions) {
    for id in referring[other] ?? [] {
      guard let element = now.elements[id: id] else { preconditionFailure("an element that is gone refers to another") }
      rows.replace(with: value(element, now.others[id: other]))
    }
  }

  /// The id that an element refers to; nil also for one that no element can have, such as a NaN.
  private func other(of element: Element) -> Other.ID? {
    guard let other = reference(element), other == other else { return nil }
    return other
  }

  private func newRow(_ element: Element, _ now: Versions) -> Row {
    guard let other = other(of: element) else { return value(element, nil) }
    referring[other, default: []].insert(element.id)
    return value(element, now.others[id: other])
  }

  private func forget(_ element: Element) {
    guard let other = other(of: element) else { return }
    referring[other]?.remove(element.id)
    if referring[other]?.isEmpty == true { referring[other] = nil }
  }

  private func value(_ element: Element, _ other: Other?) -> Row {
    let row = row(element, other)
    precondition(row.id == element.id, "the row that 'joined' makes of an element has the element's id")
    return row
  }
}
