/// A type-erased scheduler with a given type of time, so that features can receive live ones or test schedulers.
///
/// ```swift
/// @Dependency(\.mainQueue) var mainQueue   // an AnySchedulerOf<DispatchQueue>
/// ```
public struct AnyScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, Sendable
where
  SchedulerTimeType: Strideable & Sendable,
  SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible & Sendable
{
  private let currentTime: @Sendable () -> SchedulerTimeType
  private let tolerance: @Sendable () -> SchedulerTimeType.Stride
  private let scheduleNow: @Sendable (SchedulerOptions?, @escaping @Sendable () -> Void) -> Void
  private let scheduleLater:
    @Sendable (
      SchedulerTimeType, SchedulerTimeType.Stride, SchedulerOptions?, @escaping @Sendable () -> Void
    ) -> Void
  private let scheduleInterval:
    @Sendable (
      SchedulerTimeType, SchedulerTimeType.Stride, SchedulerTimeType.Stride, SchedulerOptions?,
      @escaping @Sendable () -> Void
    ) -> any Cancellable

  /// Wraps a scheduler.
  public init<S: Scheduler & Sendable>(_ scheduler: S)
  where S.SchedulerTimeType == SchedulerTimeType, S.SchedulerOptions == SchedulerOptions {
    currentTime = { scheduler.now }
    tolerance = { scheduler.minimumTolerance }
    scheduleNow = { scheduler.schedule(options: $0, $1) }
    scheduleLater = { scheduler.schedule(after: $0, tolerance: $1, options: $2, $3) }
    scheduleInterval = { scheduler.schedule(after: $0, interval: $1, tolerance: $2, options: $3, $4) }
  }

  /// The wrapped scheduler's time.
  public var now: SchedulerTimeType { currentTime() }

  /// The wrapped scheduler's tolerance.
  public var minimumTolerance: SchedulerTimeType.Stride { tolerance() }

  /// Runs a closure as soon as possible.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    scheduleNow(options, action)
  }

  /// Runs a closure at an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    scheduleLater(date, tolerance, options, action)
  }

  /// Runs a closure at an instant and then repeatedly.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    scheduleInterval(date, interval, tolerance, options, action)
  }
}

/// A type-erased scheduler with the time and the options of another type of scheduler.
public typealias AnySchedulerOf<S: Scheduler> = AnyScheduler<S.SchedulerTimeType, S.SchedulerOptions>

extension Scheduler where Self: Sendable {
  /// This scheduler, type-erased.
  public func eraseToAnyScheduler() -> AnyScheduler<SchedulerTimeType, SchedulerOptions> {
    AnyScheduler(self)
  }
}
