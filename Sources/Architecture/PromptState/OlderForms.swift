// The initialisers before trailing closures, which much code still uses.

extension AlertState {
  /// Creates an alert with one button, or none.
  public init(title: TextState, message: TextState? = nil, dismissButton: ButtonState<Action>? = nil) {
    self.init(title: title, message: message, buttons: dismissButton.map { [$0] } ?? [])
  }

  /// Creates an alert with two buttons.
  public init(
    title: TextState, message: TextState? = nil, primaryButton: ButtonState<Action>,
    secondaryButton: ButtonState<Action>
  ) {
    self.init(title: title, message: message, buttons: [primaryButton, secondaryButton])
  }

  /// Creates an alert with any number of buttons.
  public init(title: TextState, message: TextState? = nil, buttons: [ButtonState<Action>]) {
    self.init(id: PromptID(), title: title, message: message, buttons: buttons)
  }
}

extension ConfirmationDialogState {
  /// Creates a dialog.
  public init(
    title: TextState, titleVisibility: ConfirmationDialogStateTitleVisibility = .automatic,
    message: TextState? = nil, buttons: [ButtonState<Action>] = []
  ) {
    self.init(
      id: PromptID(), titleVisibility: titleVisibility, title: title, message: message, buttons: buttons)
  }
}

/// The older name of a dialog.
public typealias ActionSheetState = ConfirmationDialogState
