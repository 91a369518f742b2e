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
///
/// A conforming type implements ``report(_:at:)`` or ``reportIssue(_:fileID:filePath:line:column:)``: each calls the
/// other by default.
public protocol IssueReporter: Sendable {
  /// Reports an issue. Called on the thread of the issue.
  func report(_ message: String, at location: IssueLocation)

  /// Reports an issue. Called on the thread of the issue.
  func reportIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt)

  /// Reports an unhandled error; by default, an issue with the error's description.
  func reportIssue(
    _ error: any Error, _ message: @autoclosure () -> String?,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt)

  /// Receives an issue inside `withExpectedIssue`; by default, ignores it.
  func expectIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt)

  /// Receives an error inside `withExpectedIssue`; by default, an expected issue with the error's description.
  func expectIssue(
    _ error: any Error, _ message: @autoclosure () -> String?,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt)
}

extension IssueReporter {
  /// Calls ``reportIssue(_:fileID:filePath:line:column:)``.
  public func report(_ message: String, at location: IssueLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }

  /// Calls ``report(_:at:)``, with an empty text for nil.
  public func reportIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    report(message() ?? "", at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Reports an issue with the error's description.
  public func reportIssue(
    _ error: any Error, _ message: @autoclosure () -> String?,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    report(
      caughtError(error, message()),
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Does nothing.
  public func expectIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {}

  /// Expects an issue with the error's description.
  public func expectIssue(
    _ error: any Error, _ message: @autoclosure () -> String?,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    expectIssue(caughtError(error, message()), fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Returns the message for an unhandled error.
func caughtError(_ error: any Error, _ message: String?) -> String {
  guard let message, !message.isEmpty else { return "Caught error: \(error)" }
  return "Caught error: \(error): \(message)"
}

extension IssueReporter where Self == StandardErrorReporter {
  /// Writes a line to standard error.
  public static var standardError: Self { StandardErrorReporter() }

  /// Writes a line to standard error. The name is that of a warning in Xcode, which does not exist here.
  public static var runtimeWarning: Self { StandardErrorReporter() }
}

extension IssueReporter where Self == DefaultReporter {
  /// Reports in the default way of the process: as a failure of the test, or as a line on standard error.
  public static var `default`: Self { DefaultReporter() }
}

/// Reports in the default way of the process: as a failure of the test, or as a line on standard error.
public struct DefaultReporter: IssueReporter {
  /// Reports one issue.
  public func report(_ message: String, at location: IssueLocation) {
    for reporter in IssueReporters.byDefault { reporter.report(message, at: location) }
  }
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
  /// The list of reporters of a task or of the process.
  private final class Holder: Sendable {
    let reporters: Mutex<[any IssueReporter]>

    init(_ reporters: [any IssueReporter]) {
      self.reporters = Mutex(reporters)
    }
  }

  @TaskLocal private static var overridden: Holder?
  private static let installed = Holder([.standardError])
  private static let installedByDefault = Mutex<[any IssueReporter]>([.standardError])

  /// The reporters of this task: those of the nearest `withIssueReporters`, otherwise the process's.
  ///
  /// Setting this property replaces the reporters, for example at the start of a program.
  public static var current: [any IssueReporter] {
    get { (overridden ?? installed).reporters.withLock { $0 } }
    set { (overridden ?? installed).reporters.withLock { $0 = newValue } }
  }

  /// Sets the reporters of the process, as modules that link a test framework do.
  public static func install(_ reporters: [any IssueReporter]) {
    installed.reporters.withLock { $0 = reporters }
    installedByDefault.withLock { $0 = reporters }
  }

  /// The reporters of the process before any change of ``current``.
  static var byDefault: [any IssueReporter] { installedByDefault.withLock { $0 } }

  fileprivate static func with<R>(_ reporters: [any IssueReporter], _ operation: () throws -> R) rethrows -> R {
    try $overridden.withValue(Holder(reporters), operation: operation)
  }

  fileprivate nonisolated(nonsending) static func with<R>(
    _ reporters: [any IssueReporter], _ operation: nonisolated(nonsending) () async throws -> R
  ) async rethrows -> R {
    try await $overridden.withValue(Holder(reporters)) { try await operation() }
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
