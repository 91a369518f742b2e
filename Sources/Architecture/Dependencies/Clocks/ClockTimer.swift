extension Clock where Duration: Hashable {
  /// Ticks at every multiple of `interval` since the first read.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) { await send(.timerTicked) }
  /// ```
  ///
  /// Ticks do not drift: each is due at a fixed instant, regardless of the time for handling the previous one. Missed
  /// ticks are skipped. The sequence ends when the task that reads it is cancelled.
  ///
  /// - Precondition: The interval is positive.
  public func timer(interval: Duration, tolerance: Duration? = nil) -> AsyncTimerSequence<AnyClock<Duration>> {
    AsyncTimerSequence(interval: interval, tolerance: tolerance, clock: AnyClock(self))
  }
}

/// Instants at a fixed interval, each delivered when it is reached.
public struct AsyncTimerSequence<C: Clock>: AsyncSequence, Sendable {
  /// The instant of a tick.
  public typealias Element = C.Instant
  /// A timer does not throw.
  public typealias Failure = Never

  private let interval: C.Instant.Duration
  private let tolerance: C.Instant.Duration?
  private let clock: C

  /// Creates a timer on a clock.
  ///
  /// - Precondition: The interval is positive.
  public init(interval: C.Instant.Duration, tolerance: C.Instant.Duration? = nil, clock: C) {
    precondition(interval > .zero, "a timer's interval is positive")
    self.interval = interval
    self.tolerance = tolerance
    self.clock = clock
  }

  /// Starts the timer.
  public func makeAsyncIterator() -> Iterator {
    Iterator(timer: self, due: clock.now)
  }

  /// The ticks since its creation.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let timer: AsyncTimerSequence
    fileprivate var due: C.Instant

    /// Sleeps until the next tick.
    /// - Returns: The instant at which the tick was due; nil in a cancelled task.
    public mutating func next() async -> C.Instant? {
      let now = timer.clock.now
      repeat { due = due.advanced(by: timer.interval) } while due < now
      do {
        try await timer.clock.sleep(until: due, tolerance: timer.tolerance)
        return due
      } catch {
        return nil
      }
    }
  }
}
