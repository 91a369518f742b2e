internal import PromptState

/// Whether a presented state goes away with any action of it, as an alert does: itself, or the payload of its case.
func isEphemeral<State>(_ state: State) -> Bool {
  if state is any _EphemeralState { return true }
  guard isEnum(state) else { return false }
  return Mirror(reflecting: state).children.first?.value is any _EphemeralState
}
