internal import IssueReporting
internal import Testing
internal import XCTest

/// Makes an issue a failure of the test that runs, in Swift Testing or XCTest, at the place that made the mistake.
struct TestFrameworkReporter: IssueReporter {
  func report(_ message: String, at location: IssueLocation) {
    guard Test.current == nil else {
      Issue.record(Comment(rawValue: message), sourceLocation: SourceLocation(location))
      return
    }
    // In a detached task no framework knows whose issue it is; a line on standard error is then all that is left.
    XCTFail(message, file: location.filePath, line: location.line)
    standardError.report(message, at: location)
  }

  private var standardError: StandardErrorReporter { .standardError }

  /// Notes something that is no failure.
  static func note(_ message: String, at location: IssueLocation) {
    guard Test.current != nil else { return TestFrameworkReporter().standardError.report(message, at: location) }
    Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: SourceLocation(location))
  }
}

extension SourceLocation {
  init(_ location: IssueLocation) {
    self.init(
      fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: Int(location.line),
      column: max(1, Int(location.column)))
  }
}

/// From before the first test on: the linker puts this function among those that the process calls at its start.
@section(".init_array") @used
private let installTestFrameworkReporter: @convention(c) () -> Void = {
  if isTesting { IssueReporters.install([TestFrameworkReporter()]) }
}
