extension IssueReporter where Self == FatalErrorReporter {
  /// Ends the process at the first issue, for a program that must not continue after an error.
  public static var fatalError: Self { FatalErrorReporter() }
}

/// Ends the process at the first issue.
public struct FatalErrorReporter: IssueReporter {
  /// Ends the process with the message.
  public func report(_ message: String, at location: IssueLocation) {
    Swift.fatalError(message, file: location.filePath, line: location.line)
  }
}
