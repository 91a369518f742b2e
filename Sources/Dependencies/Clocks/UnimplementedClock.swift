internal import IssueReporting

/// A clock that reports every use and then does what the clock beneath it does.
///
/// It shows that a test does not come to code that needs time:
///
/// ```swift
/// Store(initialState: Feature.State()) { Feature() } withDependencies: { $0.continuousClock = UnimplementedClock() }
/// ```
public struct UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock {
  /// The instants of the clock beneath, erased.
  public typealias Instant = AnyClock<Duration>.Instant

  private let base: AnyClock<Duration>
  private let report: @Sendable (_ call: String) -> Void

  /// Creates a clock that calls itself `name` in its reports.
  public init<C: Clock>(
    _ base: C, name: String = "\(C.self)",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) where C.Instant.Duration == Duration {
    self.init(base) {
      reportIssue("Unimplemented: \(name).\($0) …", fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }

  init<C: Clock>(_ base: C, report: @escaping @Sendable (_ call: String) -> Void) where C.Instant.Duration == Duration {
    self.base = AnyClock(base)
    self.report = report
  }

  /// The time of the clock beneath, reported.
  public var now: Instant {
    report("now")
    return base.now
  }

  /// The resolution of the clock beneath.
  public var minimumResolution: Duration { base.minimumResolution }

  /// Sleeps on the clock beneath, reported.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    report("sleep")
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

extension UnimplementedClock where Duration == Swift.Duration {
  /// Creates a clock over the continuous clock that calls itself `name` in its reports.
  public init(
    name: String = "Clock",
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(ContinuousClock(), name: name, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
