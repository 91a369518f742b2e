extension Effect {
  /// Declares the action that a hub sends at its next start if its process ends before the effect does.
  ///
  /// ```swift
  /// case .startButtonTapped:
  ///   state.secondsLeft = 300
  ///   return timer()
  /// case .timerResumed:
  ///   return state.secondsLeft > 0 ? timer() : .none
  /// …
  /// func timer() -> Effect<Action> {
  ///   .run { send in for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTicked) } }
  ///     .cancellable(id: CancelID.timer, cancelInFlight: true)
  ///     .restart(with: .timerResumed)
  /// }
  /// ```
  ///
  /// A hub with a journal stores the action with the turn in which the effect begins, and the end of the effect with
  /// the turn in which the hub learns of it: finished, cancelled, or replaced. A hub that starts, or takes over from the
  /// previous process, sends the action of each effect that had not ended, after the actions for its own start, in the
  /// order in which the effects began, and once for each. An action that the effect sent last may be stored without its
  /// end, so the reducer decides by the state whether there is anything left to do.
  ///
  /// The declaration covers the whole effect that it is applied to, also one of several parts: it has ended with its
  /// last part. In a store, and in a hub without a journal, the effect runs as it would without the declaration.
  ///
  /// - Parameter action: The action, with its values at the effect's beginning.
  public func restart(with action: Action) -> Effect {
    guard let tree else { return .none }
    if tree.isRefusal { return self }
    return Effect(tree: .restarting(tree, action))
  }
}
