/// The location that issues of this task have instead of their own.
enum IssueContext {
  @TaskLocal static var current: IssueLocation?
}

/// Runs an operation whose issues have the given location, for helpers that report at their caller's line.
///
/// Issues of deeper helpers are reported there as well.
public func withIssueContext<R>(
  fileID: StaticString, filePath: StaticString, line: UInt, column: UInt, operation: () throws -> R
) rethrows -> R {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try IssueContext.$current.withValue(place, operation: operation)
}

/// Runs an asynchronous operation whose issues have the given location.
public nonisolated(nonsending) func withIssueContext<R>(
  fileID: StaticString, filePath: StaticString, line: UInt, column: UInt,
  operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await IssueContext.$current.withValue(place) { try await operation() }
}
