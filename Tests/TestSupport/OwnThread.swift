import Dispatch
import Foundation
import Synchronization
public import Testing

/// A trait of tests that keep a thread for seconds: they run on one of their own, one after another.
///
/// Tasks and the main queue share one thread for each core. Tests that compute, or wait for a process, would take them all, and
/// those that wait for a socket or a timer would not be asked for longer than they are patient.
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
  /// The test waits for processes without giving its thread back.
  public static var blocking: Self { Self(.blocking) }
}

/// Runs tasks on one thread of its own.
private final class ThreadExecutor: TaskExecutor {
  static let computing = ThreadExecutor()
  static let blocking = ThreadExecutor()
  private let jobs = Mutex<[UnownedJob]>([])
  private let count = DispatchSemaphore(value: 0)

  init() {
    Thread.detachNewThread { [self] in
      while true {
        count.wait()
        let job = jobs.withLock { $0.removeFirst() }
        job.runSynchronously(on: asUnownedTaskExecutor())
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    count.signal()
  }
}
