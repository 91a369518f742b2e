internal import CombineSchedulers
package import Dependencies
internal import Dispatch
package import EventLoop
internal import Synchronization

extension DependencyValues {
  /// Lets effects sleep by the timers of a loop.
  package mutating func sleep(by clocks: LoopClocks) {
    continuousClock = clocks.continuous
    suspendingClock = clocks.suspending
    mainQueue = LoopScheduler(clock: clocks.suspending).eraseToAnyScheduler()
  }
}

/// The main queue, with the timers of the loop for what runs later.
nonisolated struct LoopScheduler: Scheduler, Sendable {
  let clock: LoopClock<SuspendingClock>

  var now: DispatchQueue.SchedulerTimeType { DispatchQueue.main.now }

  var minimumTolerance: DispatchQueue.SchedulerTimeType.Stride { .zero }

  func schedule(options: DispatchQueue.SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
    DispatchQueue.main.schedule(options: options, action)
  }

  func schedule(
    after date: DispatchQueue.SchedulerTimeType, tolerance: DispatchQueue.SchedulerTimeType.Stride,
    options: DispatchQueue.SchedulerOptions?, _ action: @escaping @Sendable () -> Void
  ) {
    _ = clock.call(at: date.dispatchTime.uptimeNanoseconds) { action() }
  }

  func schedule(
    after date: DispatchQueue.SchedulerTimeType, interval: DispatchQueue.SchedulerTimeType.Stride,
    tolerance: DispatchQueue.SchedulerTimeType.Stride, options: DispatchQueue.SchedulerOptions?,
    _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let call = RepeatedCall(clock: clock, interval: interval, action)
    call.schedule(at: date)
    return call
  }
}

/// A function that is called at intervals until it is cancelled.
private nonisolated final class RepeatedCall: Cancellable, Sendable {
  private enum Phase {
    case idle
    case scheduled(cancel: @Sendable () -> Void)
    case cancelled
  }

  private let clock: LoopClock<SuspendingClock>
  private let interval: DispatchQueue.SchedulerTimeType.Stride
  private let action: @Sendable () -> Void
  private let phase = Mutex(Phase.idle)

  init(
    clock: LoopClock<SuspendingClock>, interval: DispatchQueue.SchedulerTimeType.Stride,
    _ action: @escaping @Sendable () -> Void
  ) {
    (self.clock, self.interval, self.action) = (clock, interval, action)
  }

  func schedule(at date: DispatchQueue.SchedulerTimeType) {
    phase.withLock { phase in
      if case .cancelled = phase { return }
      phase = .scheduled(cancel: clock.call(at: date.dispatchTime.uptimeNanoseconds) { self.call(at: date) })
    }
  }

  func cancel() {
    let cancel = phase.withLock { phase -> (@Sendable () -> Void)? in
      defer { phase = .cancelled }
      guard case .scheduled(let cancel) = phase else { return nil }
      return cancel
    }
    cancel?()
  }

  private func call(at date: DispatchQueue.SchedulerTimeType) {
    let isCancelled = phase.withLock { if case .cancelled = $0 { true } else { false } }
    guard !isCancelled else { return }
    action()
    // Intervals that have passed meanwhile are left out, as Dispatch does.
    let passed = max(date.distance(to: DispatchQueue.main.now).magnitude, 0) / max(interval.magnitude, 1)
    schedule(at: date.advanced(by: .nanoseconds(interval.magnitude * (passed + 1))))
  }
}
