public import CombineSchedulers
public import Dispatch

extension DependencyValues {
  /// The scheduler of the main queue; in tests, one that reports that it was not overridden.
  ///
  /// ```swift
  /// @Dependency(\.mainQueue) var mainQueue
  /// try await mainQueue.sleep(for: .seconds(1))
  /// ```
  ///
  /// New code can use ``continuousClock``.
  public var mainQueue: AnySchedulerOf<DispatchQueue> {
    get { self[MainQueueKey.self] }
    set { self[MainQueueKey.self] = newValue }
  }
}

private enum MainQueueKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = AnySchedulerOf<DispatchQueue>.main
  static var testValue: AnySchedulerOf<DispatchQueue> {
    let report = unimplementedReport(of: "mainQueue")
    return UnimplementedSchedulerOf<DispatchQueue>(
      now: DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
    ) { _ in report("", nil) }
    .eraseToAnyScheduler()
  }
}
