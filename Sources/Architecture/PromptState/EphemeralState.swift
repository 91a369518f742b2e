/// A state that every action dismisses, such as a prompt's: a presentation sets it to nil after its action.
public protocol _EphemeralState<Action>: SendableMetatype {
  /// The actions that the prompt sends.
  associatedtype Action
}

extension _EphemeralState {
  /// The type of the actions, for a presentation that has the state as `Any`.
  public static var actionType: Any.Type { Action.self }
}

extension AlertState: _EphemeralState {}
extension ConfirmationDialogState: _EphemeralState {}
