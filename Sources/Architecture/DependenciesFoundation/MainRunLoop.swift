public import CombineSchedulers
public import Dependencies
public import Foundation

extension DependencyValues {
  /// The scheduler of the main run loop; in tests, one that reports that it was not overridden.
  public var mainRunLoop: AnySchedulerOf<RunLoop> {
    get { self[MainRunLoopKey.self] }
    set { self[MainRunLoopKey.self] = newValue }
  }
}

private enum MainRunLoopKey: DependencyKey {
  static let isReproducible = true
  static let liveValue = AnySchedulerOf<RunLoop>.main
  static var testValue: AnySchedulerOf<RunLoop> {
    let report = unimplementedReport(of: "mainRunLoop")
    return UnimplementedSchedulerOf<RunLoop>(
      now: RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: 0))
    ) { _ in report("", nil) }
    .eraseToAnyScheduler()
  }
}
