import Dispatch
import Foundation
import Synchronization
public import Testing

/// A trait for tests that occupy a thread for seconds: they run on separate threads, and only a few at a time.
///
/// Tasks and the main queue share one thread per core. Tests that compute, or wait for a process, would occupy all of
/// them, and tests that wait for a socket or a timer would exceed their time limits.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  private let executor: ThreadExecutor

  fileprivate init(_ executor: ThreadExecutor) {
    self.executor = executor
  }

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(executor) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// The test computes for seconds.
  public static var computing: Self { Self(.computing) }
  /// The test waits for processes without suspending.
  public static var blocking: Self { Self(.blocking) }
}

/// Runs tasks on separate threads.
private final class ThreadExecutor: TaskExecutor {
  /// Two, so that no core is idle while tests wait, and at a low priority, so that these do not wait for a core.
  static let computing = ThreadExecutor(threadCount: 2, niceness: 10)
  /// Four, because their tests wait for processes about half of the time.
  static let blocking = ThreadExecutor(threadCount: 4)
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  /// - Parameter niceness: The priority of the threads; on Linux each thread has its own (setpriority(2)).
  init(threadCount: Int, niceness: CInt = 0) {
    for _ in 0..<threadCount {
      Thread.detachNewThread { [self] in
        if niceness != 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness) }
        while true {
          count.wait()
          let job = jobs.withLock { $0.removeFirst() }
          job.runSynchronously(on: asUnownedTaskExecutor())
        }
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }
}
