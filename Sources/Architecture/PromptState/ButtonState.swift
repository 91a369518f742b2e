public import ConcurrencyExtras

/// A button of an alert or a dialog, as data.
///
/// ```swift
/// ButtonState(role: .destructive, action: .deleteConfirmed) {
///   TextState("Delete")
/// }
/// ```
public struct ButtonState<Action>: Identifiable, _NonisolatedByDefault {
  /// The parameter of a handler: the action of the pressed button.
  public typealias Handler = (Action) -> Void

  /// The identity of this button; not part of equality.
  public let id: PromptID
  /// The effect of pressing it.
  public let action: ButtonStateAction<Action>
  /// The text on it.
  public let label: TextState
  /// Its role; nil for an ordinary button.
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

  /// Runs a handler with the action of the button; nil for a button that only dismisses.
  public func withAction(_ perform: (Action?) -> Void) {
    perform(action.action)
  }

  /// Runs an asynchronous handler with the action of the button.
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
  /// A button that cancels the prompt. The older form of `ButtonState(role: .cancel)`.
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
  /// Returns true if two buttons look the same and have the same effect.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.action == rhs.action && lhs.label == rhs.label && lhs.role == rhs.role
  }
}

extension ButtonState: Hashable where Action: Hashable {
  /// Hashes the contents that equality compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(action)
    hasher.combine(label)
    hasher.combine(role)
  }
}
