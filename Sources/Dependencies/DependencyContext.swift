internal import Glibc

/// Where code runs, which decides the value of a dependency that nobody overrode.
public enum DependencyContext: Sendable, Equatable {
  /// In production.
  case live
  /// Under a test runner.
  case test
  /// In a preview.
  case preview

  /// The context of this process: `STOREHUB_DEPENDENCY_CONTEXT` if it names one, `test` in a test runner's
  /// process, else `live`.
  static let ofProcess: DependencyContext = {
    switch getenv("STOREHUB_DEPENDENCY_CONTEXT").map({ String(cString: $0) }) {
    case "live": return .live
    case "test": return .test
    case "preview": return .preview
    default: break
    }
    // `swift test` runs bundles named `….xctest`, or its own helper that loads them.
    let isTest = CommandLine.arguments.contains {
      $0.hasSuffix(".xctest") || $0 == "--testing-library" || $0.hasSuffix("swiftpm-testing-helper")
    }
    return isTest ? .test : .live
  }()
}
