import ComposableArchitecture

@Reducer(state: .equatable)
enum Sheet {
  case kennel(Kennel)
  case leave(ConfirmationDialogState<Leave>)

  @CasePathable
  enum Leave: Equatable { case confirm }
}
