internal import Glibc
internal import Synchronization

/// The source location of an issue.
public struct IssueLocation: Sendable {
  /// The module and the file, as `#fileID`.
  public var fileID: StaticString
  /// The file's path when it was compiled, as `#filePath`.
  public var filePath: StaticString
  /// The line, from 1.
  public var line: UInt
  /// The column, from 1.
  public var column: UInt

  /// Creates the location of a caller that passes on `#fileID`, `#filePath`, `#line` and `#column`.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    (self.fileID, self.filePath, self.line, self.column) = (fileID, filePath, line, column)
  }
}

/// Receives the issues from ``reportIssue(_:fileID:filePath:line:column:)``.
public protocol IssueReporter: Sendable {
  /// Called on the thread that found the issue.
  func report(_ message: String, at location: IssueLocation)
}

extension IssueReporter where Self == StandardErrorReporter {
  /// Writes a line to standard error.
  public static var standardError: Self { StandardErrorReporter() }
}

/// Writes issues to standard error, in the form of a compiler's warning.
public struct StandardErrorReporter: IssueReporter {
  /// Writes one issue.
  public func report(_ message: String, at location: IssueLocation) {
    let text = "\(location.fileID):\(location.line): warning: \(message)\n"
    _ = text.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
  }
}

/// The current and installed reporters of issues.
public enum IssueReporters {
  @TaskLocal private static var overridden: [any IssueReporter]?
  private static let installed = Mutex<[any IssueReporter]>([.standardError])

  /// The reporters of this task: those of the nearest ``withIssueReporters(_:operation:)``, otherwise the process's.
  public static var current: [any IssueReporter] {
    overridden ?? installed.withLock { $0 }
  }

  /// Sets the reporters of the process, as modules that link a test framework do.
  public static func install(_ reporters: [any IssueReporter]) {
    installed.withLock { $0 = reporters }
  }

  fileprivate static func with<R>(_ reporters: [any IssueReporter], _ operation: () throws -> R) rethrows -> R {
    try $overridden.withValue(reporters, operation: operation)
  }

  fileprivate nonisolated(nonsending) static func with<R>(
    _ reporters: [any IssueReporter], _ operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    try await $overridden.withValue(reporters) { try await operation() }
  }
}

/// Runs an operation whose issues are sent to other reporters.
public func withIssueReporters<R>(
  _ reporters: [any IssueReporter], operation: () throws -> R
) rethrows -> R {
  try IssueReporters.with(reporters, operation)
}

/// Runs an asynchronous operation whose issues are sent to other reporters.
public nonisolated(nonsending) func withIssueReporters<R>(
  _ reporters: [any IssueReporter], operation: nonisolated(nonsending) () async throws -> R
) async rethrows -> R {
  try await IssueReporters.with(reporters, operation)
}
