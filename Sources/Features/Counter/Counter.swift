public import ReplicatedArchitecture

/// A number that everyone can count up and down, that ticks by a timer, and that one can ask a fact about.
public struct Counter: Reducer, Sendable {
  /// What the counter shows.
  @Replicated
  public struct State: Equatable, Sendable {
    /// The number.
    public var count = 0
    /// A fact about the number; gone when the number changes.
    public var numberFact: String?
    /// Whether a fact is on its way.
    public var isLoadingFact = false
    /// Whether the timer counts up every second.
    public var isTimerOn = false
    /// Why there is no fact, until it is dismissed.
    public var factAlert: FactAlert?

    /// Creates the state with a number.
    public init(count: Int = 0) {
      self.count = count
    }
  }

  /// What can happen to the counter.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// Someone wants one less.
    case decrementButtonTapped
    /// Someone wants one more.
    case incrementButtonTapped
    /// Someone wants a fact about the number.
    case numberFactButtonTapped
    /// The fact came, or why it did not.
    case numberFactResponse(Result<String, NumberFactError>)
    /// Someone starts or stops the timer.
    case toggleTimerButtonTapped
    /// A second of the timer has passed.
    case timerTicked
    /// Someone has read the alert.
    case factAlertDismissed
    /// The hub has started again: the timer and the fact on its way, which its stop has ended, start again too.
    case hubStarted
  }

  private enum CancelID {
    case fact
    case timer
  }

  @Dependency(\.continuousClock) private var clock
  @Dependency(\.numberFact) private var numberFact

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .decrementButtonTapped:
        return change(&state, by: -1)

      case .incrementButtonTapped:
        return change(&state, by: 1)

      case .numberFactButtonTapped:
        state.numberFact = nil
        state.factAlert = nil
        state.isLoadingFact = true
        return fetchFact(about: state.count)

      case .numberFactResponse(.success(let fact)):
        state.isLoadingFact = false
        state.numberFact = fact
        return .none

      case .numberFactResponse(.failure(let error)):
        state.isLoadingFact = false
        state.factAlert = FactAlert(title: error.message)
        return .none

      case .toggleTimerButtonTapped:
        state.isTimerOn.toggle()
        return state.isTimerOn ? runTimer() : .cancel(id: CancelID.timer)

      case .timerTicked:
        return change(&state, by: 1)

      case .factAlertDismissed:
        state.factAlert = nil
        return .none

      case .hubStarted:
        return .merge(
          state.isTimerOn ? runTimer() : .none, state.isLoadingFact ? fetchFact(about: state.count) : .none)
      }
    }
  }

  private func runTimer() -> Effect<Action> {
    .run(name: "timer") { [clock] send in
      while true {
        try await clock.sleep(for: .seconds(1))
        await send(.timerTicked)
      }
    }
    .cancellable(id: CancelID.timer, cancelInFlight: true)
  }

  private func fetchFact(about count: Int) -> Effect<Action> {
    .run(name: "fact of the counter") { [numberFact] send in
      do {
        let fact = try await numberFact.fetch(count)
        await send(.numberFactResponse(.success(fact)))
      } catch let error as NumberFactError {
        await send(.numberFactResponse(.failure(error)))
      }
    }
    .cancellable(id: CancelID.fact, cancelInFlight: true)
  }

  /// Another number makes the fact untrue, and one on its way pointless. At the end of `Int` the number stays.
  private func change(_ state: inout State, by difference: Int) -> Effect<Action> {
    let (count, isOver) = state.count.addingReportingOverflow(difference)
    guard !isOver else { return .none }
    state.count = count
    // Most often there is none, and letting go of nothing takes 20 instructions.
    if state.numberFact != nil { state.numberFact = nil }
    guard state.isLoadingFact else { return .none }
    state.isLoadingFact = false
    return .cancel(id: CancelID.fact)
  }
}

/// What a person must be told about a fact that did not come.
@Replicated
public struct FactAlert: Equatable, Identifiable, Sendable {
  /// What to tell.
  public var title: String

  /// The title: there is one alert at a time.
  public var id: String { title }

  /// Creates an alert.
  public init(title: String) {
    self.title = title
  }
}
