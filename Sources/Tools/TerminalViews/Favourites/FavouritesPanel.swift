import ComposableCore
package import Features
package import Terminal
package import TerminalUI

/// One terminal's own view of the favourite numbers: the cursor in the list.
package nonisolated struct FavouritesPanel: Equatable, Sendable {
  /// The favourite that keys act on while the list is open.
  package private(set) var cursor = ListCursor<Favourite.ID>()
  /// The selected button of an alert, and that alert.
  private var choice: (button: Int, alert: AlertState<FactQuestion>)?

  /// Creates a view for an unknown list of favourites.
  package init() {}

  package static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.cursor == rhs.cursor && lhs.choice?.button == rhs.choice?.button && lhs.choice?.alert == rhs.choice?.alert
  }

  /// The selected button of an alert; nil before one was selected.
  func choice(in alert: AlertState<FactQuestion>) -> Int? { choice.flatMap { $0.alert == alert ? $0.button : nil } }

  /// Updates the cursor after the list may have changed.
  package mutating func follow(_ state: FavouriteNumbers.State) {
    guard case .favourites(let list) = state.destination else { return }
    cursor.follow(list.favourites.ids) { list.favourites.index(id: $0) }
  }

  /// Handles a key.
  ///
  /// - Parameters:
  ///   - rows: The rows of the screen.
  ///   - size: The size of the whole terminal.
  /// - Returns: The action to send, if any.
  package mutating func pressed(
    _ key: Key, _ state: FavouriteNumbers.State, in rows: Range<Int>, of size: CanvasSize
  ) -> FavouriteNumbers.Action? {
    follow(state)
    switch state.destination {
    case nil: return Self.action(for: key).map { .view($0) }
    case .alert(let alert): return action(for: key, in: alert, rows, size).map { .destination($0) }
    case .favourites(let list):
      return action(for: key, in: list, rows).map { .destination(.presented(.favourites($0))) }
    }
  }

  private static func action(for key: Key) -> FavouriteNumbers.Action.View? {
    switch key {
    case .character("+"), .character("="), .up: .incrementButtonTapped
    case .character("-"), .down: .decrementButtonTapped
    case .character(" "), .character("*"): .favouriteButtonTapped
    case .character("f"): .factButtonTapped
    case .character("l"), .enter: .favouritesButtonTapped
    default: nil
    }
  }

  private mutating func action(
    for key: Key, in alert: AlertState<FactQuestion>, _ rows: Range<Int>, _ size: CanvasSize
  ) -> PresentationAction<FavouriteNumbers.Destination.Action>? {
    switch Dialog(alert, heading: "Fact").answer(key, choice(in: alert), in: rows, size) {
    case .selected(let button): choice = (button, alert)
    case .pressed(let action): return action.map { .presented(.alert($0)) } ?? .dismiss
    case nil: break
    }
    return nil
  }

  /// Returns the number of favourites in the open list; 0 if it is not open.
  func listCount(_ state: FavouriteNumbers.State) -> Int {
    if case .favourites(let list) = state.destination { list.favourites.count } else { 0 }
  }

  /// Selects the next favourite whose digits contain a text.
  ///
  /// - Returns: False if there is none; nil if the list is not open.
  mutating func search(_ text: String, _ direction: SearchDirection, _ state: FavouriteNumbers.State) -> Bool? {
    guard case .favourites(let list) = state.destination else { return nil }
    follow(state)
    return cursor.search(list.favourites.ids, direction) { "\($0)".contains(text) }
  }

  private mutating func action(
    for key: Key, in list: FavouriteList.State, _ rows: Range<Int>
  ) -> FavouriteList.Action? {
    if cursor.pressed(key, list.favourites.ids, in: ListWindow.rows(under: rows)) { return nil }
    switch key {
    case .enter: return cursor.id.map { .numberTapped($0) }
    case .character("d"), .delete: return cursor.id.map { .deleteButtonTapped($0) }
    case .escape, .character("l"), .left: return .doneButtonTapped
    default: return nil
    }
  }
}
