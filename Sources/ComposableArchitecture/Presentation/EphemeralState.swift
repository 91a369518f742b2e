/// State without a reducer that goes away with any action of it, as an alert's does.
public protocol _EphemeralState<Action> {
  /// What can be chosen.
  associatedtype Action
}

/// Whether a presented state goes away with any action of it: itself, or the payload of its case.
func isEphemeral<State>(_ state: State) -> Bool {
  if state is any _EphemeralState { return true }
  guard State.self is any CaseReducerState.Type else { return false }
  return Mirror(reflecting: state).children.first?.value is any _EphemeralState
}
