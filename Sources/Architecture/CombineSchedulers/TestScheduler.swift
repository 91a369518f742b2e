internal import ConcurrencyExtras
internal import Synchronization

/// A scheduler that advances only when a test advances it.
///
/// ```swift
/// let mainQueue = DispatchQueue.test
/// let store = TestStore(…) { … } withDependencies: { $0.mainQueue = mainQueue.eraseToAnyScheduler() }
/// await store.send(.startTimerButtonTapped)
/// await mainQueue.advance(by: .seconds(1))
/// await store.receive(\.timerTicked)
/// ```
public final class TestScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler, Sendable
where
  SchedulerTimeType: Strideable & Sendable,
  SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible & Sendable
{
  private struct Work: Sendable {
    let number: UInt64
    let date: SchedulerTimeType
    /// Nil for work that runs once.
    let interval: SchedulerTimeType.Stride?
    let action: @Sendable () -> Void
  }

  private struct Timeline: Sendable {
    var now: SchedulerTimeType
    var lastNumber: UInt64 = 0
    var work: [Work] = []

    mutating func add(
      after date: SchedulerTimeType, interval: SchedulerTimeType.Stride?, _ action: @escaping @Sendable () -> Void
    ) -> UInt64 {
      lastNumber += 1
      work.append(Work(number: lastNumber, date: date, interval: interval, action: action))
      return lastNumber
    }

    /// The date of the next work.
    var nextDate: SchedulerTimeType? { work.map(\.date).min() }

    /// Advances to the next work and returns it; if there is none until the instant, advances to the instant.
    mutating func next(until instant: SchedulerTimeType) -> (@Sendable () -> Void)? {
      guard let next = work.min(by: { ($0.date, $0.number) < ($1.date, $1.number) }), next.date <= instant else {
        now = max(now, instant)
        return nil
      }
      now = max(now, next.date)
      work.removeAll { $0.number == next.number }
      if let interval = next.interval {
        let date = next.date.advanced(by: interval)
        work.append(Work(number: next.number, date: date, interval: interval, action: next.action))
      }
      return next.action
    }
  }

  /// Zero.
  public let minimumTolerance: SchedulerTimeType.Stride = .zero
  private let timeline: Mutex<Timeline>

  /// Creates a scheduler at an instant.
  public init(now: SchedulerTimeType) {
    timeline = Mutex(Timeline(now: now))
  }

  /// The current time of the scheduler.
  public var now: SchedulerTimeType { timeline.withLock { $0.now } }

  /// Advances the time and runs the work that is due, each at its own time.
  public func advance(by duration: SchedulerTimeType.Stride = .zero) {
    advance(to: now.advanced(by: duration))
  }

  /// Advances the time to an instant and runs the work that is due, each at its own time.
  public func advance(to instant: SchedulerTimeType) {
    while let action = timeline.withLock({ $0.next(until: instant) }) { action() }
  }

  /// Advances the time until no work is left. It does not return while a timer runs.
  public func run() {
    while let date = timeline.withLock({ $0.nextDate }) { advance(to: date) }
  }

  /// Advances the time and lets tasks run between the pieces of work.
  @MainActor
  public func advance(by duration: SchedulerTimeType.Stride = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time to an instant and lets tasks run between the pieces of work.
  @MainActor
  public func advance(to instant: SchedulerTimeType) async {
    await settle()
    while let action = timeline.withLock({ $0.next(until: instant) }) {
      action()
      await settle()
    }
  }

  /// Advances the time until no work is left, and lets tasks run between the pieces of work.
  @MainActor
  public func run() async {
    await settle()
    while let date = timeline.withLock({ $0.nextDate }), !Task.isCancelled { await advance(to: date) }
  }

  /// Lets tasks run to their next suspension.
  @MainActor
  private func settle() async {
    await Task.megaYield()
  }

  /// Runs a closure at the next advance.
  public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    timeline.withLock { timeline in _ = timeline.add(after: timeline.now, interval: nil, action) }
  }

  /// Runs a closure when the time is advanced to an instant.
  public func schedule(
    after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) {
    timeline.withLock { _ = $0.add(after: date, interval: nil, action) }
  }

  /// Runs a closure when the time is advanced to an instant and then repeatedly.
  public func schedule(
    after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let number = timeline.withLock { $0.add(after: date, interval: interval, action) }
    return AnyCancellable { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    timeline.withLock { $0.work.removeAll { $0.number == number } }
  }
}

/// A test scheduler with the time and the options of another type of scheduler.
public typealias TestSchedulerOf<S: Scheduler> = TestScheduler<S.SchedulerTimeType, S.SchedulerOptions>
