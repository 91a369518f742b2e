import ComposableArchitecture

@Reducer
struct ContactScreen {
  @ObservableState
  struct State: Equatable {
    let contact: Contact
    var isBlocked = false
    @Shared(.messengerSettings) var settings
  }

  enum Action {
    case blockButtonTapped
    case closeButtonTapped
  }

  @Dependency(\.dismiss) var dismiss
  @Dependency(\.isPresented) var isPresented

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .blockButtonTapped:
        state.isBlocked.toggle()
        state.$settings.isMuted.withLock { $0 = true }
        return .none
      case .closeButtonTapped:
        guard isPresented else { return .none }
        return .run { _ in await dismiss() }
      }
    }
  }
}
