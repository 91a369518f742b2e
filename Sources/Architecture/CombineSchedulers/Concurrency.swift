extension Scheduler where Self: Sendable {
  /// Suspends the current task for a duration.
  ///
  /// ```swift
  /// try await mainQueue.sleep(for: .seconds(1))
  /// ```
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(
    for duration: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero,
    options: SchedulerOptions? = nil
  ) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance, options: options)
  }

  /// Suspends the current task until an instant.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  public func sleep(
    until deadline: SchedulerTimeType, tolerance: SchedulerTimeType.Stride = .zero, options: SchedulerOptions? = nil
  ) async throws {
    try Task.checkCancellation()
    let (end, continuation) = AsyncStream.makeStream(of: Never.self)
    // A timer and not a single closure, because only a timer can be cancelled.
    let timer = schedule(
      after: deadline, interval: .seconds(3600), tolerance: tolerance, options: options
    ) { continuation.finish() }
    defer { timer.cancel() }
    for await _ in end {}
    try Task.checkCancellation()
  }

  /// The scheduler's time at intervals, until the task that reads the stream is cancelled.
  ///
  /// ```swift
  /// for await _ in mainQueue.timer(interval: .seconds(1)) { await send(.timerTicked) }
  /// ```
  public func timer(
    interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride = .zero, options: SchedulerOptions? = nil
  ) -> AsyncStream<SchedulerTimeType> {
    AsyncStream { continuation in
      let timer = schedule(
        after: now.advanced(by: interval), interval: interval, tolerance: tolerance, options: options
      ) { continuation.yield(now) }
      let cancellable = AnyCancellable(timer)
      continuation.onTermination = { _ in cancellable.cancel() }
    }
  }

  /// The time that an operation takes.
  public func measure(_ work: () throws -> Void) rethrows -> SchedulerTimeType.Stride {
    let start = now
    try work()
    return start.distance(to: now)
  }
}
