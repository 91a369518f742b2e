public import CombineSchedulers
internal import Dependencies

extension Effect {
  /// Delays the effect until no effect with the same id was debounced for a duration, measured by a clock.
  ///
  /// ```swift
  /// case .queryChanged(let query):
  ///   return .run { send in await send(.response(Result { try await search(query) })) }
  ///     .debounce(id: CancelID.search, for: .milliseconds(300), clock: clock)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id. A running or waiting effect with that id is cancelled.
  ///   - duration: The time to wait.
  ///   - clock: The clock to wait on.
  public func debounce<C: Clock>(
    id: some Hashable & Sendable, for duration: C.Instant.Duration, clock: C
  ) -> Effect {
    guard tree != nil else { return .none }
    let start = clock.now
    return .concatenate(.run { _ in try await clock.sleep(until: start.advanced(by: duration), tolerance: nil) }, self)
      .cancellable(id: id, cancelInFlight: true)
  }

  /// Delays the effect until no effect with the same id was debounced for a duration, measured by a scheduler.
  ///
  /// ```swift
  /// .debounce(id: CancelID.search, for: 0.3, scheduler: mainQueue)
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id. A running or waiting effect with that id is cancelled.
  ///   - dueTime: The time to wait.
  ///   - scheduler: The scheduler to wait on.
  ///   - options: The options of the scheduler.
  public func debounce<S: Scheduler & Sendable>(
    id: some Hashable & Sendable, for dueTime: S.SchedulerTimeType.Stride, scheduler: S,
    options: S.SchedulerOptions? = nil
  ) -> Effect {
    guard tree != nil else { return .none }
    let end = scheduler.now.advanced(by: dueTime)
    let options = options.map { UncheckedSendable($0) }
    return .concatenate(.run { _ in try await scheduler.sleep(until: end, options: options?.value) }, self)
      .cancellable(id: id, cancelInFlight: true)
  }
}
