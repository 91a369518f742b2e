/// Reports a programming error that must not stop the program, with its location.
///
/// In a test, the issue is a failure at that location (if `ComposableTesting` is linked); elsewhere it is written to
/// standard error. `withIssueReporters` redirects it.
///
///     reportIssue("An action for a row that is gone")
///
/// - Parameters:
///   - message: What happened, to what, and what to do.
///   - fileID: The file with the error, which is often not the one that detects it.
public func reportIssue(
  _ message: @autoclosure () -> String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let message = message() ?? ""
  let place =
    IssueContext.current ?? IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  for reporter in IssueReporters.current { reporter.report(message, at: place) }
}

/// Reports an unhandled error.
public func reportIssue(
  _ error: any Error,
  _ message: @autoclosure () -> String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let message = message()
  let place =
    IssueContext.current ?? IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  for reporter in IssueReporters.current {
    reporter.reportIssue(
      error, message, fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
  }
}

/// Runs an operation and reports the error that it throws.
///
/// - Returns: The operation's result; nil after an error.
@discardableResult
public func withErrorReporting<R>(
  _ message: @autoclosure () -> String? = nil,
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
