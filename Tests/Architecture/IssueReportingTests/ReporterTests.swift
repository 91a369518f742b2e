import IssueReporting
import IssueReportingTestSupport
import Synchronization
import Testing

/// A reporter written for the original library.
private final class Analytics: IssueReporter {
  let reported = Mutex<[String]>([])
  let expected = Mutex<[String]>([])

  func reportIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let text = "\(message() ?? "nil") at \(line)"
    reported.withLock { $0.append(text) }
  }

  func expectIssue(
    _ message: @autoclosure () -> String?, fileID: StaticString, filePath: StaticString, line: UInt, column: UInt
  ) {
    let text = message() ?? "nil"
    expected.withLock { $0.append(text) }
  }
}

private struct Failure: Error, Equatable {}

@Suite struct ReporterTests {
  @Test func aReporterOfTheOriginalLibrary() {
    let analytics = Analytics()
    withIssueReporters([analytics]) {
      reportIssue("first", line: 3)
      reportIssue(Failure(), "second", line: 4)
      let message: String? = nil
      reportIssue(message, line: 5)
      withExpectedIssue { reportIssue("third") }
    }
    #expect(analytics.reported.withLock { $0 } == ["first at 3", "Caught error: Failure(): second at 4", " at 5"])
    #expect(analytics.expected.withLock { $0 } == ["third"])
  }

  @Test func theCurrentReportersCanBeSet() {
    let (outer, inner) = (Recorder(), Recorder())
    withIssueReporters([outer]) {
      IssueReporters.current = [inner]
      reportIssue("told")
      IssueReporters.current = [outer, inner]
      reportIssue("told both")
    }
    #expect(outer.messages == ["told both"] && inner.messages == ["told", "told both"])
  }

  @Test func theDefaultReporterFailsTheTest() {
    withKnownIssue { withIssueReporters([.default]) { reportIssue("told") } }
  }

  @Test func aContextGivesTheLocation() async {
    let recorder = Recorder()
    await withIssueReporters([recorder]) {
      withIssueContext(fileID: #fileID, filePath: #filePath, line: 7, column: 1) { reportIssue("a") }
      await withIssueContext(fileID: #fileID, filePath: #filePath, line: 8, column: 1) {
        await Task.yield()
        reportIssue(Failure())
      }
    }
    #expect(recorder.lines == [7, 8])
  }

  @Test func aReportedErrorIsKnownByItsType() {
    withKnownIssue {
      reportIssue(Failure())
    } matching: {
      $0.error is Failure
    }
  }

  @Test func theContextIsThisTest() async throws {
    guard case .swiftTesting(let testing?) = TestContext.current else {
      Issue.record("Not a test of Swift Testing")
      return
    }
    #expect(testing.test.id.rawValue == AnyHashable(try #require(Test.current).id))
    #expect(TestContext.current?.isSwiftTesting == true)
    #expect(await Task.detached { TestContext.current }.value == .xcTest)
    let other = TestContext.withTestID("other") { TestContext.current }
    #expect(other != TestContext.current)
  }
}
