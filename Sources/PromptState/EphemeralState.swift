/// State of something that every action dismisses, as a prompt does: a presentation sets it to nil after its action.
public protocol _EphemeralState<Action> {
  /// The actions that the prompt sends.
  associatedtype Action
}

extension _EphemeralState {
  /// The type of the actions, for a presentation that knows the state as `Any`.
  public static var actionType: Any.Type { Action.self }
}

extension AlertState: _EphemeralState {}
extension ConfirmationDialogState: _EphemeralState {}
