public import CombineSchedulers
public import PromptState

extension DispatchQueue {
  /// A scheduler with the time type of queues, controlled by a test: the name of 0.x for `test`.
  public static var testScheduler: TestSchedulerOf<DispatchQueue> { test }

  /// A scheduler with the time type of queues that runs every closure immediately: the name of 0.x for `immediate`.
  public static var immediateScheduler: ImmediateSchedulerOf<DispatchQueue> { immediate }

  /// A scheduler with the time type of queues that fails a test when it is used: the name of 0.x for `unimplemented`.
  public static var failing: UnimplementedSchedulerOf<DispatchQueue> { unimplemented }

  /// A scheduler with the time type of queues that fails a test when it is used.
  public static func failing(_ prefix: String) -> UnimplementedSchedulerOf<DispatchQueue> { unimplemented(prefix) }
}

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {
  /// A scheduler that fails a test when it is used.
  public static var failing: Self { unimplemented }

  /// A scheduler that fails a test when it is used.
  public static func failing(_ prefix: String) -> Self { unimplemented(prefix) }
}

/// The name of an unimplemented scheduler in 0.x.
public typealias FailingScheduler<Time, Options> = UnimplementedScheduler<Time, Options>
where Time: Strideable & Sendable, Time.Stride: SchedulerTimeIntervalConvertible & Sendable

extension Scheduler where Self: Sendable {
  /// Returns the scheduler; the animation has no effect.
  public func animation(_ animation: Animation? = .default) -> AnySchedulerOf<Self> { eraseToAnyScheduler() }
}
