import IssueReporting
import Synchronization

/// Records issues.
final class Recorder: IssueReporter {
  private let issues = Mutex<[(message: String, line: UInt)]>([])

  var messages: [String] { issues.withLock { $0.map(\.message) } }
  var lines: [UInt] { issues.withLock { $0.map(\.line) } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append((message, location.line)) }
  }
}
