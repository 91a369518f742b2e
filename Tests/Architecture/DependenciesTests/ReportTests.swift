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
    #expect(message.hasPrefix("A dependency has no test implementation"))
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

  @Test func aMissingLiveValueThatAnUpdateReadsIsReportedAtItsFirstUse() {
    @Dependency(Interface.self) var interface
    withIssueReporters([recorder]) {
      withDependencies {
        $0 = .live
      } operation: {
        withDependencies {
          #expect($0[Interface.self] == "test")
        } operation: {
          #expect(recorder.messages.isEmpty)
          #expect(interface == "test" && interface == "test")
        }
      }
    }
    #expect(recorder.messages.count == 1)
  }

  @Test func whatIsUnimplementedIsReportedWhereItIsUsed() {
    @Dependency(\.uuid) var uuid
    @Dependency(\.date) var date
    withIssueReporters([recorder]) {
      _ = uuid()
      _ = date()
      let line: UInt = #line
      #expect(recorder.lines == [line - 2, line - 1])
      _ = [1].map { _ in uuid.callAsFunction() }
    }
    #expect(recorder.messages.count == 3)
  }

  @Test func otherwiseItIsReportedAtTheProperty() async {
    let line: UInt = #line
    @Dependency(\.date.now) var now
    @Dependency(\.continuousClock) var clock
    @Dependency(\.mainQueue) var queue
    @Dependency(\.withRandomNumberGenerator) var withRandomNumberGenerator
    await withIssueReporters([recorder]) {
      _ = now
      #expect(recorder.lines == [line + 1])
      try? await clock.sleep(for: .zero)
      #expect(recorder.lines.dropFirst().allSatisfy { $0 == line + 2 } && recorder.lines.count > 1)
      queue.schedule {}
      _ = withRandomNumberGenerator { $0.next() }
    }
    #expect(recorder.lines.suffix(2) == [line + 3, line + 4])
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
    let headline = "\"@Dependency(Interface.self)\" has no live implementation, but was accessed from a live context."
    #expect(message.hasPrefix("\(headline)\n"))
    #expect(message.contains("ReportTests.swift:\(line)"))
  }
}
