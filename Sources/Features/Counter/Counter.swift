public import ReplicatedArchitecture

/// A number that every user can change, with a timer and with facts about the number.
public struct Counter: Reducer, Sendable {
  /// The state of the counter.
  @Replicated
  public struct State: Equatable, Sendable {
    /// The number.
    public var count = 0
    /// A fact about the number; nil after a user changes the number. It stays while the timer counts, so that it can be
    /// read; it names the number that it is about.
    public var numberFact: String?
    /// True while a fact is being fetched.
    public var isLoadingFact = false
    /// True while the timer counts up every second.
    public var isTimerOn = false
    /// The reason why there is no fact, until it is dismissed.
    public var factAlert: FactAlert?

    /// Creates the state with a number.
    public init(count: Int = 0) {
      self.count = count
    }
  }

  /// The actions of the counter.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// A user decrements the number.
    case decrementButtonTapped
    /// A user increments the number.
    case incrementButtonTapped
    /// A user requests a fact about the number.
    case numberFactButtonTapped
    /// The fact, or the reason why there is none.
    case numberFactResponse(Result<String, NumberFactError>)
    /// A user starts or stops the timer.
    case toggleTimerButtonTapped
    /// A second of the timer has passed.
    case timerTicked
    /// A user dismisses the alert.
    case factAlertDismissed
    /// The hub has restarted. The timer and the pending fetch, which ended with the old hub, start again.
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
        let (count, isOver) = state.count.addingReportingOverflow(1)
        if !isOver { state.count = count }
        return .none

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

  /// Changes the number for a user, which invalidates the fact and cancels a pending fetch. At the limits of `Int` the
  /// number stays.
  private func change(_ state: inout State, by difference: Int) -> Effect<Action> {
    let (count, isOver) = state.count.addingReportingOverflow(difference)
    guard !isOver else { return .none }
    state.count = count
    // Mostly there is none, and releasing nil takes 20 instructions.
    if state.numberFact != nil { state.numberFact = nil }
    guard state.isLoadingFact else { return .none }
    state.isLoadingFact = false
    return .cancel(id: CancelID.fact)
  }
}

/// The message about a fact that could not be fetched.
@Replicated
public struct FactAlert: Equatable, Identifiable, Sendable {
  /// The text of the message.
  public var title: String

  /// The title, as there is one alert at a time.
  public var id: String { title }

  /// Creates an alert.
  public init(title: String) {
    self.title = title
  }
}
