internal import ConcurrencyExtras
internal import Synchronization

/// A clock on which every sleep ends immediately and advances the clock to its deadline.
///
/// ```swift
/// withDependencies { $0.continuousClock = ImmediateClock() } operation: { … }   // an hour passes in no time
/// ```
///
/// A timer on it ticks as fast as it is read; use ``TestClock`` for timers.
public final class ImmediateClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A point of the clock's time, which begins at zero.
  public typealias Instant = TestClock<Duration>.Instant

  private let current: Mutex<Instant>
  private let resolution = Mutex<Duration>(.zero)

  /// Creates a clock with an initial time.
  public init(now: Instant = Instant()) {
    current = Mutex(now)
  }

  /// The time to which sleeps have advanced the clock.
  public var now: Instant { current.withLock { $0 } }

  /// The resolution that the clock reports: zero, unless it is set. Sleeps ignore it.
  public var minimumResolution: Duration {
    get { resolution.withLock { $0 } }
    set { resolution.withLock { $0 = newValue } }
  }

  /// Advances the clock to the deadline and lets other tasks run.
  /// - Throws: `CancellationError` in a cancelled task.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    current.withLock { $0 = max($0, deadline) }
    await Task.megaYield()
  }
}

extension ImmediateClock where Duration == Swift.Duration {
  /// Creates a clock whose time is zero.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension Clock where Self == ImmediateClock<Swift.Duration> {
  /// A new immediate clock, for a parameter that accepts any clock: `Model(clock: .immediate)`.
  public static var immediate: Self { ImmediateClock() }
}
