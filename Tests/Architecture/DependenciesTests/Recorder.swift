import ConcurrencyExtras
import IssueReporting

/// Records issues.
final class Recorder: IssueReporter {
  private let issues = LockIsolated<[(message: String, line: UInt)]>([])

  var messages: [String] { issues.withValue { $0.map(\.message) } }
  var lines: [UInt] { issues.withValue { $0.map(\.line) } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withValue { $0.append((message, location.line)) }
  }
}
