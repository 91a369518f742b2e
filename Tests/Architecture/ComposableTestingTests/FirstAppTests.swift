import ComposableTesting
import Foundation
import Testing

// seeds/001 in Swift 6; Tests/Generations/SeedsTestsModern has it as printed. The first app of the article "The Composable
// Architecture - Part 1". The server that it used no longer exists, so its first version makes no request.

@Reducer
struct CounterReducer {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var numberFact: String?
    var isLoadingFact = false
    var isTimerOn = false
  }

  enum Action {
    case decrementButtonTapped
    case incrementButtonTapped
    case numberFactButtonTapped
    case numberFactResponse(String)
    case toggleTimerButtonTapped
    case timerTicked
  }

  private enum CancelID {
    case timer
  }

  @Dependency(\.numberFact) private var numberFact

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .decrementButtonTapped:
        state.count -= 1
        state.numberFact = nil
        return .none

      case .incrementButtonTapped:
        state.count += 1
        state.numberFact = nil
        return .none

      case .numberFactButtonTapped:
        state.numberFact = nil
        state.isLoadingFact = true
        return .run { [count = state.count] send in
          let fact = try await numberFact.fetch(count)
          await send(.numberFactResponse(fact))
        }

      case .numberFactResponse(let fact):
        state.numberFact = fact
        state.isLoadingFact = false
        return .none

      case .toggleTimerButtonTapped:
        state.isTimerOn.toggle()
        if state.isTimerOn {
          return .run { send in
            while true {
              try await Task.sleep(for: .seconds(1))
              await send(.timerTicked)
            }
          }
          .cancellable(id: CancelID.timer)
        } else {
          return .cancel(id: CancelID.timer)
        }

      case .timerTicked:
        state.count += 1
        return .none
      }
    }
  }
}

struct NumberFactClient {
  var fetch: @Sendable (Int) async throws -> String
}

extension NumberFactClient: DependencyKey {
  static let liveValue = Self(
    fetch: { number in
      "\(number)"
    }
  )
}

extension DependencyValues {
  var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

@Suite struct FirstAppTests {
  @MainActor
  @Test func testCounterFails() async {
    let store = TestStore(initialState: CounterReducer.State()) {
      CounterReducer()
    }
    let issues = await withExpectedIssue {
      await store.send(.incrementButtonTapped)
    }
    // Equal lines begin with a figure space, as wide as a minus; the article shows a plain one.
    #expect(
      issues.map { $0.replacing("\u{2007}", with: " ") } == [
        """
        State was not expected to change, but a change occurred: …

              CounterReducer.State(
            −   _count: 0,
            +   _count: 1,
                _numberFact: nil,
                _isLoadingFact: false,
                _isTimerOn: false
              )

        (Expected: −, Actual: +)
        """
      ])
  }

  @MainActor
  @Test func testCounter() async {
    let store = TestStore(initialState: CounterReducer.State()) {
      CounterReducer()
    }
    await store.send(.incrementButtonTapped) {
      $0.count = 1
    }
  }

  @MainActor
  @Test func testNumberFact() async {
    let store = TestStore(initialState: CounterReducer.State()) {
      CounterReducer()
    } withDependencies: {
      $0.numberFact.fetch = { "\($0) is a good number Brent" }
    }

    await store.send(.numberFactButtonTapped) {
      $0.isLoadingFact = true
    }

    await store.receive(\.numberFactResponse) {
      $0.isLoadingFact = false
      $0.numberFact = "0 is a good number Brent"
    }
  }

  @MainActor
  @Test func testTimer() async {
    let store = TestStore(initialState: CounterReducer.State()) {
      CounterReducer()
    }
    await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = true }
    await store.receive(\.timerTicked, timeout: .seconds(120)) { $0.count = 1 }
    // This uses the real clock, so there may be more ticks if the test was delayed.
    store.exhaustivity = .off
    await store.send(.toggleTimerButtonTapped) { $0.isTimerOn = false }
  }
}
