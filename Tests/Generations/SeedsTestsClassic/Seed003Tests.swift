// seeds/003, blocks 1 to 9: Point-Free's announcement, as printed. The state, the action and the error are not
// `Equatable` there (see tca.md §4), but `ViewStore(store)` and `assert` required it from 0.1.0 on: the conformances
// are added.
import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import XCTest

private struct AppState {
  var count = 0
  var numberFactAlert: String?
}

private enum AppAction {
  case factAlertDismissed
  case decrementButtonTapped
  case incrementButtonTapped
  case numberFactButtonTapped
  case numberFactResponse(Result<String, ApiError>)
}

private struct ApiError: Error {}

// The added conformances.
extension AppState: Equatable {}
extension AppAction: Equatable {}
extension ApiError: Equatable {}

private struct AppEnvironment {
  var mainQueue: AnySchedulerOf<DispatchQueue>
  var numberFact: (Int) -> Effect<String, ApiError>
}

private let appReducer = Reducer<
  AppState, AppAction, AppEnvironment
> { state, action, environment in
  switch action {
  case .factAlertDismissed:
    state.numberFactAlert = nil
    return .none

  case .decrementButtonTapped:
    state.count -= 1
    return .none

  case .incrementButtonTapped:
    state.count += 1
    return .none

  case .numberFactButtonTapped:
    return environment.numberFact(state.count)
      .receive(on: environment.mainQueue)
      .catchToEffect()
      .map(AppAction.numberFactResponse)

  case let .numberFactResponse(.success(fact)):
    state.numberFactAlert = fact
    return .none

  // As printed, `let` binds nothing, which causes a compiler warning.
  case .numberFactResponse(.failure):
    state.numberFactAlert = "Could not load a number fact :("
    return .none
  }
}

private struct FactAlert: Identifiable {
  var title: String
  var id: String { title }
}

final class Seed003Tests: XCTestCase {
  func testTheAnnouncementsTest() {
    let scheduler = DispatchQueue.testScheduler

    let store = TestStore(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: scheduler.eraseToAnyScheduler(),
        numberFact: { number in
          Effect(value: "\(number) is a good number Brent")
        }
      )
    )

    store.assert(
      // Test that tapping on the increment/decrement buttons
      // changes the count
      .send(.incrementButtonTapped) {
        $0.count = 1
      },
      .send(.decrementButtonTapped) {
        $0.count = 0
      },

      // Test that tapping the fact button causes us to receive
      // a response from the effect.
      .send(.numberFactButtonTapped),
      // Note that we have to advance the scheduler because we
      // used `.receive(on:)` in the reducer.
      .do { scheduler.advance() },
      .receive(
        .numberFactResponse(.success("0 is a good number Brent"))
      ) {
        $0.numberFactAlert = "0 is a good number Brent"
      },

      // And finally dismiss the alert
      .send(.factAlertDismissed) {
        $0.numberFactAlert = nil
      }
    )
  }

  func testTheAnnouncementsStore() {
    let store = Store(
      initialState: AppState(),
      reducer: appReducer,
      environment: AppEnvironment(
        mainQueue: DispatchQueue.immediateScheduler.eraseToAnyScheduler(),
        numberFact: { number in
          Effect(error: ApiError())
        }
      )
    )
    let viewStore = ViewStore(store)
    let alert = viewStore.binding(
      get: { $0.numberFactAlert.map(FactAlert.init(title:)) },
      send: .factAlertDismissed
    )
    viewStore.send(.numberFactButtonTapped)
    XCTAssertEqual(alert.wrappedValue?.title, "Could not load a number fact :(")
    alert.wrappedValue = nil
    XCTAssertNil(alert.wrappedValue)
  }
}
