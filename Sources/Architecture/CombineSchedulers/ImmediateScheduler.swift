/// A scheduler that runs every closure immediately, within the call that schedules it. Its time does not advance.
public struct ImmediateScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, Sendable
where
  SchedulerTimeType: Strideable & Sendable,
  SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible & Sendable
{
  /// The instant at which the scheduler was created.
  public let now: SchedulerTimeType
  /// Zero.
  public let minimumTolerance: SchedulerTimeType.Stride = .zero

  /// Creates a scheduler at an instant.
  public init(now: SchedulerTimeType) {
    self.now = now
  }

  /// Runs a closure immediately.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    action()
  }

  /// Runs a closure immediately.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    action()
  }

  /// Runs a closure immediately and only once.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    action()
    return AnyCancellable {}
  }
}

/// An immediate scheduler with the time and the options of another type of scheduler.
public typealias ImmediateSchedulerOf<S: Scheduler> = ImmediateScheduler<S.SchedulerTimeType, S.SchedulerOptions>
