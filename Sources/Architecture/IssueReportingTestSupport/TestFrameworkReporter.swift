package import IssueReporting
private import Synchronization
internal import Testing
internal import XCTest

/// Turns an issue into a failure of the current test, in Swift Testing or XCTest, at the location of the error.
package struct TestFrameworkReporter: IssueReporter {
  package func report(_ message: String, at location: IssueLocation) {
    guard Test.current == nil else {
      Issue.record(Comment(rawValue: message), sourceLocation: SourceLocation(location))
      return
    }
    // In a detached task, Swift Testing does not know the test; only a line on standard error remains.
    guard RunningTestCase.shared.isRunning else { return standardError.report(message, at: location) }
    XCTFail(message, file: location.filePath, line: location.line)
  }

  /// Records the error itself, so that a test can identify it.
  package func reportIssue(
    _ error: any Error, _ message: @autoclosure () -> String?,
    fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let message = message()
    guard Test.current != nil else {
      return report("Caught error: \(error)\(message.map { ": \($0)" } ?? "")", at: location)
    }
    Issue.record(error, message.map { Comment(rawValue: $0) }, sourceLocation: SourceLocation(location))
  }

  private var standardError: StandardErrorReporter { .standardError }

  /// Reports a note that is not a failure.
  package static func note(_ message: String, at location: IssueLocation) {
    guard Test.current != nil else { return TestFrameworkReporter().standardError.report(message, at: location) }
    Issue.record(Comment(rawValue: message), severity: .warning, sourceLocation: SourceLocation(location))
  }
}

/// Whether a test case of XCTest runs, which any thread may fail.
private final class RunningTestCase: XCTestObservation, Sendable {
  static let shared = RunningTestCase()
  private let state = Atomic(false)
  var isRunning: Bool { state.load(ordering: .relaxed) }

  func testCaseWillStart(_ testCase: XCTestCase) { state.store(true, ordering: .relaxed) }
  func testCaseDidFinish(_ testCase: XCTestCase) { state.store(false, ordering: .relaxed) }
}

extension SourceLocation {
  init(_ location: IssueLocation) {
    self.init(
      fileID: "\(location.fileID)", filePath: "\(location.filePath)", line: Int(location.line),
      column: max(1, Int(location.column)))
  }
}

/// It runs before the first test, because the linker adds it to the functions that the process calls at its start.
@section(".init_array") @used
private let installTestFrameworkReporter: @convention(c) () -> Void = {
  guard isTesting else { return }
  XCTestObservationCenter.shared.addTestObserver(RunningTestCase.shared)
  IssueReporters.install([TestFrameworkReporter()])
  TestContext.install { Test.current.map { AnyHashable($0.id) } }
}
