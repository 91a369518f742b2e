public import CombineSchedulers
internal import ConcurrencyExtras
public import Dispatch

/// A duration.
public typealias RxTimeInterval = DispatchTimeInterval

/// A scheduler, which runs closures immediately or later.
public protocol SchedulerType: Sendable {
  /// The scheduler with the time type of queues.
  var queue: AnySchedulerOf<DispatchQueue> { get }
}

/// The main queue. A closure that is scheduled on the main queue runs immediately.
public struct MainScheduler: SchedulerType {
  /// The scheduler.
  public static let instance = MainScheduler(queue: AnyScheduler(AtOnceOnMainQueue()))
  /// The main queue, where a closure always runs later.
  public static let asyncInstance = MainScheduler(queue: .main)
  /// The scheduler with the time type of queues.
  public let queue: AnySchedulerOf<DispatchQueue>
}

/// A separate serial queue.
public struct SerialDispatchQueueScheduler: SchedulerType {
  /// The scheduler with the time type of queues.
  public let queue: AnySchedulerOf<DispatchQueue>

  /// Creates a scheduler with a new queue of a quality of service.
  public init(qos: DispatchQoS, internalSerialQueueName: String = "RxComposableArchitecture.serial") {
    queue = DispatchQueue(label: internalSerialQueueName, qos: qos).eraseToAnyScheduler()
  }

  /// Creates a scheduler for a queue.
  public init(queue: DispatchQueue, internalSerialQueueName: String = "") {
    self.queue = queue.eraseToAnyScheduler()
  }
}

/// A concurrent queue.
public struct ConcurrentDispatchQueueScheduler: SchedulerType {
  /// The scheduler with the time type of queues.
  public let queue: AnySchedulerOf<DispatchQueue>

  /// Creates a scheduler with a new queue of a quality of service.
  public init(qos: DispatchQoS) {
    queue = DispatchQueue(label: "RxComposableArchitecture.concurrent", qos: qos, attributes: .concurrent)
      .eraseToAnyScheduler()
  }

  /// Creates a scheduler for a queue.
  public init(queue: DispatchQueue) {
    self.queue = queue.eraseToAnyScheduler()
  }
}

/// A scheduler that runs every closure immediately.
public struct ImmediateScheduler: SchedulerType {
  /// The scheduler with the time type of queues.
  public let queue: AnySchedulerOf<DispatchQueue> = .immediate

  /// Creates a scheduler.
  public init() {}
}

/// A scheduler whose time advances only when a test says so.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// scheduler.advance(by: .seconds(1))
/// ```
public final class TestScheduler: SchedulerType {
  private let timeline: TestSchedulerOf<DispatchQueue>
  private let start: DispatchQueue.SchedulerTimeType

  /// Creates a scheduler.
  ///
  /// - Parameter initialClock: The initial time in seconds.
  public init(initialClock: Int) {
    let time = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1))
    start = time
    timeline = CombineSchedulers.TestScheduler(now: time.advanced(by: .seconds(max(initialClock, 0))))
  }

  /// The scheduler with the time type of queues.
  public var queue: AnySchedulerOf<DispatchQueue> { timeline.eraseToAnyScheduler() }

  /// The time in seconds.
  public var clock: Int { start.distance(to: timeline.now).magnitude / 1_000_000_000 }

  /// Advances the time and runs the work that is scheduled up to it, each at its own time.
  public func advance(by interval: RxTimeInterval = .seconds(0)) { timeline.advance(by: .init(interval)) }

  /// Runs the work that is scheduled for now.
  public func tick() { advance() }

  /// Advances the time until no work is left. It does not return while a timer is running.
  public func run() { timeline.run() }
}

/// The main queue, which runs a closure immediately if the caller is on it.
private struct AtOnceOnMainQueue: Scheduler {
  typealias SchedulerTimeType = DispatchQueue.SchedulerTimeType
  typealias SchedulerOptions = DispatchQueue.SchedulerOptions

  var now: SchedulerTimeType { DispatchQueue.main.now }
  var minimumTolerance: SchedulerTimeType.Stride { .zero }

  func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    UIScheduler.shared.schedule(options: nil, action)
  }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    DispatchQueue.main.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    DispatchQueue.main.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }
}

extension DependencyValues {
  /// The main queue of features; a test store provides one that reports its use.
  public var rxMainQueue: any SchedulerType {
    get { self[RxMainQueueKey.self] }
    set { self[RxMainQueueKey.self] = newValue }
  }

  private enum RxMainQueueKey: DependencyKey {
    static let isReproducible = true
    static let liveValue: any SchedulerType = MainScheduler.instance
    static let testValue: any SchedulerType = MainScheduler(queue: .unimplemented("@Dependency(\\.rxMainQueue)"))
  }
}
