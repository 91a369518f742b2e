internal import IssueReporting

/// A scheduler that reports every use. It proves that the code under test does not use a scheduler.
public struct UnimplementedScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, Sendable
where
  SchedulerTimeType: Strideable & Sendable,
  SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible & Sendable
{
  private let report: @Sendable (_ call: String) -> Void
  private let time: SchedulerTimeType

  /// Creates a scheduler with a name for its reports.
  public init(
    _ prefix: String = "", now: SchedulerTimeType,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(now: now) { call in
      reportIssue(
        "Unimplemented: \(prefix.isEmpty ? "" : "\(prefix) - ")\(call)", fileID: fileID, filePath: filePath,
        line: line, column: column)
    }
  }

  /// Creates a scheduler with a custom report.
  package init(now: SchedulerTimeType, report: @escaping @Sendable (_ call: String) -> Void) {
    time = now
    self.report = report
  }

  /// A fixed instant; reading it is reported.
  public var now: SchedulerTimeType {
    report("An unimplemented scheduler was asked the current time.")
    return time
  }

  /// Zero; reading it is reported.
  public var minimumTolerance: SchedulerTimeType.Stride {
    report("An unimplemented scheduler was asked its minimum tolerance.")
    return .zero
  }

  /// Reports the call and does not run the closure.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    report("An unimplemented scheduler scheduled an action to run immediately.")
  }

  /// Reports the call and does not run the closure.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    report("An unimplemented scheduler scheduled an action to run later.")
  }

  /// Reports the call and does not run the closure.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    report("An unimplemented scheduler scheduled an action to run on a timer.")
    return AnyCancellable {}
  }
}

/// An unimplemented scheduler with the time and the options of another type of scheduler.
public typealias UnimplementedSchedulerOf<S: Scheduler> =
  UnimplementedScheduler<S.SchedulerTimeType, S.SchedulerOptions>
