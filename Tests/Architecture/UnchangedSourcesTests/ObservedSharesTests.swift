import ComposableArchitecture
import ComposableTesting
import Foundation
import XCTest

private struct Weather: Equatable, Sendable {
  var city = "Bern"
  var degrees = 0
}

extension SharedKey where Self == InMemoryKey<Weather>.Default {
  fileprivate static var weather: Self { Self[.inMemory("weather"), default: Weather()] }
}

/// The forms in which features observe shared state.
@Reducer
private struct Forecast {
  @ObservableState
  struct State: Equatable {
    @Shared(.weather) var weather
    @SharedReader(.weather) var readOnly
    @Shared(value: false) var isMetric
    var log: [String] = []
  }

  enum Action {
    case task
    case capturedTask
    case localTask
    case distinctTask
    case laterTask
    case scheduledTask
    case loop
    case weatherChanged(Weather)
    case cityChanged(String)
    case unitChanged(Bool)
    case stop
  }

  private enum CancelID { case observation }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .task:
        return .merge(
          .publisher { state.$weather.publisher.map(Action.weatherChanged) },
          .publisher { state.$isMetric.publisher.map { .unitChanged($0) } }
        )
        .cancellable(id: CancelID.observation)

      case .capturedTask:
        return .publisher { [state] in
          state.$readOnly.city.publisher.map(Action.cityChanged)
        }
        .cancellable(id: CancelID.observation)

      case .localTask:
        return observe()

      case .distinctTask:
        return .publisher { state.$weather.city.publisher.removeDuplicates().map(Action.cityChanged) }
          .cancellable(id: CancelID.observation)

      case .laterTask:
        return .publisher { state.$weather.publisher.dropFirst().map { Action.weatherChanged($0) } }
          .cancellable(id: CancelID.observation)

      case .scheduledTask:
        return .publisher { state.$weather.publisher.receive(on: UIScheduler.shared).map(Action.weatherChanged) }
          .cancellable(id: CancelID.observation)

      case .loop:
        return .run { [weather = state.$weather] send in
          for await value in weather.publisher.dropFirst().removeDuplicates().values {
            await send(.cityChanged(value.city))
          }
        }
        .cancellable(id: CancelID.observation)

      case let .weatherChanged(weather):
        state.log.append("\(weather.city) \(weather.degrees)")
        return .none

      case let .cityChanged(city):
        state.log.append(city)
        return .none

      case let .unitChanged(isMetric):
        state.log.append("\(isMetric)")
        return .none

      case .stop:
        return .cancel(id: CancelID.observation)
      }
    }
  }

  private func observe() -> Effect<Action> {
    .publisher {
      @Shared(.weather) var weather
      return $weather.degrees.publisher.map { Action.cityChanged("\($0)") }
    }
    .cancellable(id: CancelID.observation, cancelInFlight: true)
  }
}

final class ObservedSharesTests: XCTestCase {
  @MainActor
  func testASharesValueIsReceivedNowAndAfterEachChange() async {
    let store = TestStore(initialState: Forecast.State()) { Forecast() }
    store.exhaustivity = .off(showSkippedAssertions: false)
    await store.send(.task)
    await store.receive(\.weatherChanged, Weather())
    await store.receive(\.unitChanged, false)
    store.state.$weather.withLock { $0.degrees = 20 }
    await store.receive(\.weatherChanged, Weather(degrees: 20))
    store.state.$isMetric.withLock { $0 = true }
    await store.receive(\.unitChanged, true)
    await store.send(.stop)
    XCTAssertEqual(store.state.log, ["Bern 0", "false", "Bern 20", "true"])
  }

  @MainActor
  func testPartsAndReadersAreObserved() async {
    let store = TestStore(initialState: Forecast.State()) { Forecast() }
    store.exhaustivity = .off(showSkippedAssertions: false)
    await store.send(.capturedTask)
    await store.receive(\.cityChanged, "Bern")
    store.state.$weather.withLock { $0.city = "Thun" }
    await store.receive(\.cityChanged, "Thun")
    await store.send(.stop)
    await store.send(.localTask)
    await store.receive(\.cityChanged, "0")
    await store.send(.stop)
  }

  @MainActor
  func testChangesAreFiltered() async {
    let store = TestStore(initialState: Forecast.State()) { Forecast() }
    store.exhaustivity = .off(showSkippedAssertions: false)
    await store.send(.distinctTask)
    await store.receive(\.cityChanged, "Bern")
    store.state.$weather.withLock { $0.degrees = 1 }
    store.state.$weather.withLock { $0.city = "Thun" }
    await store.receive(\.cityChanged, "Thun")
    await store.send(.stop)
    await store.send(.laterTask)
    store.state.$weather.withLock { $0.degrees = 2 }
    await store.receive(\.weatherChanged, Weather(city: "Thun", degrees: 2))
    await store.send(.stop)
    await store.send(.scheduledTask)
    await store.receive(\.weatherChanged, Weather(city: "Thun", degrees: 2))
    await store.send(.stop)
    XCTAssertEqual(store.state.log, ["Bern", "Thun", "Thun 2", "Thun 2"])
  }

  @MainActor
  func testALoopReadsTheValuesOfAPublisher() async {
    let store = TestStore(initialState: Forecast.State()) { Forecast() }
    store.exhaustivity = .off(showSkippedAssertions: false)
    await store.send(.loop)
    await Task.yield()
    store.state.$weather.withLock { $0.city = "Chur" }
    await store.receive(\.cityChanged, "Chur")
    await store.send(.stop)
  }

  func testASinkSeesTheFilteredValues() {
    @Shared(value: 1) var count
    let seen = LockIsolated<[Int]>([])
    let subscription = $count.publisher.dropFirst().removeDuplicates().sink { value in
      seen.withValue { $0.append(value) }
    }
    for value in [1, 2, 2, 3] { $count.withLock { $0 = value } }
    XCTAssertEqual(seen.value, [1, 2, 3])
    subscription.cancel()
    $count.withLock { $0 = 4 }
    XCTAssertEqual(seen.value, [1, 2, 3])
  }
}
