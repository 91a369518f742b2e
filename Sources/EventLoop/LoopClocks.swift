internal import CUV
internal import Glibc

/// The clocks of a loop: sleeping on them touches no other thread.
///
/// ```swift
/// let clocks = try LoopClocks(on: loop)
/// try await clocks.continuous.sleep(for: .seconds(1))
/// ```
///
/// A task on the loop's thread (`LoopTasks`) that sleeps, is cancelled and goes on there costs a few microseconds; the
/// standard library's clocks wake other threads for it. Tasks of other threads may use these clocks as well. When this
/// object has gone, sleeps end with a `CancellationError`.
package final class LoopClocks {
  /// The time of the machine, also while it sleeps.
  package nonisolated let continuous: LoopClock<ContinuousClock>
  /// The time for which the machine is awake.
  package nonisolated let suspending: LoopClock<SuspendingClock>
  private var polls: [TimerPoll] = []

  private final class TimerPoll {
    private let poll: Poll

    init(_ queue: SleepQueue, on loop: EventLoop) throws(UVError) {
      poll = try Poll(on: loop, descriptor: queue.descriptor) { _ in queue.wakeDue() }
      try poll.start(.readable)
      poll.keepsLoopAlive(false)
    }
  }

  /// Creates the clocks of a loop, which must outlive this object. They do not keep the loop alive.
  package init(on loop: EventLoop) throws(UVError) {
    continuous = LoopClock(ContinuousClock(), try SleepQueue(CLOCK_BOOTTIME))
    suspending = LoopClock(SuspendingClock(), try SleepQueue(CLOCK_MONOTONIC))
    polls = [try TimerPoll(continuous.queue, on: loop), try TimerPoll(suspending.queue, on: loop)]
  }

  /// The number of sleeps that the clocks remember: of those that were cancelled, at most as many as of the others, and a
  /// few.
  package var sleeperCount: Int { continuous.queue.count + suspending.queue.count }

  isolated deinit {
    polls = []
    continuous.queue.close()
    suspending.queue.close()
  }
}

/// A clock of the standard library whose sleeps are timers of a loop.
package nonisolated struct LoopClock<Base: Clock>: Clock where Base.Duration == Duration {
  private let base: Base
  fileprivate let queue: SleepQueue
  /// One time, as both know it: an instant is a time of the queue's clock, but does not tell it.
  private let origin: (instant: Base.Instant, time: UInt64)

  fileprivate init(_ base: Base, _ queue: SleepQueue) {
    (self.base, self.queue) = (base, queue)
    // The pair of readings with the least time between them, in case this thread has to wait in one.
    let readings = (0..<10).map { _ in (start: queue.now, instant: base.now, end: queue.now) }
    let best = readings.min { $0.end - $0.start < $1.end - $1.start } ?? readings[0]
    // Its end, so that no sleep is too short.
    origin = (best.instant, best.end)
  }

  package var now: Base.Instant { base.now }

  package var minimumResolution: Duration { base.minimumResolution }

  package func sleep(until deadline: Base.Instant, tolerance: Duration? = nil) async throws {
    try await queue.sleep(until: time(of: deadline))
  }

  /// The time of the queue's clock; 0 for one that has passed for long, and the latest that the kernel can count.
  private func time(of instant: Base.Instant) -> UInt64 {
    let distance = origin.instant.duration(to: instant)
    // Longer ones have no components.
    let (seconds, attoseconds) = min(max(distance, .seconds(Int64.min)), .seconds(Int64.max)).components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooLong else { return seconds < 0 ? 0 : UInt64(Int64.max) }
    let rest = Int64(origin.time) + attoseconds / 1_000_000_000
    let (sum, isOver) = whole.addingReportingOverflow(rest)
    return isOver ? UInt64(Int64.max) : UInt64(max(sum, 0))
  }
}

extension LoopClock<SuspendingClock> {
  /// Calls a function on the loop at a time in nanoseconds since the machine was started, as `DispatchTime` counts it.
  ///
  /// - Returns: A function that prevents it.
  package nonisolated func call(
    at uptime: UInt64, _ function: @escaping @MainActor @Sendable () -> Void
  ) -> @Sendable () -> Void {
    let sleeper = queue.call(at: uptime) { onLoop(()) { function() } }
    return { [queue] in queue.cancel(sleeper) }
  }
}
