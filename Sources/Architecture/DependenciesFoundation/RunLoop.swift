public import CombineSchedulers
internal import ConcurrencyExtras
public import Foundation

extension RunLoop: Scheduler {
  /// A date as an instant of a run loop.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The date.
    public var date: Date

    /// Wraps a date.
    public init(_ date: Date) {
      self.date = date
    }

    /// The time from this instant to another.
    public func distance(to other: Self) -> Stride { Stride(other.date.timeIntervalSince(date)) }
    /// The instant that is later by a duration.
    public func advanced(by n: Stride) -> Self { Self(date.addingTimeInterval(n.timeInterval)) }

    /// A duration in seconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, Hashable, SignedNumeric, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of seconds.
      public var magnitude: TimeInterval

      /// Creates a duration of a number of seconds.
      public init(_ timeInterval: TimeInterval) {
        magnitude = timeInterval
      }
      /// Creates a duration of a number of seconds.
      public init?(exactly source: some BinaryInteger) {
        guard let magnitude = TimeInterval(exactly: source) else { return nil }
        self.magnitude = magnitude
      }
      /// Creates a duration of a number of seconds.
      public init(integerLiteral value: TimeInterval) {
        magnitude = value
      }
      /// Creates a duration of a number of seconds.
      public init(floatLiteral value: TimeInterval) {
        magnitude = value
      }

      /// The number of seconds.
      public var timeInterval: TimeInterval { magnitude }

      /// A number of seconds.
      public static func seconds(_ s: Int) -> Self { Self(TimeInterval(s)) }
      /// A number of seconds.
      public static func seconds(_ s: Double) -> Self { Self(s) }
      /// A number of milliseconds.
      public static func milliseconds(_ ms: Int) -> Self { Self(TimeInterval(ms) / 1000) }
      /// A number of microseconds.
      public static func microseconds(_ us: Int) -> Self { Self(TimeInterval(us) / 1_000_000) }
      /// A number of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Self { Self(TimeInterval(ns) / 1_000_000_000) }

      /// Returns true if a duration is shorter than another.
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      /// The sum of two durations.
      public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude + rhs.magnitude) }
      /// The difference of two durations.
      public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude - rhs.magnitude) }
      /// The product of the numbers of seconds.
      public static func * (lhs: Self, rhs: Self) -> Self { Self(lhs.magnitude * rhs.magnitude) }
      /// Adds a duration.
      public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
      /// Subtracts a duration.
      public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
      /// Multiplies the number of seconds.
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  /// A run loop has no options.
  public struct SchedulerOptions: Sendable {}

  /// The current time.
  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }

  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  /// Runs a closure in the next iteration of the run loop.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    perform(action)
  }

  /// Runs a closure in the run loop at an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    add(Timer(fire: date.date, interval: 0, repeats: false) { _ in action() }, forMode: .default)
  }

  /// Runs a closure in the run loop at an instant and then repeatedly.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let timer = UncheckedSendable(
      Timer(fire: date.date, interval: interval.timeInterval, repeats: true) { _ in action() })
    add(timer.value, forMode: .default)
    // A timer must be invalidated on the thread of its run loop.
    let loop = UncheckedSendable(self)
    return AnyCancellable { loop.value.perform { timer.value.invalidate() } }
  }
}

extension RunLoop {
  /// This run loop as a type-erased scheduler.
  public func eraseToAnyScheduler() -> AnySchedulerOf<RunLoop> { AnyScheduler(RunLoopScheduler(loop: self)) }
}

/// A run loop that tasks share. Unchecked: adding work is the only operation that any thread may perform.
private struct RunLoopScheduler: Scheduler, @unchecked Sendable {
  typealias SchedulerTimeType = RunLoop.SchedulerTimeType
  typealias SchedulerOptions = RunLoop.SchedulerOptions

  let loop: RunLoop

  var now: SchedulerTimeType { loop.now }
  var minimumTolerance: SchedulerTimeType.Stride { loop.minimumTolerance }

  func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    loop.schedule(options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    loop.schedule(after: date, tolerance: tolerance, options: options, action)
  }

  func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    loop.schedule(after: date, interval: interval, tolerance: tolerance, options: options, action)
  }
}

extension AnyScheduler
where SchedulerTimeType == RunLoop.SchedulerTimeType, SchedulerOptions == RunLoop.SchedulerOptions {
  /// The main run loop.
  public static var main: Self { RunLoop.main.eraseToAnyScheduler() }
  /// A scheduler that runs every closure immediately.
  public static var immediate: Self { RunLoop.immediate.eraseToAnyScheduler() }
  /// A scheduler that reports every use.
  public static var unimplemented: Self { unimplemented("RunLoop") }
  /// A scheduler with a name that reports every use.
  public static func unimplemented(_ prefix: String) -> Self {
    RunLoop.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension RunLoop {
  /// A scheduler with the time of run loops that a test advances.
  public static var test: TestSchedulerOf<RunLoop> { TestScheduler(now: .epoch) }
  /// A scheduler with the time of run loops that runs every closure immediately.
  public static var immediate: ImmediateSchedulerOf<RunLoop> { ImmediateScheduler(now: .epoch) }
  /// A scheduler with the time of run loops that reports every use.
  public static var unimplemented: UnimplementedSchedulerOf<RunLoop> { unimplemented("RunLoop") }
  /// A scheduler with the time of run loops and a name that reports every use.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<RunLoop> {
    UnimplementedScheduler(prefix, now: .epoch)
  }
}

extension RunLoop.SchedulerTimeType {
  fileprivate static var epoch: Self { Self(Date(timeIntervalSince1970: 0)) }
}
