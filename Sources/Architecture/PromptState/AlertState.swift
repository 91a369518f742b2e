public import ConcurrencyExtras

/// A modal question to the user, as data: any interface can show it, including a terminal.
///
/// ```swift
/// state.alert = AlertState {
///   TextState("Delete this item?")
/// } actions: {
///   ButtonState(role: .destructive, action: .deleteConfirmed) { TextState("Delete") }
///   ButtonState(role: .cancel) { TextState("Keep") }
/// } message: {
///   TextState("This cannot be undone.")
/// }
/// ```
///
/// An alert without buttons is shown with a button that dismisses it.
public struct AlertState<Action>: Identifiable, _NonisolatedByDefault {
  /// The identity of this alert; not part of equality.
  public let id: PromptID
  /// The buttons in order.
  public var buttons: [ButtonState<Action>]
  /// The text below the title.
  public var message: TextState?
  /// The title.
  public var title: TextState

  init(id: PromptID, title: TextState, message: TextState?, buttons: [ButtonState<Action>]) {
    (self.id, self.title, self.message, self.buttons) = (id, title, message, buttons)
  }

  /// Creates an alert.
  public init(
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    self.init(id: PromptID(), title: title(), message: message?(), buttons: actions())
  }

  /// The same alert, with its identity, for another kind of action.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> AlertState<NewAction> {
    AlertState<NewAction>(id: id, title: title, message: message, buttons: buttons.map { $0.map(transform) })
  }
}

extension AlertState: Sendable where Action: Sendable {}

extension AlertState: Equatable where Action: Equatable {
  /// Returns true if two alerts have equal contents.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.title == rhs.title && lhs.message == rhs.message && lhs.buttons == rhs.buttons
  }
}

extension AlertState: Hashable where Action: Hashable {
  /// Hashes the contents that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}
