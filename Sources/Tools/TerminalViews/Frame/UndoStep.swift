internal import Features

/// The way to revert one action of a part of the shared state, applied to the state at that time.
nonisolated protocol UndoStep: Equatable, Sendable {
  /// The state of the part.
  associatedtype State
  /// The actions of the part.
  associatedtype Action

  /// The screen of the part.
  static var tab: Screens.Tab { get }

  /// The action of the hub's feature that an action of the part is.
  static func whole(_ action: Action) -> AppFeature.Action

  /// Returns the description of an action that is sent in a state, and the step that reverts it; nil if there is nothing
  /// to revert.
  static func reverting(_ action: Action, in state: State) -> (what: String, step: Self)?

  /// Returns the action that reverts the step in the current state.
  func outcome(in state: State) -> UndoOutcome<Action>

  /// Returns the todo that an action changes, which is marked while the action is pending; nil for the whole screen.
  static func todo(of action: Action, in state: State) -> PendingMarks.ChangedTodo?
}

nonisolated extension UndoStep {
  static func todo(of action: Action, in state: State) -> PendingMarks.ChangedTodo? { nil }
}

/// The result of a step.
nonisolated enum UndoOutcome<Action> {
  /// An action to send.
  case send(Action)
  /// Nothing to send, with the reason.
  case nothing(String)
}
