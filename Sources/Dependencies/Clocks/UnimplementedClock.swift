/// A clock that reports every use and then behaves like the continuous clock.
public struct UnimplementedClock: Clock {
  public typealias Duration = Swift.Duration
  public typealias Instant = ContinuousClock.Instant

  private let name: String

  /// Creates a clock that calls itself `name` in its reports.
  public init(name: String = "clock") {
    self.name = name
  }

  /// The continuous clock's time, reported.
  public var now: Instant {
    reportUnimplemented(name)
    return ContinuousClock().now
  }

  /// The continuous clock's resolution.
  public var minimumResolution: Duration { ContinuousClock().minimumResolution }

  /// Sleeps on the continuous clock, reported.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    reportUnimplemented(name)
    try await ContinuousClock().sleep(until: deadline, tolerance: tolerance)
  }
}
