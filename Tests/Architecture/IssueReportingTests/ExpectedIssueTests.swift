import IssueReporting
import Testing

@Suite struct ExpectedIssueTests {
  private struct Failure: Error {}
  private let recorder = Recorder()

  @Test func expectedIssuesAreKeptQuietAndGiven() {
    let issues = withIssueReporters([recorder]) {
      withExpectedIssue {
        reportIssue("one")
        reportIssue("two")
      }
    }
    #expect(issues == ["one", "two"])
    #expect(recorder.messages.isEmpty)
  }

  @Test func anErrorIsAnIssue() async {
    let issues = await withIssueReporters([recorder]) {
      await withExpectedIssue {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(issues == ["Caught error: Failure()"])
    #expect(recorder.messages.isEmpty)
  }

  @Test func theAbsenceOfAnIssueIsReportedWhereItWasExpected() async {
    let line: UInt = #line + 2
    withIssueReporters([recorder]) {
      withExpectedIssue("the disk is full") {}
      return
    }
    _ = await withIssueReporters([recorder]) {
      await withExpectedIssue { await Task.yield() }
    }
    #expect(
      recorder.messages == [
        "Expected an issue to be reported, but none was: the disk is full",
        "Expected an issue to be reported, but none was.",
      ])
    #expect(recorder.lines.first == line)
  }

  @Test func anIntermittentIssueMayStayAway() {
    withIssueReporters([recorder]) {
      #expect(withExpectedIssue(isIntermittent: true) {} == [])
    }
    #expect(recorder.messages.isEmpty)
  }

  @Test func issuesOfChildTasksCount() async {
    let issues = await withExpectedIssue {
      async let child: Void = reportIssue("child")
      await child
      await Task { reportIssue("task") }.value
    }
    #expect(issues == ["child", "task"])
  }

  @Test func asynchronousErrorsAreReportedAndGiveNil() async {
    let result: Int? = await withIssueReporters([recorder]) {
      await withErrorReporting("while loading") {
        await Task.yield()
        throw Failure()
      }
    }
    #expect(result == nil)
    #expect(recorder.messages == ["Caught error: Failure(): while loading"])
    #expect(await withErrorReporting { () async -> Int in 3 } == 3)
  }

  @Test func theStrictReporterEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      withIssueReporters([.fatalError]) { reportIssue("no further") }
    }
  }

  @Test func aTestRunnerIsRecognised() {
    #expect(isTesting)
  }
}
