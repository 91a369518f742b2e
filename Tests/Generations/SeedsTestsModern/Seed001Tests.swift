// swift-format-ignore-file: NeverForceUnwrap

// seeds/001, blocks 2 to 6 and 8 to 14, as printed, in the Swift of their time. The app's server no longer exists, so
// its request is compiled but not sent. Block 7 is a view.
import ComposableArchitecture
import ComposableTesting
import Foundation
import Testing

// Blocks 3 to 6.
@Reducer
private struct FirstCounterReducer {
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
          try await Task.sleep(for: .seconds(1))
          let (data, _) = try await URLSession.shared.data(
            from: URL(string: "http://numbersapi.com/\(count)/trivia")!
          )
          await send(.numberFactResponse(String(decoding: data, as: UTF8.self)))
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

// Block 11.
private struct NumberFactClient {
  var fetch: (Int) async throws -> String
}

// Block 12.
extension NumberFactClient: DependencyKey {
  static let liveValue = Self(
    fetch: { number in
      let (data, _) = try await URLSession.shared
        .data(
          from: URL(string: "http://numbersapi.com/\(number)")!
        )
      return String(decoding: data, as: UTF8.self)
    }
  )
}
extension DependencyValues {
  fileprivate var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

// Block 13.
@Reducer
private struct CounterReducer {
  typealias State = FirstCounterReducer.State
  typealias Action = FirstCounterReducer.Action

  @Dependency(\.numberFact) private var numberFact

  var body: some Reducer<State, Action> {
    Reduce { state, action in
      switch action {
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
      default:
        return .none
      }
    }
  }
}

@Suite struct Seed001Tests {
  // Blocks 8 and 9.
  @MainActor
  @Test func testCounterFails() async {
    await withKnownIssue {
      let store = TestStore(initialState: FirstCounterReducer.State()) {
        FirstCounterReducer()
      }
      await store.send(.incrementButtonTapped)
    } matching: {
      $0.comments.contains { comment in
        ["State was not expected to change, but a change occurred", "_count: 0,", "_count: 1,", "_isTimerOn: false"]
          .allSatisfy(comment.rawValue.contains)
      }
    }
  }

  // Block 10.
  @MainActor
  @Test func testCounter() async {
    let store = TestStore(initialState: FirstCounterReducer.State()) {
      FirstCounterReducer()
    }
    await store.send(.incrementButtonTapped) {
      $0.count = 1
    }
  }

  // Block 14.
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

  // The timer of block 6, in a store.
  @MainActor
  @Test func theTimer() async {
    let store = Store(initialState: FirstCounterReducer.State()) { FirstCounterReducer() }
    store.send(.toggleTimerButtonTapped)
    while store.count == 0 { try? await Task.sleep(for: .milliseconds(10)) }
    await store.send(.toggleTimerButtonTapped).finish()
    #expect(!store.isTimerOn)
  }
}
