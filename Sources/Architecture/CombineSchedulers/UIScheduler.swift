internal import ConcurrencyExtras
public import Dispatch

/// The main queue. A closure that is scheduled on the main queue runs immediately.
public struct UIScheduler: Scheduler, Sendable {
  /// An instant of the main queue.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  /// No options.
  public typealias SchedulerOptions = Never

  /// The scheduler.
  public static let shared = UIScheduler()

  /// The current time.
  public var now: SchedulerTimeType { DispatchQueue.main.now }
  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs a closure immediately if called on the main queue, otherwise later there.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    if MainThread.isCurrent { action() } else { DispatchQueue.main.schedule(action) }
  }

  /// Runs a closure on the main queue at an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, action)
  }

  /// Runs a closure on the main queue at an instant and then repeatedly.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(after: date, interval: interval, tolerance: tolerance, action)
  }
}
