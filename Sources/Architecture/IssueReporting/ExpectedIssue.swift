internal import Synchronization

/// Runs an operation that must report an issue or throw an error. These are suppressed, and their absence is reported.
///
/// ```swift
/// withExpectedIssue {
///   store.send(.row(id: goneID, .tapped))
/// }
/// ```
///
/// Issues count if the operation or one of its tasks reports them with `reportIssue`; those of detached tasks do not.
///
/// - Parameters:
///   - message: The expected issue, for the report of its absence.
///   - isIntermittent: True if the absence of an issue is acceptable.
///   - body: The operation that should fail.
/// - Returns: The issues' messages, for further assertions.
@discardableResult
public func withExpectedIssue(
  _ message: String? = nil, isIntermittent: Bool = false,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: () throws -> Void
) -> [String] {
  let issues = CollectingReporter()
  withIssueReporters([issues]) {
    do {
      try body()
    } catch {
      reportIssue(error, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return issues.expectSome(message, unless: isIntermittent, at: place)
}

/// Runs an asynchronous operation that must report an issue or throw an error.
@discardableResult
public nonisolated(nonsending) func withExpectedIssue(
  _ message: String? = nil, isIntermittent: Bool = false,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
  _ body: nonisolated(nonsending) () async throws -> Void
) async -> [String] {
  let issues = CollectingReporter()
  await withIssueReporters([issues]) {
    do {
      try await body()
    } catch {
      reportIssue(error, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return issues.expectSome(message, unless: isIntermittent, at: place)
}

/// Collects the messages of issues and passes them to the outer reporters as expected issues.
private final class CollectingReporter: IssueReporter {
  private let messages = Mutex<[String]>([])
  private let outer = IssueReporters.current

  func report(_ message: String, at location: IssueLocation) {
    messages.withLock { $0.append(message) }
    for reporter in outer {
      reporter.expectIssue(
        message, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
    }
  }

  func expectSome(_ message: String?, unless isIntermittent: Bool, at place: IssueLocation) -> [String] {
    let messages = messages.withLock { $0 }
    if messages.isEmpty, !isIntermittent {
      IssueReporting.reportIssue(
        "Expected an issue to be reported, but none was\(message.map { ": \($0)" } ?? ".")",
        fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
    }
    return messages
  }
}
