internal import IssueReporting

/// A clock that reports every use and then forwards it to another clock.
///
/// It proves that the code under test does not depend on time:
///
/// ```swift
/// Store(initialState: Feature.State()) { Feature() } withDependencies: { $0.continuousClock = UnimplementedClock() }
/// ```
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// The type-erased instants of the other clock.
  public typealias Instant = AnyClock<Duration>.Instant

  private let base: AnyClock<Duration>
  private let report: @Sendable (_ call: String) -> Void

  /// Creates a clock with a name for its reports.
  public init<C: Clock>(
    _ base: C, name: String = "\(C.self)",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where C.Instant.Duration == Duration {
    self.init(base) {
      reportIssue("Unimplemented: \(name).\($0) …", fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }

  /// Creates a clock over an immediate clock with an initial time, with a name for its reports.
  public init(
    name: String = "Clock", now: ImmediateClock<Duration>.Instant,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let base = ImmediateClock<Duration>(now: now)
    self.init(base, name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  init<C: Clock>(_ base: C, report: @escaping @Sendable (_ call: String) -> Void) where C.Instant.Duration == Duration {
    self.base = AnyClock(base)
    self.report = report
  }

  /// The time of the other clock; reading it is reported.
  public var now: Instant {
    report("now")
    return base.now
  }

  /// The resolution of the other clock; reading it is reported.
  public var minimumResolution: Duration {
    report("minimumResolution")
    return base.minimumResolution
  }

  /// Sleeps on the other clock and reports it.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    report("sleep")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// Creates a clock over the continuous clock, with a name for its reports.
  public init(
    name: String = "Clock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(ContinuousClock(), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
  /// A clock that reports every use, for a parameter that accepts any clock: `Model(clock: .unimplemented)`.
  public static var unimplemented: Self { UnimplementedClock() }

  /// A clock that reports every use at the line of this call.
  public static func unimplemented(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> Self {
    UnimplementedClock(fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
