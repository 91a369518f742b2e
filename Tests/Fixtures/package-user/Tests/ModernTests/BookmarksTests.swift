// A feature and its test in the style of 1.7 and later.
import ComposableTesting
import Testing

@Reducer
struct Bookmarks {
  @ObservableState
  struct State: Equatable {
    var bookmarks: IdentifiedArrayOf<Bookmark> = []
    @Presents var alert: AlertState<Action.Alert>?
  }

  struct Bookmark: Equatable, Identifiable, Sendable {
    let id: UUID
    var title = ""
  }

  enum Action {
    case addButtonTapped
    case alert(PresentationAction<Alert>)
    case clearButtonTapped
    case loaded(Result<[String], any Error>)
    case task

    @CasePathable
    enum Alert: Equatable { case confirmClear }
  }

  @Dependency(\.uuid) var uuid
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped:
        state.bookmarks.append(Bookmark(id: uuid()))
        return .none
      case .alert(.presented(.confirmClear)):
        state.bookmarks = []
        return .none
      case .alert:
        return .none
      case .clearButtonTapped:
        state.alert = AlertState {
          TextState("Clear?")
        } actions: {
          ButtonState(role: .destructive, action: .confirmClear) { TextState("Clear") }
        }
        return .none
      case let .loaded(.success(titles)):
        state.bookmarks.append(contentsOf: titles.map { Bookmark(id: uuid(), title: $0) })
        return .none
      case .loaded(.failure):
        return .none
      case .task:
        return .run { send in
          try await clock.sleep(for: .seconds(1))
          await send(.loaded(.success(["swift.org"])))
        }
      }
    }
    .ifLet(\.$alert, action: \.alert)
  }
}

@MainActor
struct BookmarksTests {
  @Test func bookmarks() async {
    let clock = TestClock()
    let store = TestStore(initialState: Bookmarks.State()) {
      Bookmarks()
    } withDependencies: {
      $0.uuid = .incrementing
      $0.continuousClock = clock
    }
    await store.send(.addButtonTapped) {
      $0.bookmarks = [.init(id: UUID(0))]
    }
    await store.send(.task)
    await clock.advance(by: .seconds(1))
    await store.receive(\.loaded.success) {
      $0.bookmarks.append(.init(id: UUID(1), title: "swift.org"))
    }
    await store.send(.clearButtonTapped) {
      $0.alert = AlertState {
        TextState("Clear?")
      } actions: {
        ButtonState(role: .destructive, action: .confirmClear) { TextState("Clear") }
      }
    }
    await store.send(\.alert.confirmClear) {
      $0.alert = nil
      $0.bookmarks = []
    }
  }
}
