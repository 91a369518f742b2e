import ComposableArchitecture
import ReplicatedArchitecture

@Reducer(state: .equatable, .sendable, action: .sendable) @Replicated
public enum Sheet {
  case kennel(Kennel)
  case leave(ConfirmationDialogState<Leave>)

  @CasePathable @Replicated
  public enum Leave: Equatable, Sendable { case confirm }
}
