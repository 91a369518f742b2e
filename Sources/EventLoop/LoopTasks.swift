internal import CUV
internal import Synchronization

/// Runs tasks on a loop's thread.
///
/// ```swift
/// let tasks = try LoopTasks(on: loop) { work, time in log("\(work) blocked the loop for \(time)") }
/// Task(executorPreference: tasks.executor { "the import" }) {
///   try await clock.sleep(for: .seconds(1))   // the task goes on on the loop's thread
/// }
/// ```
///
/// A task that is started or woken on the loop's thread costs no system call: the loop runs it before it waits again.
/// Other threads wake the loop. Between two polls tasks are run for about a millisecond, so one that never suspends for
/// long, or a thousand that are woken at once, do not keep the sockets waiting. A task that computes or blocks without
/// suspending does; its name is reported.
///
/// When this object has gone, or its loop is closed, the tasks go on on the global pool.
package final class LoopTasks {
  /// The time in nanoseconds for which tasks are run between two polls.
  private static let slice: UInt64 = 1_000_000
  /// The time in nanoseconds from which a task without suspension is reported.
  package nonisolated static let blocking: UInt64 = 100_000_000

  private nonisolated let queue: JobQueue
  private let turn: TurnRequest
  private let wakeUp: WakeUp

  /// Creates the executor of a loop, which must outlive it.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - onBlocking: Called with the name of a task that has kept the loop's thread for 100 ms, and with that time.
  package init(on loop: EventLoop, onBlocking: @escaping (_ work: String, _ time: Duration) -> Void) throws(UVError) {
    let queue = JobQueue(of: loop.thread)
    self.queue = queue
    turn = try TurnRequest(on: loop, onTurn: { Self.run(queue, in: $0, onBlocking) }, onClosed: { queue.close() })
    do throws(UVError) {
      wakeUp = try WakeUp(on: loop) { [turn] in Self.run(queue, in: turn, onBlocking) }
    } catch {
      turn.close()
      throw error
    }
    queue.open(turn, wakeUp.sender)
  }

  /// An executor for the tasks of one piece of work.
  ///
  /// - Parameter name: The work's name, for a report that it blocks the loop.
  package func executor(name: @escaping @Sendable () -> String) -> some TaskExecutor {
    LoopExecutor(queue, name: name)
  }

  /// Calls a function at once if the caller is a task on the loop's thread, which is that of the main actor.
  ///
  /// Entering the main actor takes a turn of the main queue otherwise, with a system call for each way.
  /// - Returns: False, without calling it, if the caller is on another thread.
  package nonisolated func callOnLoop(_ function: @escaping @MainActor () -> Void) -> Bool {
    guard queue.thread.isCurrent else { return false }
    unsafe onLoopUnchecked(()) { function() }
    return true
  }

  isolated deinit { turn.close() }

  private static func run(_ queue: JobQueue, in turn: TurnRequest, _ onBlocking: (String, Duration) -> Void) {
    let begin = uv_hrtime()
    var start = begin
    while let (job, executor) = queue.next() {
      unsafe job.runSynchronously(on: executor.asUnownedTaskExecutor())
      let now = uv_hrtime()
      if now - start >= blocking { onBlocking(executor.name(), .nanoseconds(Int64(clamping: now - start))) }
      start = now
      guard now - begin < slice else { break }
    }
    // A job that is enqueued meanwhile requests no turn: the loop knows that it runs jobs.
    if queue.isAnnounced { turn.request() }
  }
}

/// The executor of the tasks of one piece of work. All of a loop share its queue.
private nonisolated final class LoopExecutor: TaskExecutor {
  private let queue: JobQueue
  let name: @Sendable () -> String

  init(_ queue: JobQueue, name: @escaping @Sendable () -> String) { (self.queue, self.name) = (queue, name) }

  func enqueue(_ job: consuming ExecutorJob) { queue.add(UnownedJob(job), of: self) }
}

/// The jobs that wait for a loop's thread, first in, first out.
private nonisolated final class JobQueue: Sendable {
  /// The ways to let the loop run jobs: on its own thread, and from others.
  private typealias Announcement = (turn: TurnRequest, wakeUp: WakeUp.Sender)

  private struct Jobs {
    /// Nil until the queue is open and from its end on: jobs then run on the global pool.
    var announcement: Announcement?
    var waiting: [(job: UnownedJob, executor: LoopExecutor)] = []
    /// The number of jobs at the beginning of `waiting` that were taken.
    var takenCount = 0
    /// True if the loop is going to run jobs until none is left.
    var isAnnounced = false
  }

  private let jobs = Mutex(Jobs())
  let thread: LoopThread

  init(of thread: LoopThread) { self.thread = thread }

  func open(_ turn: TurnRequest, _ wakeUp: WakeUp.Sender) {
    jobs.withLock { $0.announcement = (turn, wakeUp) }
  }

  /// Lets the jobs that wait, and all later ones, run on the global pool.
  func close() {
    let waiting = jobs.withLock { jobs in
      let waiting = Array(jobs.waiting[jobs.takenCount...])
      jobs = Jobs()
      return waiting
    }
    for (job, _) in waiting { globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
  }

  func add(_ job: UnownedJob, of executor: LoopExecutor) {
    let (isOpen, first) = jobs.withLock { jobs -> (Bool, Announcement?) in
      guard let announcement = jobs.announcement else { return (false, nil) }
      jobs.waiting.append((job, executor))
      guard !jobs.isAnnounced else { return (true, nil) }
      jobs.isAnnounced = true
      return (true, announcement)
    }
    guard isOpen else { return globalConcurrentExecutor.enqueue(ExecutorJob(job)) }
    guard let first else { return }
    if thread.isCurrent { unsafe onLoopUnchecked(first.turn) { $0.request() } } else { first.wakeUp.send() }
  }

  /// Takes the next job; nil if none waits.
  /// - Complexity: O(1) amortized.
  func next() -> (job: UnownedJob, executor: LoopExecutor)? {
    jobs.withLock { jobs in
      guard jobs.takenCount < jobs.waiting.count else {
        // The memory of many is not kept.
        jobs.waiting.removeAll(keepingCapacity: jobs.takenCount < 1024)
        (jobs.takenCount, jobs.isAnnounced) = (0, false)
        return nil
      }
      if jobs.takenCount >= 1024, jobs.takenCount > jobs.waiting.count / 2 {
        jobs.waiting.removeSubrange(..<jobs.takenCount)
        jobs.takenCount = 0
      }
      jobs.takenCount += 1
      return jobs.waiting[jobs.takenCount - 1]
    }
  }

  /// True if the loop is going to run jobs.
  var isAnnounced: Bool { jobs.withLock { $0.isAnnounced } }
}
