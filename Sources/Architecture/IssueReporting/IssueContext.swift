/// The location that replaces the locations of issues in this task.
enum IssueContext {
  @TaskLocal static var current: IssueLocation?
}

extension IssueLocation {
  /// The location at which this task's issues are reported, whatever their own; nil if there is none.
  package static var ofContext: IssueLocation? { IssueContext.current }
}

/// Runs an operation whose issues are reported at the given location. Helpers use it to report at the line of their
/// caller.
///
/// Issues in nested helpers are reported there as well.
public func withIssueContext<R>(
  fileID: StaticString, filePath: StaticString, line: UInt, column: UInt, operation: () throws -> R
) rethrows -> R {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try IssueContext.$current.withValue(place, operation: operation)
}

/// Runs an asynchronous operation whose issues are reported at the given location.
public nonisolated(nonsending) func withIssueContext<R>(
  fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
  operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await IssueContext.$current.withValue(place) { try await operation() }
}
