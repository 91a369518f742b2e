import CustomDump
import IssueReporting
import Synchronization
import Testing

/// Records issues.
private final class Recorder: IssueReporter {
  let issues = Mutex<[(message: String, location: IssueLocation)]>([])

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append((message, location)) }
  }

  var messages: [String] { issues.withLock { $0.map(\.message) } }
}

private struct Failure: Error, CustomStringConvertible {
  let description = "no luck"
}

@Suite struct ExpectationTests {
  private let recorder = Recorder()

  private func issues(of operation: () -> Void) -> [String] {
    withIssueReporters([recorder], operation: operation)
    return recorder.messages
  }

  @Test func equalValuesReportNothing() {
    #expect(
      issues {
        expectNoDifference(1, 1)
        XCTAssertNoDifference(User(id: 1, name: "A"), User(id: 1, name: "A"))
      } == [])
  }

  @Test func aDifferenceIsReportedInTheWordsOfTheTest() {
    let text = """
      \u{2007} User(
      \u{2007}   id: 1,
      −   name: "A"
      +   name: "B"
      \u{2007} )
      """
    let lines = text.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    #expect(
      issues { expectNoDifference(User(id: 1, name: "A"), User(id: 1, name: "B")) } == [
        "Difference: …\n\n\(lines)\n\n(First: −, Second: +)"
      ])
  }

  @Test func aMessageIsAdded() {
    #expect(
      issues { XCTAssertNoDifference(1, 2, "of all") } == [
        "XCTAssertNoDifference failed: …\n\n  − 1\n  + 2\n\n(First: −, Second: +) - of all"
      ])
  }

  @Test func aMessageBeginsTheLaterFunctions() {
    let message: String? = "of all"
    #expect(
      issues {
        expectNoDifference(1, 2, message)
        expectDifference(1, "of one") { $0 = 2 }
      } == [
        "of all - Difference: …\n\n  − 1\n  + 2\n\n(First: −, Second: +)",
        "of one - Difference: …\n\n  − 2\n  + 1\n\n(Expected: −, Actual: +)",
      ])
  }

  @Test func anErrorIsReported() {
    func fail() throws -> Int { throw Failure() }
    func operation() throws { throw Failure() }
    func expectations() {
      expectNoDifference(try fail(), 2)
      expectDifference(1, operation: operation, changes: { _ in })
    }
    #expect(
      issues(of: expectations) == [
        "Caught error: no luck", "Caught error: no luck",
      ])
  }

  @Test func theIssueIsAtTheCallersPlace() {
    withIssueReporters([recorder]) { expectNoDifference(1, 2) }
    let (line, file) = recorder.issues.withLock { ($0[0].location.line, $0[0].location.fileID.description) }
    #expect(line == #line - 2)
    #expect(file == #fileID)
  }

  @Test func theExpectedChange() {
    var user = User(id: 1, name: "A")
    #expect(
      issues {
        expectDifference(user) {
          user.id += 1
        } changes: {
          $0.id = 2
        }
        expectDifference(user) { $0.name = "A" }
        XCTAssertDifference(user) {
          user.id += 1
        } changes: {
          $0.id = 3
        }
      } == [])
  }

  @Test func anotherChange() {
    var value = 1
    #expect(
      issues {
        expectDifference(value) {
          value += 1
        } changes: {
          $0 = 3
        }
      } == [
        "Difference: …\n\n  − 3\n  + 2\n\n(Expected: −, Actual: +)"
      ])
  }

  @Test func aChangeThatTakesTime() async {
    let value = Mutex(1)
    await withIssueReporters([recorder]) {
      await expectDifference(value.withLock { $0 }) {
        await Task.yield()
        value.withLock { $0 += 1 }
      } changes: {
        $0 = 2
      }
      await XCTAssertDifference(value.withLock { $0 }) {
        await Task.yield()
        throw Failure()
      } changes: {
        $0 = 3
      }
      await XCTAssertDifference(value.withLock { $0 }) {
        await Task.yield()
      } changes: {
        $0 = 3
      }
    }
    #expect(
      recorder.messages == [
        "XCTAssertDifference failed: threw error \"no luck\"",
        "XCTAssertDifference failed: …\n\n  − 3\n  + 2\n\n(Expected: −, Actual: +)",
      ])
  }
}
