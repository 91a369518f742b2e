import ComposableTesting
import Foundation
import Testing

// seeds/004, blocks 1 to 7. The counter of a conference talk of 2023, in the styles of 1.0 to 1.2: no macros, `/` case
// paths, `TaskResult`, `@PresentationState`. Its views are removed.

private struct FactClient: Sendable {
  var getFact: @Sendable (Int) async throws -> String
}

extension FactClient: TestDependencyKey {
  static let testValue = FactClient(getFact: unimplemented("FactClient.getFact"))
}

extension DependencyValues {
  fileprivate var factClient: FactClient {
    get { self[FactClient.self] }
    set { self[FactClient.self] = newValue }
  }
}

private struct Counter: Reducer {
  struct State: Equatable {
    var count: Int
    @PresentationState var alert: AlertState<Action.Alert>?
  }

  enum Action: Equatable {
    case view(ViewAction)
    case factClientResponse(TaskResult<String>)
    case alert(PresentationAction<Alert>)

    enum ViewAction: Equatable {
      case incrementButtonTapped
      case decrementButtonTapped
      case numberFactButtonTapped
    }

    enum Alert: Equatable {}
  }

  @Dependency(\.factClient) var factClient

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.incrementButtonTapped):
        state.count += 1
        return .none

      case .view(.decrementButtonTapped):
        state.count -= 1
        return .none

      case .view(.numberFactButtonTapped):
        return .run { [count = state.count] send in
          await send(.factClientResponse(TaskResult { try await factClient.getFact(count) }))
        }

      case let .factClientResponse(.success(fact)):
        state.alert = AlertState { TextState(fact) }
        return .none

      case let .factClientResponse(.failure(error)):
        state.alert = AlertState { TextState(error.localizedDescription) }
        return .none

      case .alert:
        return .none
      }
    }
    .ifLet(\.$alert, action: /Action.alert)
  }
}

@MainActor
@Suite struct TalkTests {
  @Test func counting() async {
    let store = TestStore(initialState: Counter.State(count: 0)) { Counter() }
    await store.send(.view(.incrementButtonTapped)) { $0.count = 1 }
    await store.send(.view(.decrementButtonTapped)) { $0.count = 0 }
  }

  @Test func aFactIsShown() async {
    let store = TestStore(initialState: Counter.State(count: 3)) {
      Counter()
    } withDependencies: {
      $0.factClient.getFact = { value in
        "\(value) is a number!"
      }
    }
    await store.send(.view(.numberFactButtonTapped))
    await store.receive(.factClientResponse(.success("3 is a number!"))) {
      $0.alert = AlertState { TextState("3 is a number!") }
    }
    await store.send(.alert(.dismiss)) { $0.alert = nil }
  }

  @Test func theStoreOfItsView() {
    let store: StoreOf<Counter> = .init(
      initialState: .init(count: 0),
      reducer: Counter()
    )
    let alert = store.scope(state: \.$alert, action: Counter.Action.alert)
    #expect(alert.wrappedValue == nil)
    store.send(.view(.incrementButtonTapped))
    #expect(store.count == 1)
  }

  @Test func itsPreview() async {
    let store = Store(initialState: Counter.State(count: 5)) {
      Counter()._printChanges(.actionLabels)
    } withDependencies: {
      $0.factClient.getFact = { value in
        "\(value) is a number!"
      }
    }
    await store.send(.view(.numberFactButtonTapped)).finish()
    #expect(store.alert == AlertState { TextState("5 is a number!") })
  }
}
