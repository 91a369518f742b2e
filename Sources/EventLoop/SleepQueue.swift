internal import CUV
internal import Glibc
internal import Synchronization

/// What waits for times of one system clock: tasks that sleep, and functions that are called later.
///
/// One timerfd(2) of the clock wakes the loop for the earliest of them, so a timer fires when the loop is idle within
/// some tens of microseconds, also after the machine has slept. Beginning and cancelling are possible on any thread; they
/// make no system call unless the new time is the earliest one.
nonisolated final class SleepQueue: Sendable {
  /// The most sleepers that are woken between two polls.
  private static let batch = 512

  private struct Contents {
    var sleepers = DeadlineHeap<Sleeper>()
    /// The time for which the descriptor is set; `.max` if it is not.
    var alarm = UInt64.max
    /// The number of sleepers in the heap that are no longer asleep, or more.
    var goneCount = 0
    var isClosed = false
  }

  private let contents = Mutex(Contents())
  private let clock: clockid_t
  /// Readable from the earliest time on; the loop polls it.
  let descriptor: CInt

  /// - Parameter clock: `CLOCK_BOOTTIME` or `CLOCK_MONOTONIC`.
  @MainActor init(_ clock: clockid_t) throws(UVError) {
    self.clock = clock
    descriptor = cuv_timer_create(clock)
    try check(descriptor, "create a timer")
  }

  deinit { Glibc.close(descriptor) }

  /// The number of entries in the heap.
  var count: Int { contents.withLock { $0.sleepers.count } }

  /// The time of the clock in nanoseconds.
  var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Suspends the task until a time of the clock in nanoseconds.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, or the queue is closed.
  /// - Complexity: O(log n) for n sleepers.
  func sleep(until time: UInt64) async throws {
    let sleeper = Sleeper()
    let isInTime = await withTaskCancellationHandler {
      unsafe await withUnsafeContinuation { unsafe begin(sleeper, .task($0), at: time) }
    } onCancel: {
      cancel(sleeper)
    }
    guard isInTime else { throw CancellationError() }
  }

  /// Calls a function on the loop at a time, unless the returned sleeper is cancelled before.
  func call(at time: UInt64, _ function: @escaping @Sendable () -> Void) -> Sleeper {
    let sleeper = Sleeper()
    begin(sleeper, .function(function), at: time)
    return sleeper
  }

  /// Ends a sleep now, as a cancelled one.
  ///
  /// - Complexity: O(1) amortized: the entry in the heap stays until its time, or until half of all entries are such.
  func cancel(_ sleeper: Sleeper) {
    guard sleeper.end(inTime: false) else { return }
    contents.withLock { contents in
      contents.goneCount += 1
      guard contents.goneCount > 64, contents.goneCount > contents.sleepers.count / 2 else { return }
      contents.sleepers.removeAll { $0.hasEnded }
      contents.goneCount = 0
    }
  }

  /// Wakes those whose time has come, in the order of their times, as many as one turn may wake.
  func wakeDue() {
    let due = contents.withLock { contents in
      var due: [Sleeper] = []
      contents.alarm = .max
      let now = now
      while let time = contents.sleepers.firstDeadline {
        guard time <= now, due.count < Self.batch, let sleeper = contents.sleepers.removeFirst() else {
          setAlarm(time, &contents)
          break
        }
        due.append(sleeper)
      }
      // It stays readable until it is read or set again.
      if contents.alarm == .max { cuv_timer_set(descriptor, 0) }
      return due
    }
    let goneCount = due.count { !$0.end(inTime: true) }
    if goneCount > 0 { contents.withLock { $0.goneCount = max($0.goneCount - goneCount, 0) } }
  }

  /// Ends all sleeps, and all later ones at once, as cancelled ones.
  func close() {
    let sleepers = contents.withLock { contents in
      contents.isClosed = true
      cuv_timer_set(descriptor, 0)
      var sleepers: [Sleeper] = []
      while let sleeper = contents.sleepers.removeFirst() { sleepers.append(sleeper) }
      return sleepers
    }
    for sleeper in sleepers { _ = sleeper.end(inTime: false) }
  }

  private func begin(_ sleeper: Sleeper, _ waking: Sleeper.Waking, at time: UInt64) {
    guard sleeper.begin(waking) else { return }
    let isClosed = contents.withLock { contents in
      guard !contents.isClosed else { return true }
      contents.sleepers.insert(sleeper, at: time)
      if time < contents.alarm { setAlarm(time, &contents) }
      return false
    }
    if isClosed { _ = sleeper.end(inTime: false) }
  }

  private func setAlarm(_ time: UInt64, _ contents: inout Contents) {
    contents.alarm = time
    // Zero would disarm it.
    cuv_timer_set(descriptor, max(time, 1))
  }
}

/// One sleep, which ends exactly once.
nonisolated final class Sleeper: Sendable {
  /// What happens at its end. Safe: a phase with a continuation is left exactly once, to resume it.
  @safe enum Waking {
    /// The task goes on, with true if the time has come.
    case task(UnsafeContinuation<Bool, Never>)
    /// The function is called if the time has come.
    case function(@Sendable () -> Void)
  }

  private enum Phase {
    case beginning
    case asleep(Waking)
    case ended
  }

  private let phase = Mutex(Phase.beginning)

  /// Falls asleep. Returns false if it was cancelled before, and has ended now.
  fileprivate func begin(_ waking: Waking) -> Bool {
    let isAsleep = phase.withLock { phase in
      guard case .beginning = phase else { return false }
      phase = .asleep(waking)
      return true
    }
    if !isAsleep { Self.wake(waking, inTime: false) }
    return isAsleep
  }

  /// Ends it; returns false if it was not asleep.
  fileprivate func end(inTime: Bool) -> Bool {
    let waking = phase.withLock { phase -> Waking? in
      defer { phase = .ended }
      guard case .asleep(let waking) = phase else { return nil }
      return waking
    }
    guard let waking else { return false }
    Self.wake(waking, inTime: inTime)
    return true
  }

  fileprivate var hasEnded: Bool {
    phase.withLock { if case .ended = $0 { true } else { false } }
  }

  private static func wake(_ waking: Waking, inTime: Bool) {
    switch waking {
    case .task(let continuation): unsafe continuation.resume(returning: inTime)
    case .function(let function): if inTime { function() }
    }
  }
}
