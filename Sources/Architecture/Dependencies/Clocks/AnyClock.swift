/// A type-erased clock with a given duration type, for uses that `any Clock<Duration>` does not support: as a generic
/// argument, or for `now`.
///
/// ```swift
/// let clock = AnyClock(dependencies.continuousClock)
/// let start = clock.now
/// ```
public struct AnyClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A point of the wrapped clock's time.
  public struct Instant: InstantProtocol {
    private let base: any InstantProtocol<Duration>

    fileprivate init(_ base: any InstantProtocol<Duration>) {
      self.base = base
    }

    /// The instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant {
      func advance(_ base: some InstantProtocol<Duration>) -> Instant { Instant(base.advanced(by: duration)) }
      return advance(base)
    }

    /// The time from this instant to another one of the same type of clock.
    public func duration(to other: Instant) -> Duration {
      func duration<I: InstantProtocol<Duration>>(_ base: I) -> Duration { base.duration(to: other.cast()) }
      return duration(base)
    }

    /// Returns true if an instant precedes another one of the same type of clock.
    public static func < (lhs: Instant, rhs: Instant) -> Bool {
      func isLess<I: InstantProtocol<Duration>>(_ base: I) -> Bool { base < rhs.cast() }
      return isLess(lhs.base)
    }

    /// Returns true if two instants are equal and belong to the same type of clock.
    public static func == (lhs: Instant, rhs: Instant) -> Bool { AnyHashable(lhs.base) == AnyHashable(rhs.base) }

    /// Feeds the wrapped instant into a hasher.
    public func hash(into hasher: inout Hasher) { AnyHashable(base).hash(into: &hasher) }

    fileprivate func cast<I: InstantProtocol<Duration>>(to type: I.Type = I.self) -> I {
      guard let base = base as? I else { preconditionFailure("an instant of another clock: \(base) is no \(I.self)") }
      return base
    }
  }

  private let currentInstant: @Sendable () -> Instant
  private let resolution: @Sendable () -> Duration
  private let wait: @Sendable (Instant, Duration?) async throws -> Void

  /// Wraps a clock.
  public init<C: Clock>(_ clock: C) where C.Instant.Duration == Duration {
    currentInstant = { Instant(clock.now) }
    resolution = { clock.minimumResolution }
    wait = { try await clock.sleep(until: $0.cast(), tolerance: $1) }
  }

  /// The wrapped clock's time.
  public var now: Instant { currentInstant() }

  /// The wrapped clock's resolution.
  public var minimumResolution: Duration { resolution() }

  /// Sleeps on the wrapped clock.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await wait(deadline, tolerance)
  }
}
