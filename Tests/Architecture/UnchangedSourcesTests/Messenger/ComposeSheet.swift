import ComposableArchitecture

@Reducer
struct ComposeSheet {
  @ObservableState
  struct State: Equatable {
    var contacts: [Contact]
    var seconds = 0
  }

  enum Action {
    case cancelButtonTapped
    case contactTapped(Contact)
    case delegate(Delegate)
    case task
    case ticked

    @CasePathable
    enum Delegate { case picked(Contact) }
  }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .cancelButtonTapped:
        return .run { _ in await dismiss() }
      case let .contactTapped(contact):
        return .run { send in
          await send(.delegate(.picked(contact)))
          await dismiss()
        }
      case .delegate:
        return .none
      case .task:
        return .run { send in
          for await _ in clock.timer(interval: .seconds(1)) {
            await send(.ticked)
          }
        }
      case .ticked:
        state.seconds += 1
        // Nobody has picked a contact for a minute.
        return state.seconds == 60 ? .run { _ in await dismiss() } : .none
      }
    }
  }
}
