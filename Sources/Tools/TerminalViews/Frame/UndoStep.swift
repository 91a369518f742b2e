/// The way to revert one action of a part of the shared state, applied to the state at that time.
package nonisolated protocol UndoStep: Equatable, Sendable {
  /// The state of the part.
  associatedtype State
  /// The actions of the part.
  associatedtype Action

  /// The screen of the part.
  static var screen: TerminalModel.Screen { get }

  /// Returns the description of an action that is sent in a state, and the step that reverts it; nil if there is nothing
  /// to revert.
  static func reverting(_ action: Action, in state: State) -> (what: String, step: Self)?

  /// Returns the action that reverts the step in the current state.
  func outcome(in state: State) -> UndoOutcome<Action>

  /// Returns what an action changes, which is marked while it is pending; by default the whole screen.
  static func mark(of action: Action, in state: State) -> PendingMark
}

nonisolated extension UndoStep {
  package static func mark(of action: Action, in state: State) -> PendingMark { .screen(screen) }
}

/// The result of a step.
package nonisolated enum UndoOutcome<Action> {
  /// An action to send.
  case send(Action)
  /// Nothing to send, with the reason.
  case nothing(String)
}
