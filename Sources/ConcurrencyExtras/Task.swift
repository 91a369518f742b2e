internal import Glibc

extension Task where Failure == Never {
  /// Waits until the current task is cancelled, and then throws.
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
  /// Waits until the current task is cancelled, and then throws: ``never()`` as a statement.
  public static func never() async throws {
    try await Task<Void, Never>.never()
  }

  /// Lets other tasks run for a while: `count` times a new task of low priority has its turn before this one.
  ///
  /// A test that must see what other tasks do next has no better way unless they tell it; ``withMainSerialExecutor``
  /// makes it exact. The count is the environment's `TASK_MEGA_YIELD_COUNT`, or 20.
  public static func megaYield(count: Int = defaultMegaYieldCount) async {
    for _ in 0..<count {
      await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
    }
  }

  /// How often ``megaYield(count:)`` yields unless told: the environment's `TASK_MEGA_YIELD_COUNT`, or 20.
  public static var defaultMegaYieldCount: Int { megaYieldCount }
}

private let megaYieldCount = max(
  0, min(getenv("TASK_MEGA_YIELD_COUNT").flatMap { Int(String(cString: $0)) } ?? 20, 10_000))

extension Task where Failure == any Error {
  /// The task's value; cancelling the task that waits for it cancels this task too.
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
  /// The task's value; cancelling the task that waits for it cancels this task too.
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
