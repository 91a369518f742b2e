/// A button of an alert or a dialog, as data.
///
/// ```swift
/// ButtonState(role: .destructive, action: .deleteConfirmed) {
///   TextState("Delete")
/// }
/// ```
public struct ButtonState<Action>: Identifiable {
  /// What a handler takes: the action of the button that was pressed.
  public typealias Handler = (Action) -> Void

  /// Tells this button from all others; not part of equality.
  public let id: PromptID
  /// What pressing it does.
  public let action: ButtonStateAction<Action>
  /// What stands on it.
  public let label: TextState
  /// What it is for; nil for an ordinary button.
  public let role: ButtonStateRole?

  init(id: PromptID, role: ButtonStateRole?, action: ButtonStateAction<Action>, label: TextState) {
    (self.id, self.role, self.action, self.label) = (id, role, action, label)
  }

  /// Creates a button; without an action it only dismisses the prompt.
  public init(
    role: ButtonStateRole? = nil, action: ButtonStateAction<Action> = .send(nil), label: () -> TextState
  ) {
    self.init(id: PromptID(), role: role, action: action, label: label())
  }

  /// Creates a button that sends an action.
  public init(role: ButtonStateRole? = nil, action: Action, label: () -> TextState) {
    self.init(role: role, action: .send(action), label: label)
  }

  /// Runs a handler with what pressing the button sends: the action, or nil for a button that only dismisses.
  public func withAction(_ perform: (Action?) -> Void) {
    perform(action.action)
  }

  /// Runs an asynchronous handler with what pressing the button sends.
  public nonisolated(nonsending) func withAction(
    _ perform: nonisolated(nonsending) (Action?) async -> Void
  ) async {
    await perform(action.action)
  }

  /// The same button, with its identity, for another kind of action.
  public func map<NewAction>(_ transform: (Action?) -> NewAction?) -> ButtonState<NewAction> {
    ButtonState<NewAction>(id: id, role: role, action: action.map(transform), label: label)
  }
}

extension ButtonState {
  /// A button that leaves the prompt. The older form of `ButtonState(role: .cancel)`.
  public static func cancel(_ label: TextState, action: ButtonStateAction<Action> = .send(nil)) -> Self {
    Self(role: .cancel, action: action) { label }
  }

  /// An ordinary button. The older form of `ButtonState()`.
  public static func `default`(_ label: TextState, action: ButtonStateAction<Action> = .send(nil)) -> Self {
    Self(action: action) { label }
  }

  /// A button that deletes data. The older form of `ButtonState(role: .destructive)`.
  public static func destructive(_ label: TextState, action: ButtonStateAction<Action> = .send(nil)) -> Self {
    Self(role: .destructive, action: action) { label }
  }
}

extension ButtonState: Sendable where Action: Sendable {}

extension ButtonState: Equatable where Action: Equatable {
  /// Whether two buttons look and do the same.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.action == rhs.action && lhs.label == rhs.label && lhs.role == rhs.role
  }
}

extension ButtonState: Hashable where Action: Hashable {
  /// Feeds what equality compares into a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(action)
    hasher.combine(label)
    hasher.combine(role)
  }
}
