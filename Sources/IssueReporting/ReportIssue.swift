/// Tells the developer of a mistake that must not stop the program, with the place where it was made.
///
/// Under a test the issue fails the test at that place (when `ComposableTesting` is linked); elsewhere it goes to
/// standard error. `withIssueReporters` sends it somewhere else.
///
///     reportIssue("An action for a row that is gone")
///
/// - Parameters:
///   - message: What happened, to what, and what to do.
///   - fileID: The file that made the mistake, which is often not the one that noticed it.
public func reportIssue(
  _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let message = message()
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  for reporter in IssueReporters.current { reporter.report(message, at: place) }
}

/// Reports an error that nobody handles.
public func reportIssue(
  _ error: any Error,
  _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let message = message()
  reportIssue(
    message.isEmpty ? "Caught error: \(error)" : "Caught error: \(error): \(message)",
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Runs an operation and reports what it throws.
///
/// - Returns: The operation's result; nil after an error.
@discardableResult
public func withErrorReporting<R>(
  _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  catching operation: () throws -> R
) -> R? {
  do {
    return try operation()
  } catch {
    reportIssue(error, message(), fileID: fileID, filePath: filePath, line: line, column: column)
    return nil
  }
}
