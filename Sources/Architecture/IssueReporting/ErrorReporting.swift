/// Runs an asynchronous operation and reports the error that it throws.
///
/// - Returns: The operation's result; nil after an error.
@discardableResult
public nonisolated(nonsending) func withErrorReporting<R>(
  _ message: @autoclosure () -> String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  catching operation: nonisolated(nonsending) () async throws -> R
) async -> R? {
  do {
    return try await operation()
  } catch {
    reportIssue(error, message(), fileID: fileID, filePath: filePath, line: line, column: column)
    return nil
  }
}
