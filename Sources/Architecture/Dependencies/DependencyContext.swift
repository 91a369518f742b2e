internal import Glibc
internal import IssueReporting

/// The context of running code, which determines the value of dependencies without overrides.
public enum DependencyContext: Sendable, Equatable {
  /// In production.
  case live
  /// Under a test runner.
  case test
  /// In a preview.
  case preview

  /// The context of this process: the one named by `SWIFT_DEPENDENCIES_CONTEXT`, otherwise `test` in a test runner's
  /// process, otherwise `live`.
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
