internal import Glibc
internal import IssueReporting

/// Where code runs, which decides the value of a dependency that nobody overrode.
public enum DependencyContext: Sendable, Equatable {
  /// In production.
  case live
  /// Under a test runner.
  case test
  /// In a preview.
  case preview

  /// The context of this process: what `SWIFT_DEPENDENCIES_CONTEXT` names, else `test` in a test runner's process,
  /// else `live`.
  static let ofProcess: DependencyContext = {
    let byProcess: DependencyContext = isTesting ? .test : .live
    switch getenv("SWIFT_DEPENDENCIES_CONTEXT").map({ String(cString: $0) }) {
    case nil: return byProcess
    case "live"?: return .live
    case "test"?: return .test
    case "preview"?: return .preview
    case let unknown?:
      reportIssue("SWIFT_DEPENDENCIES_CONTEXT is “\(unknown)”; it may be live, test or preview")
      return byProcess
    }
  }()
}
