internal import ComposableArchitecture

/// The effects of one `send` of a test.
public struct TestStoreTask: Hashable, Sendable {
  let task: StoreTask
  let timeout: Duration
  let settle: @MainActor @Sendable () async -> Void

  /// Cancels the effects that the action started, and lets them make as much progress as they can.
  ///
  /// They count as ended, but an operation that ignores its cancellation continues to run.
  @MainActor public func cancel() async {
    task.cancel()
    await settle()
  }

  /// Waits until the action's effects have ended, with a timeout in nanoseconds.
  @MainActor public func finish(
    timeout nanoseconds: UInt64,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await finish(
      timeout: .nanoseconds(Int64(clamping: nanoseconds)), fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Waits until the action's effects have ended. Effects that still run after the timeout are an issue.
  @MainActor public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await settle()
    if task.isOver { return }
    let hint = FailureText.taskInFlight(hasOwnTimeout: timeout.map { $0 != self.timeout } ?? false)
    let timeout = timeout ?? self.timeout
    let isFinished = await race(against: timeout) { await task.finish() }
    guard !isFinished else { return }
    reportIssue(
      """
      Expected task to finish, but it is still in-flight\(FailureText.after(timeout)).

      \(hint)
      """, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// True if ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }

  /// Tasks are equal if they are copies of one.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.task == rhs.task }

  public func hash(into hasher: inout Hasher) { hasher.combine(task) }
}
