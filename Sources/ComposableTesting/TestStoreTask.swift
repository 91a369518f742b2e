internal import ComposableArchitecture

/// The effects of one `send` of a test.
@MainActor
public struct TestStoreTask: Sendable {
  let task: StoreTask
  let timeout: Duration
  let settle: @MainActor @Sendable () async -> Void

  /// Cancels the effects that the action started, and waits until they have ended.
  public func cancel() async {
    task.cancel()
    await settle()
  }

  /// Waits until the action's effects have ended, with a timeout in nanoseconds.
  public func finish(
    timeout nanoseconds: UInt64,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await finish(
      timeout: .nanoseconds(Int64(clamping: nanoseconds)), fileID: fileID, filePath: filePath, line: line,
      column: column)
  }

  /// Waits until the action's effects have ended. Effects that still run after the timeout are an issue.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    await settle()
    if task.isOver { return }
    let timeout = timeout ?? self.timeout
    let isFinished = await race(against: timeout) { await task.finish() }
    guard !isFinished else { return }
    reportIssue(
      """
      Expected task to finish, but it is still in-flight after \(timeout).

      \(FailureText.effectsInFlight("that delivers this action"))
      """, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// True if ``cancel()`` was called.
  public var isCancelled: Bool { task.isCancelled }
}
