import ComposableCore
public import Features
public import Terminal

/// One terminal's own view of the favourite numbers: the cursor in the list.
public nonisolated struct FavouritesPanel: Equatable, Sendable {
  /// The favourite that keys act on while the list is open.
  public private(set) var cursor = ListCursor<Favourite.ID>()

  /// Creates a view that has not seen the favourites.
  public init() {}

  /// Finds the cursor's favourite again after the list may have changed.
  public mutating func follow(_ state: FavouriteNumbers.State) {
    guard case .favourites(let list) = state.destination else { return }
    cursor.follow(list.favourites.ids) { list.favourites.index(id: $0) }
  }

  /// Takes a key.
  ///
  /// - Returns: The action to send, if any.
  public mutating func pressed(_ key: Key, _ state: FavouriteNumbers.State) -> FavouriteNumbers.Action? {
    follow(state)
    switch state.destination {
    case nil: return Self.action(for: key).map { .view($0) }
    case .alert(let alert): return Self.action(for: key, in: alert).map { .destination($0) }
    case .favourites(let list): return action(for: key, in: list).map { .destination(.presented(.favourites($0))) }
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

  /// Enter takes the first button that does something, escape takes none.
  private static func action(
    for key: Key, in alert: AlertState<FactQuestion>
  ) -> PresentationAction<FavouriteNumbers.Destination.Action>? {
    switch key {
    case .enter: alert.buttons.lazy.compactMap(\.action.action).first.map { .presented(.alert($0)) } ?? .dismiss
    case .escape, .character("d"): .dismiss
    default: nil
    }
  }

  private mutating func action(for key: Key, in list: FavouriteList.State) -> FavouriteList.Action? {
    if cursor.pressed(key, list.favourites.ids) { return nil }
    switch key {
    case .enter: return cursor.id.map { .numberTapped($0) }
    case .character("d"), .delete: return cursor.id.map { .deleteButtonTapped($0) }
    case .escape, .character("l"), .left: return .doneButtonTapped
    default: return nil
    }
  }
}
