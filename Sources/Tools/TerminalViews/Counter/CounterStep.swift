internal import ComposableCore
package import Features

/// The way to revert an action of the counter.
package nonisolated enum CounterStep: UndoStep {
  /// Counts in the opposite direction, whatever the state is.
  case counted(isUp: Bool)
  /// Restores whether the timer runs.
  case timed(was: Bool)

  package static let screen = TerminalModel.Screen.counter

  package static func reverting(_ action: Counter.Action, in state: Counter.State) -> (what: String, step: CounterStep)?
  {
    switch action {
    case .incrementButtonTapped: ("counted up", .counted(isUp: true))
    case .decrementButtonTapped: ("counted down", .counted(isUp: false))
    case .toggleTimerButtonTapped:
      (state.isTimerOn ? "stopped the timer" : "started the timer", .timed(was: state.isTimerOn))
    default: nil
    }
  }

  package func outcome(in state: Counter.State) -> UndoOutcome<Counter.Action> {
    switch self {
    case .counted(let isUp): return .send(isUp ? .decrementButtonTapped : .incrementButtonTapped)
    case .timed(let was):
      guard state.isTimerOn != was else { return .nothing("that has happened already") }
      return .send(.toggleTimerButtonTapped)
    }
  }
}
