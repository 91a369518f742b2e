import Dependencies
import IssueReporting
import Testing

private struct Mailer: DependencyKey, Sendable {
  var address = "live"
  var signature = "live"

  static let liveValue = Mailer()
}

private enum Limit: DependencyKey {
  static let liveValue = 100
  static let previewValue = 3
}

private enum Interface: TestDependencyKey {
  static let testValue = "test"
}

extension DependencyValues {
  fileprivate var mailer: Mailer {
    get { self[Mailer.self] }
    set { self[Mailer.self] = newValue }
  }
}

@Suite struct ReportTests {
  private let recorder = Recorder()

  @Test func aLiveValueInATestIsReportedWithBothWaysOut() throws {
    let line: UInt = #line + 1
    @Dependency(\.mailer) var mailer
    withIssueReporters([recorder]) { #expect(mailer.address == "live") }
    #expect(
      recorder.messages == [
        """
        @Dependency(\\.mailer) has no test implementation, but was accessed from a test context:

          Location:
            DependenciesTests/ReportTests.swift:\(line)
          Key:
            Mailer

        A dependency does not use its live implementation while tests run, unless the test asks for it.

        To fix, override “mailer” for this test, by “withDependencies” around the code under test or in a store's \
        trailing closure, or by the trait “.dependency(…)”. To give every test a default, implement “testValue” in the \
        key's conformance to “DependencyKey”.
        """
      ])
    #expect(recorder.lines == [line])
  }

  @Test func aDependencyByKeyIsNamedByItAndGivesItsPreviewValue() throws {
    @Dependency(Limit.self) var limit
    withIssueReporters([recorder]) { #expect(limit == 3) }
    let message = try #require(recorder.messages.first)
    #expect(message.hasPrefix("@Dependency(Limit.self) has no test implementation"))
    #expect(message.contains("  Key:\n    Limit\n  Value:\n    Int\n"))
  }

  @Test func aTestIsToldOnce() {
    @Dependency(\.mailer) var mailer
    withIssueReporters([recorder]) { _ = (mailer, mailer, DependencyValues._current.mailer) }
    #expect(recorder.messages.count == 1)
  }

  @Test func anOverrideIsNotReportedEvenIfItReadsWhatItChanges() {
    @Dependency(\.mailer) var mailer
    withIssueReporters([recorder]) {
      withDependencies {
        $0.mailer.address = "test"
      } operation: {
        #expect(mailer.address == "test" && mailer.signature == "live")
      }
    }
    #expect(recorder.messages.isEmpty)
    // The value that the update read without a report was not kept.
    withIssueReporters([recorder]) { _ = mailer }
    #expect(recorder.messages.count == 1)
  }

  @Test func aMissingLiveValueIsReported() throws {
    let line: UInt = #line + 1
    @Dependency(Interface.self) var interface
    withIssueReporters([recorder]) {
      withDependencies {
        $0.context = .live
      } operation: {
        #expect(interface == "test")
      }
    }
    let message = try #require(recorder.messages.first)
    #expect(message.hasPrefix("@Dependency(Interface.self) has no live implementation, but was accessed from a live"))
    #expect(message.contains("ReportTests.swift:\(line)"))
  }
}
