import ReplicatedArchitecture
import StoreHub

/// A hub of a meeting that ends by itself, for tests of effects that outlive the process.
@main
struct MeetingHub: HubService {
  let initialState = Meeting.State()
  var body: some ReducerOf<Meeting> { Meeting() }
}

@Reducer
struct Meeting: Sendable {
  @ObservableState @Replicated
  struct State: Equatable, Sendable {
    var ticksLeft = 0
    var endedMeetings = 0
    var resumptions = 0
  }

  @Replicated
  enum Action: Sendable {
    /// Starts a meeting of some tenths of a second.
    case started(ticks: Int)
    case ticked
    case timerResumed
    /// Starts an effect without a declared restart, which never ends.
    case watched
  }

  private enum CancelID { case timer }

  @Dependency(\.continuousClock) private var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .started(let ticks):
        state.ticksLeft = ticks
        return timer()
      case .ticked:
        guard state.ticksLeft > 0 else { return .none }
        state.ticksLeft -= 1
        guard state.ticksLeft == 0 else { return .none }
        state.endedMeetings += 1
        return .cancel(id: CancelID.timer)
      case .timerResumed:
        state.resumptions += 1
        return state.ticksLeft > 0 ? timer() : .none
      case .watched: return .run { _ in try await clock.sleep(for: .seconds(1_000_000)) }
      }
    }
  }

  private func timer() -> Effect<Action> {
    .run { [clock] send in for await _ in clock.timer(interval: .milliseconds(100)) { await send(.ticked) } }
      .cancellable(id: CancelID.timer, cancelInFlight: true)
      .restart(with: .timerResumed)
  }
}
