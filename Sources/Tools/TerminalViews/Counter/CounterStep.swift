internal import ComposableCore
internal import Features

/// The way to revert an action of the counter.
nonisolated enum CounterStep: UndoStep {
  /// Counts in the opposite direction, whatever the state is.
  case counted(isUp: Bool)
  /// Restores whether the timer runs.
  case timed(was: Bool)

  static let tab = Screens.Tab.counter

  static func whole(_ action: Counter.Action) -> AppFeature.Action { .counter(action) }

  static func reverting(_ action: Counter.Action, in state: Counter.State) -> (what: String, step: CounterStep)? {
    switch action {
    case .incrementButtonTapped: ("counted up", .counted(isUp: true))
    case .decrementButtonTapped: ("counted down", .counted(isUp: false))
    case .toggleTimerButtonTapped:
      (state.isTimerOn ? "stopped the timer" : "started the timer", .timed(was: state.isTimerOn))
    default: nil
    }
  }

  func outcome(in state: Counter.State) -> UndoOutcome<Counter.Action> {
    switch self {
    case .counted(let isUp): return .send(isUp ? .decrementButtonTapped : .incrementButtonTapped)
    case .timed(let was):
      guard state.isTimerOn != was else { return .nothing("that has happened already") }
      return .send(.toggleTimerButtonTapped)
    }
  }
}
