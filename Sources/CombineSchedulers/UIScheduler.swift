internal import ConcurrencyExtras
public import Dispatch

/// The main queue, on which a closure that is scheduled from there runs at once.
public struct UIScheduler: Scheduler, Sendable {
  /// An instant of the main queue.
  public typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  /// No options.
  public typealias SchedulerOptions = Never

  /// Set on the main queue only. A key is immutable.
  private static let mainQueue: UncheckedSendable<DispatchSpecificKey<Bool>> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return UncheckedSendable(key)
  }()

  /// The scheduler.
  public static let shared = UIScheduler()

  /// The current time.
  public var now: SchedulerTimeType { DispatchQueue.main.now }
  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs a closure at once on the main queue, else later there.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    let isOnMainQueue = DispatchQueue.getSpecific(key: Self.mainQueue.value) == true
    if isOnMainQueue { action() } else { DispatchQueue.main.schedule(action) }
  }

  /// Runs a closure on the main queue after an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, action)
  }

  /// Runs a closure on the main queue after an instant and then at an interval.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(after: date, interval: interval, tolerance: tolerance, action)
  }
}
