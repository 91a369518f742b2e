import ComposableArchitecture

@Reducer
struct Inbox {
  @Reducer
  struct Destination {
    @ObservableState
    enum State: Equatable {
      case alert(AlertState<Action.Alert>)
      case compose(ComposeSheet.State)
      case settings(SettingsSheet.State)
    }

    enum Action {
      case alert(Alert)
      case compose(ComposeSheet.Action)
      case settings(SettingsSheet.Action)

      @CasePathable
      enum Alert { case retry }
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.compose, action: \.compose) { ComposeSheet() }
      Scope(state: \.settings, action: \.settings) { SettingsSheet() }
    }
  }

  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    var isSearching = false
    var query = ""
    var results: IdentifiedArrayOf<ChatThread>?
    var threads: IdentifiedArrayOf<ChatThread> = []

    var visible: IdentifiedArrayOf<ChatThread> { results ?? threads }
  }

  enum Action: BindableAction {
    case binding(BindingAction<State>)
    case composeButtonTapped
    case delegate(Delegate)
    case destination(PresentationAction<Destination.Action>)
    case refresh
    case searchResponse(Result<[ChatThread], any Error>)
    case settingsButtonTapped
    case threadTapped(ChatThread.ID)
    case threadsResponse(Result<[ChatThread], any Error>)

    @CasePathable
    enum Delegate { case opened(ChatThread), signedOut }
  }

  enum CancelID { case search, refresh }

  @Dependency(\.mainQueue) var mainQueue
  @Dependency(\.messenger) var messenger

  var body: some Reducer<State, Action> {
    BindingReducer()
      .onChange(of: \.query) { _, query in
        Reduce { state, _ in
          guard !query.isEmpty else {
            state.results = nil
            state.isSearching = false
            return .cancel(id: CancelID.search)
          }
          state.isSearching = true
          return .run { send in
            await send(.searchResponse(Result { try await messenger.search(query: query) }))
          }
          .debounce(id: CancelID.search, for: .milliseconds(300), scheduler: mainQueue)
        }
      }

    Reduce { state, action in
      switch action {
      case .binding, .delegate:
        return .none

      case .composeButtonTapped:
        state.destination = .compose(ComposeSheet.State(contacts: state.threads.map(\.contact)))
        return .none

      case .destination(.presented(.alert(.retry))):
        return .send(.refresh)

      case let .destination(.presented(.compose(.delegate(.picked(contact))))):
        guard let thread = state.threads.first(where: { $0.contact == contact }) else { return .none }
        return .send(.delegate(.opened(thread)))

      case .destination(.presented(.settings(.delegate(.signedOut)))):
        return .send(.delegate(.signedOut), animation: .spring())

      case .destination:
        return .none

      case .refresh:
        return .run { send in
          await send(.threadsResponse(Result { try await messenger.threads() }), animation: .default)
        }
        .cancellable(id: CancelID.refresh, cancelInFlight: true)

      case let .searchResponse(result):
        state.isSearching = false
        state.results = (try? result.get()).map { IdentifiedArray(uniqueElements: $0) }
        return .none

      case .settingsButtonTapped:
        state.destination = .settings(SettingsSheet.State())
        return .none

      case let .threadTapped(id):
        state.threads[id: id]?.unread = 0
        guard let thread = state.visible[id: id] else { return .none }
        return .send(.delegate(.opened(thread)))

      case let .threadsResponse(.success(threads)):
        state.threads = IdentifiedArrayOf(uniqueElements: threads)
        return .none

      case let .threadsResponse(.failure(error)):
        state.destination = .alert(
          AlertState {
            TextState("No connection")
          } actions: {
            ButtonState(action: .retry) { TextState("Retry") }
            ButtonState(role: .cancel) { TextState("Cancel") }
          } message: {
            TextState("\(String(describing: error))")
          }
        )
        return .none
      }
    }
    .ifLet(\.$destination, action: \.destination) {
      Destination()
    }
  }
}
