// The feature of seeds/001, blocks 3 to 6, with the client of blocks 11 to 13.
import ReplicatedArchitecture

struct NumberFactClient: Sendable {
  var fetch: @Sendable (Int) async throws -> String
}

extension NumberFactClient: DependencyKey {
  static let liveValue = Self(fetch: { number in "\(number) is a good number Brent" })
}

extension DependencyValues {
  var numberFact: NumberFactClient {
    get { self[NumberFactClient.self] }
    set { self[NumberFactClient.self] = newValue }
  }
}

@Reducer
struct CounterReducer {
  @ObservableState @Replicated
  struct State: Equatable {
    var count = 0
    var numberFact: String?
    var isLoadingFact = false
    var isTimerOn = false
  }

  @Replicated
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
        state.isLoadingFact = true
        state.numberFact = nil
        return .run { [count = state.count] send in
          await send(.numberFactResponse(try await numberFact.fetch(count)))
        }

      case .numberFactResponse(let fact):
        state.isLoadingFact = false
        state.numberFact = fact
        return .none

      case .toggleTimerButtonTapped:
        state.isTimerOn.toggle()
        if state.isTimerOn {
          return .run { send in
            while true {
              try await Task.sleep(for: .milliseconds(10))
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
