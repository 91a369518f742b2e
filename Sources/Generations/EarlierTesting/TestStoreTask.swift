internal import ComposableCore
internal import IssueReporting

/// A handle to the effects of an action that a test sent, to await or cancel them.
///
/// ```swift
/// let task = await store.send(.task)
/// await store.receive(.response(1)) { $0.count = 1 }
/// await task.cancel()
/// ```
public struct TestStoreTask: Hashable, Sendable {
  private let task: StoreTask

  init(_ task: StoreTask) {
    self.task = task
  }

  /// Cancels the effects. They count as ended, but an operation that ignores its cancellation continues to run.
  @MainActor public func cancel() async {
    task.cancel()
    await task.finish()
  }

  /// Waits until the effects have ended. Reports an issue if they have not ended before the timeout.
  ///
  /// - Parameter timeout: The timeout in nanoseconds.
  @MainActor public func finish(
    timeout: UInt64 = 1_000_000_000, fileID: StaticString = #fileID, file: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let deadline = ContinuousClock.now.advanced(by: .nanoseconds(Int64(clamping: timeout)))
    for _ in 0..<10 { await Task.yield() }
    while !task.isOver, ContinuousClock.now < deadline {
      // Effects may depend on other threads.
      try? await Task.sleep(for: .milliseconds(1))
    }
    guard !task.isOver else { return }
    reportIssue(
      """
      Expected task to finish, but it is still running after \(timeout) nanoseconds.

      If an effect is meant to outlive the test, call "cancel" on the task; if it waits for a scheduler, advance it.
      """, fileID: fileID, filePath: file, line: line, column: column)
  }

  /// True if ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
