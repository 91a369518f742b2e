public import PromptState

// Alerts and action sheets in the form before 0.9: titles are strings, and a button has `send:`.

extension ButtonState {
  /// Creates an ordinary button that sends an action. Without an action, it only dismisses the prompt.
  public static func `default`(_ label: TextState, send action: Action?) -> Self {
    .default(label, action: .send(action))
  }

  /// Creates a button that cancels the prompt and sends an action.
  public static func cancel(_ label: TextState, send action: Action?) -> Self { .cancel(label, action: .send(action)) }

  /// Creates a destructive button that sends an action.
  public static func destructive(_ label: TextState, send action: Action?) -> Self {
    .destructive(label, action: .send(action))
  }

  /// Creates an ordinary button that sends an action. Without an action, it only dismisses the prompt.
  public static func `default`(_ label: String, send action: Action? = nil) -> Self {
    .default(TextState(label), send: action)
  }

  /// Creates a button that cancels the prompt and sends an action.
  public static func cancel(_ label: String, send action: Action? = nil) -> Self {
    .cancel(TextState(label), send: action)
  }

  /// Creates a destructive button that sends an action.
  public static func destructive(_ label: String, send action: Action? = nil) -> Self {
    .destructive(TextState(label), send: action)
  }

  /// Creates a button with the text "Cancel" that sends an action.
  public static func cancel(send action: Action? = nil) -> Self { .cancel("Cancel", send: action) }

  /// Creates a button with the text "Cancel".
  public static func cancel(action: ButtonStateAction<Action>) -> Self { .cancel(TextState("Cancel"), action: action) }
}

extension AlertState {
  /// The name of a button before 0.40.
  public typealias Button = ButtonState<Action>

  /// Creates an alert with at most one button.
  public init(title: String, message: String? = nil, dismissButton: Button? = nil) {
    self.init(title: TextState(title), message: message.map { TextState($0) }, dismissButton: dismissButton)
  }

  /// Creates an alert with two buttons.
  public init(title: String, message: String? = nil, primaryButton: Button, secondaryButton: Button) {
    self.init(
      title: TextState(title), message: message.map { TextState($0) }, primaryButton: primaryButton,
      secondaryButton: secondaryButton)
  }
}

extension ConfirmationDialogState {
  /// The name of a button before 0.40.
  public typealias Button = ButtonState<Action>

  /// Creates a dialog.
  public init(title: String, message: String? = nil, buttons: [Button]) {
    self.init(title: TextState(title), message: message.map { TextState($0) }, buttons: buttons)
  }
}
