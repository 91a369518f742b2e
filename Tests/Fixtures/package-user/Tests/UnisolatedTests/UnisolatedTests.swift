import ComposableTesting
import XCTest

private struct Counter: Reducer {
  struct State: Equatable {
    var count = 0
    var isLoading = false
  }

  enum Action: Equatable {
    case tapped
    case load
    case loaded(Int)
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .tapped:
      state.count += 1
      return .none
    case .load:
      state.isLoading = true
      return .run { send in await send(.loaded(42)) }
    case .loaded(let count):
      (state.count, state.isLoading) = (count, false)
      return .none
    }
  }
}

/// Tests as before `@MainActor` was customary, whose class is not isolated.
final class UnisolatedTests: XCTestCase {
  func testAsync() async {
    let store = TestStore(initialState: Counter.State()) { Counter() }
    await store.send(.tapped) { $0.count = 1 }
    await store.send(.load) { $0.isLoading = true }
    await store.receive(.loaded(42)) {
      $0.count = 42
      $0.isLoading = false
    }
    XCTAssertEqual(store.state.count, 42)
  }

  func testSynchronous() {
    let store = Store(initialState: Counter.State()) { Counter() }
    store.send(.tapped)
    XCTAssertEqual(store.withState(\.count), 1)
  }
}
