internal import ConcurrencyExtras
internal import Dependencies
internal import IssueReportingTestSupport
internal import Synchronization
internal import Testing
internal import XCTest

/// Lets the dependencies find the current test. It runs before the first test, because the linker adds it to the
/// functions that the process calls at its start.
@section(".init_array") @used
private let installCurrentTest: @convention(c) () -> Void = {
  guard isTesting else { return }
  XCTestObservationCenter.shared.addTestObserver(CurrentXCTest.shared)
  CurrentTest.install {
    guard let test = Test.current else { return CurrentXCTest.shared.id }
    return AnyHashableSendable(TestIdentity(test: test.id, arguments: CurrentTestCase.description))
  }
}

/// The running XCTest test. XCTest runs one at a time, so all tasks of the process belong to it.
private final class CurrentXCTest: XCTestObservation, Sendable {
  static let shared = CurrentXCTest()

  private struct State {
    var count = 0
    var isRunning = false
  }

  private let state = Mutex(State())

  /// The number of the running test since the start of the process; nil between tests.
  var id: AnyHashableSendable? {
    state.withLock { $0.isRunning ? AnyHashableSendable($0.count) : nil }
  }

  func testCaseWillStart(_ testCase: XCTestCase) {
    state.withLock {
      $0.count += 1
      $0.isRunning = true
    }
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    state.withLock { $0.isRunning = false }
  }
}

/// A test of Swift Testing, with the arguments of its case.
struct TestIdentity: Hashable, Sendable {
  let test: Test.ID
  let arguments: String?
}

enum CurrentTestCase {
  /// Distinguishes cases of one test, which run concurrently.
  static var description: String? {
    guard let testCase = Test.Case.current, testCase.isParameterized else { return nil }
    return String(describing: testCase)
  }
}
