import ComposableArchitecture

@Reducer
struct Feature {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var fact: String?
    @Presents var destination: Destination.State?
  }

  enum Action: ViewAction {
    case destination(PresentationAction<Destination.Action>)
    case factResponse(String)
    case view(View)
    @CasePathable
    enum View { case factButtonTapped, incrementButtonTapped, settingsButtonTapped }
  }

  @Reducer(state: .equatable)
  enum Destination {
    case settings(Settings)
    case alert(AlertState<Never>)
  }

  @Dependency(FactClient.self) var facts

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.incrementButtonTapped):
        state.count += 1
        return .none
      case .view(.settingsButtonTapped):
        state.destination = .settings(.init())
        return .none
      case .view(.factButtonTapped):
        return .run { [count = state.count] send in
          await send(.factResponse(try await facts.fetch(number: count)))
        }
      case .factResponse(let fact):
        state.fact = fact
        return .none
      case .destination: return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
  }
}

@Reducer
struct Settings {
  @ObservableState struct State: Equatable { var isOn = false }
  enum Action { case toggled }
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.isOn.toggle()
      return .none
    }
  }
}
