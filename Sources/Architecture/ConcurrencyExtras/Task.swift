internal import Glibc
internal import Synchronization

extension Task where Failure == Never {
  /// Waits until the current task is cancelled, then throws.
  ///
  /// ```swift
  /// client.connect = { try await Task.never() }   // a server that does not answer
  /// ```
  public static func never() async throws -> Success {
    for await element in AsyncStream<Success>.never { return element }
    throw _Concurrency.CancellationError()
  }
}

extension Task where Success == Never, Failure == Never {
  /// Waits until the current task is cancelled, then throws: ``never()`` as a statement.
  public static func never() async throws {
    try await Task<Void, Never>.never()
  }

  /// Lets other tasks run for a while: waits for `count` new tasks of low priority, one after another.
  ///
  /// A test that waits for other tasks' next steps has no better means unless they report them;
  /// ``withMainSerialExecutor`` makes it deterministic. The count is `TASK_MEGA_YIELD_COUNT` from the environment, or
  /// 20.
  public static func megaYield(count: Int = defaultMegaYieldCount) async {
    let executor = withUnsafeCurrentTask { $0?.unownedTaskExecutor }
    if let executor { MegaYields.running.withLock { $0.append(executor) } }
    defer {
      if let executor {
        MegaYields.running.withLock { running in
          if let index = running.firstIndex(of: executor) { running.remove(at: index) }
        }
      }
    }
    for _ in 0..<count { await MegaYields.step() }
  }

  /// The default number of yields of ``megaYield(count:)``: `TASK_MEGA_YIELD_COUNT` from the environment, or 20.
  public static var defaultMegaYieldCount: Int { megaYieldCount }
}

/// The calls of `megaYield` by tasks with an executor preference.
package enum MegaYields {
  /// The executor of each call; there are few.
  fileprivate static let running = Mutex<[UnownedTaskExecutor]>([])

  /// Returns true while a task that prefers an executor is in `megaYield`.
  package static func areRunning(on executor: UnownedTaskExecutor) -> Bool {
    running.withLock { $0.contains(executor) }
  }

  /// Waits for a new task of low priority, which runs after the present tasks.
  package static func step() async {
    await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
  }
}

private let megaYieldCount = max(
  0, min(getenv("TASK_MEGA_YIELD_COUNT").flatMap { Int(String(cString: $0)) } ?? 20, 10_000))

extension Task where Failure == any Error {
  /// The task's value. Cancelling the waiting task also cancels this task.
  public var cancellableValue: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}

extension Task where Failure == Never {
  /// The task's value. Cancelling the waiting task also cancels this task.
  public var cancellableValue: Success {
    get async {
      await withTaskCancellationHandler {
        await value
      } onCancel: {
        cancel()
      }
    }
  }
}
