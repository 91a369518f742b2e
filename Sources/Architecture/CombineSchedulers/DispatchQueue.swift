public import Dispatch

extension DispatchQueue: Scheduler {
  /// An instant of the system's monotonic time.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The instant as a Dispatch type.
    public var dispatchTime: DispatchTime

    /// Wraps an instant.
    public init(_ time: DispatchTime) {
      dispatchTime = time
    }

    /// The time from this instant to another.
    public func distance(to other: Self) -> Stride {
      let (start, end) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
      return end >= start
        ? .nanoseconds(Int(clamping: end - start)) : .nanoseconds(-Int(clamping: start - end))
    }

    /// The instant that is later by a duration. The first instant is 1 ns.
    public func advanced(by n: Stride) -> Self {
      let start = dispatchTime.uptimeNanoseconds
      let (time, overflow) =
        n.magnitude >= 0
        ? start.addingReportingOverflow(n.magnitude.magnitude64)
        : start.subtractingReportingOverflow(n.magnitude.magnitude64)
      let limit: UInt64 = n.magnitude >= 0 ? .max : 1
      // `DispatchTime(uptimeNanoseconds: 0)` means now.
      return Self(DispatchTime(uptimeNanoseconds: overflow ? limit : max(time, 1)))
    }

    /// Hashes the instant.
    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }

    /// A duration in nanoseconds.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, Hashable, SignedNumeric, Sendable,
      ExpressibleByFloatLiteral
    {
      /// The number of nanoseconds.
      public var magnitude: Int

      /// Creates a duration from an interval of Dispatch.
      public init(_ timeInterval: DispatchTimeInterval) {
        magnitude =
          switch timeInterval {
          case .seconds(let count): Self.nanoseconds(count, times: 1_000_000_000)
          case .milliseconds(let count): Self.nanoseconds(count, times: 1_000_000)
          case .microseconds(let count): Self.nanoseconds(count, times: 1000)
          case .nanoseconds(let count): count
          case .never: .max
          @unknown default: .max
          }
      }

      /// Creates a duration of a number of nanoseconds.
      public init?(exactly source: some BinaryInteger) {
        guard let magnitude = Int(exactly: source) else { return nil }
        self.magnitude = magnitude
      }

      /// Creates a duration of a number of seconds.
      public init(integerLiteral value: Int) {
        self = .seconds(value)
      }

      /// Creates a duration of a number of seconds.
      public init(floatLiteral value: Double) {
        self = .seconds(value)
      }

      private init(magnitude: Int) {
        self.magnitude = magnitude
      }

      private static func nanoseconds(_ count: Int, times factor: Int) -> Int {
        let (result, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? (count < 0 ? .min + 1 : .max) : result
      }

      /// The duration as a Dispatch type.
      public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

      /// A number of seconds.
      public static func seconds(_ s: Int) -> Self { Self(.seconds(s)) }
      /// A number of seconds, rounded to nanoseconds.
      public static func seconds(_ s: Double) -> Self {
        Self(magnitude: Int(exactly: (s * 1_000_000_000).rounded()) ?? (s < 0 ? .min + 1 : .max))
      }
      /// A number of milliseconds.
      public static func milliseconds(_ ms: Int) -> Self { Self(.milliseconds(ms)) }
      /// A number of microseconds.
      public static func microseconds(_ us: Int) -> Self { Self(.microseconds(us)) }
      /// A number of nanoseconds.
      public static func nanoseconds(_ ns: Int) -> Self { Self(magnitude: ns) }

      /// Returns true if a duration is shorter than another.
      public static func < (lhs: Self, rhs: Self) -> Bool { lhs.magnitude < rhs.magnitude }
      /// The sum of two durations.
      public static func + (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude + rhs.magnitude) }
      /// The difference of two durations.
      public static func - (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude - rhs.magnitude) }
      /// The product of the numbers of nanoseconds.
      public static func * (lhs: Self, rhs: Self) -> Self { Self(magnitude: lhs.magnitude * rhs.magnitude) }
      /// Adds a duration.
      public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }
      /// Subtracts a duration.
      public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }
      /// Multiplies the number of nanoseconds.
      public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }
    }
  }

  /// Options for running a closure on a queue.
  public struct SchedulerOptions {
    /// The quality of service.
    public var qos: DispatchQoS
    /// The flags of the work.
    public var flags: DispatchWorkItemFlags
    /// The group that the work belongs to.
    public var group: DispatchGroup?

    /// Creates options.
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
      (self.qos, self.flags, self.group) = (qos, flags, group)
    }
  }

  /// The current time.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

  /// Zero.
  public var minimumTolerance: SchedulerTimeType.Stride { .zero }

  /// Runs a closure on the queue.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    async(group: options?.group, qos: options?.qos ?? .unspecified, flags: options?.flags ?? [], execute: action)
  }

  /// Runs a closure on the queue at an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    asyncAfter(
      deadline: date.dispatchTime, qos: options?.qos ?? .unspecified, flags: options?.flags ?? [], execute: action)
  }

  /// Runs a closure on the queue at an instant and then repeatedly.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let timer = DispatchSource.makeTimerSource(queue: self)
    timer.schedule(
      deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: max(tolerance, .zero).timeInterval)
    timer.setEventHandler(handler: action)
    timer.resume()
    return RunningTimer(source: timer)
  }
}

// Sendable, unchecked: Dispatch sources may be used from any thread.
private struct RunningTimer: Cancellable, @unchecked Sendable {
  let source: any DispatchSourceTimer

  func cancel() { source.cancel() }
}

extension Int {
  /// The absolute value in the type of `DispatchTime`.
  fileprivate var magnitude64: UInt64 { UInt64(magnitude) }
}

extension AnyScheduler
where SchedulerTimeType == DispatchQueue.SchedulerTimeType, SchedulerOptions == DispatchQueue.SchedulerOptions {
  /// The main queue.
  public static var main: Self { DispatchQueue.main.eraseToAnyScheduler() }

  /// A scheduler that runs every closure immediately.
  public static var immediate: Self { DispatchQueue.immediate.eraseToAnyScheduler() }

  /// A global queue.
  public static func global(qos: DispatchQoS.QoSClass = .default) -> Self {
    DispatchQueue.global(qos: qos).eraseToAnyScheduler()
  }

  /// A scheduler that reports every use.
  public static var unimplemented: Self { unimplemented("DispatchQueue") }

  /// A scheduler with a name that reports every use.
  public static func unimplemented(_ prefix: String) -> Self {
    DispatchQueue.unimplemented(prefix).eraseToAnyScheduler()
  }
}

extension DispatchQueue {
  /// A scheduler with the time of queues that a test advances.
  public static var test: TestSchedulerOf<DispatchQueue> {
    TestScheduler(now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
  }

  /// A scheduler with the time of queues that runs every closure immediately.
  public static var immediate: ImmediateSchedulerOf<DispatchQueue> {
    ImmediateScheduler(now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
  }

  /// A scheduler with the time of queues that reports every use.
  public static var unimplemented: UnimplementedSchedulerOf<DispatchQueue> { unimplemented("DispatchQueue") }

  /// A scheduler with the time of queues and a name that reports every use.
  public static func unimplemented(_ prefix: String) -> UnimplementedSchedulerOf<DispatchQueue> {
    UnimplementedScheduler(prefix, now: SchedulerTimeType(DispatchTime(uptimeNanoseconds: 1)))
  }
}
