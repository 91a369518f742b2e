public import ConcurrencyExtras

/// A choice between several ways to continue, as data.
///
/// ```swift
/// state.dialog = ConfirmationDialogState {
///   TextState("Unsaved changes")
/// } actions: {
///   ButtonState(action: .save) { TextState("Save") }
///   ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
/// }
/// ```
public struct ConfirmationDialogState<Action>: Identifiable, _NonisolatedByDefault {
  /// The identity of this dialog; not part of equality.
  public let id: PromptID
  /// The buttons in order.
  public var buttons: [ButtonState<Action>]
  /// The text below the title.
  public var message: TextState?
  /// The title.
  public var title: TextState
  /// The visibility of the title.
  public var titleVisibility: ConfirmationDialogStateTitleVisibility

  init(
    id: PromptID, titleVisibility: ConfirmationDialogStateTitleVisibility, title: TextState, message: TextState?,
    buttons: [ButtonState<Action>]
  ) {
    (self.id, self.titleVisibility, self.title) = (id, titleVisibility, title)
    (self.message, self.buttons) = (message, buttons)
  }

  /// Creates a dialog with an explicit visibility of its title.
  public init(
    titleVisibility: ConfirmationDialogStateTitleVisibility,
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    self.init(
      id: PromptID(), titleVisibility: titleVisibility, title: title(), message: message?(), buttons: actions())
  }

  /// Creates a dialog.
  public init(
    title: () -> TextState,
    @ButtonStateBuilder<Action> actions: () -> [ButtonState<Action>] = { [] },
    message: (() -> TextState)? = nil
  ) {
    self.init(titleVisibility: .automatic, title: title, actions: actions, message: message)
  }

  /// The same dialog, with its identity, for another kind of action.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ConfirmationDialogState<NewAction> {
    ConfirmationDialogState<NewAction>(
      id: id, titleVisibility: titleVisibility, title: title, message: message,
      buttons: buttons.map { $0.map(transform) })
  }
}

/// The visibility of a dialog's title.
public enum ConfirmationDialogStateTitleVisibility: Sendable, Hashable {
  /// Depends on the interface.
  case automatic
  /// Never shown.
  case hidden
  /// Always shown.
  case visible
}

extension ConfirmationDialogState: Sendable where Action: Sendable {}

extension ConfirmationDialogState: Equatable where Action: Equatable {
  /// Returns true if two dialogs have equal contents.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.title == rhs.title && lhs.titleVisibility == rhs.titleVisibility && lhs.message == rhs.message
      && lhs.buttons == rhs.buttons
  }
}

extension ConfirmationDialogState: Hashable where Action: Hashable {
  /// Hashes the contents that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(titleVisibility)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}
