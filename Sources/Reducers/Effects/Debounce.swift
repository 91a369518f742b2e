extension Effect {
  /// Begins the effect when nothing of the same name was debounced for a while.
  ///
  /// ```swift
  /// case .queryChanged(let query):
  ///   return .run { send in await send(.response(Result { try await search(query) })) }
  ///     .debounce(id: CancelID.search, for: .milliseconds(300), clock: clock)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The name. An effect of that name which runs already, or waits, is cancelled.
  ///   - duration: How long to wait.
  ///   - clock: What to wait on.
  public func debounce<C: Clock>(
    id: some Hashable & Sendable, for duration: C.Instant.Duration, clock: C
  ) -> Effect {
    guard tree != nil else { return .none }
    let start = clock.now
    return .concatenate(.run { _ in try await clock.sleep(until: start.advanced(by: duration), tolerance: nil) }, self)
      .cancellable(id: id, cancelInFlight: true)
  }
}
