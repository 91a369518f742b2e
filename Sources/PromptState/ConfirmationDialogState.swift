/// A choice between several ways to go on, as data.
///
/// ```swift
/// state.dialog = ConfirmationDialogState {
///   TextState("Unsaved changes")
/// } actions: {
///   ButtonState(action: .save) { TextState("Save") }
///   ButtonState(role: .destructive, action: .discard) { TextState("Discard") }
/// }
/// ```
public struct ConfirmationDialogState<Action>: Identifiable {
  /// Tells this dialog from all others; not part of equality.
  public let id: PromptID
  /// What there is to choose, in order.
  public var buttons: [ButtonState<Action>]
  /// What stands below the title.
  public var message: TextState?
  /// What the dialog says first.
  public var title: TextState
  /// Whether the title is shown.
  public var titleVisibility: ConfirmationDialogStateTitleVisibility

  init(
    id: PromptID, titleVisibility: ConfirmationDialogStateTitleVisibility, title: TextState, message: TextState?,
    buttons: [ButtonState<Action>]
  ) {
    (self.id, self.titleVisibility, self.title) = (id, titleVisibility, title)
    (self.message, self.buttons) = (message, buttons)
  }

  /// Creates a dialog that says whether its title is shown.
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

/// Whether a dialog shows its title.
public enum ConfirmationDialogStateTitleVisibility: Sendable, Hashable {
  /// As is usual where it is shown.
  case automatic
  /// Not at all.
  case hidden
  /// Always.
  case visible
}

extension ConfirmationDialogState: Sendable where Action: Sendable {}

extension ConfirmationDialogState: Equatable where Action: Equatable {
  /// Whether two dialogs say and offer the same.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.title == rhs.title && lhs.titleVisibility == rhs.titleVisibility && lhs.message == rhs.message
      && lhs.buttons == rhs.buttons
  }
}

extension ConfirmationDialogState: Hashable where Action: Hashable {
  /// Feeds what equality compares into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(title)
    hasher.combine(titleVisibility)
    hasher.combine(message)
    hasher.combine(buttons)
  }
}
