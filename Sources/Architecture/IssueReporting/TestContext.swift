internal import Synchronization

/// The framework of the current test and, for Swift Testing, the test's identity.
public enum TestContext: Equatable, Sendable {
  /// Swift Testing.
  case swiftTesting(Testing?)
  /// XCTest.
  case xcTest

  @TaskLocal private static var overridden: Testing?
  private static let currentTestID = Mutex<(@Sendable () -> AnyHashable?)?>(nil)

  /// The current test; nil in a process that runs no tests.
  ///
  /// Only the tasks of a test of Swift Testing know that test, and only in a process that links
  /// `IssueReportingTestSupport`. Everywhere else in a process that runs tests, the value is ``xcTest``.
  public static var current: TestContext? {
    guard isTesting else { return nil }
    if let overridden { return .swiftTesting(overridden) }
    let find = currentTestID.withLock { $0 }
    guard let id = find?() else { return .xcTest }
    return .swiftTesting(Testing(id: id))
  }

  /// True for a test of Swift Testing.
  public var isSwiftTesting: Bool {
    if case .swiftTesting = self { true } else { false }
  }

  /// Runs an operation in the context of another test.
  public static func withTestID<ID: Hashable & Sendable, R>(_ testID: ID, operation: () throws -> R) rethrows -> R {
    try $overridden.withValue(Testing(id: testID), operation: operation)
  }

  /// Sets the function that returns the identity of this task's test.
  package static func install(currentTestID find: @escaping @Sendable () -> AnyHashable?) {
    currentTestID.withLock { $0 = find }
  }

  /// The context of a test of Swift Testing.
  public struct Testing: Equatable, Sendable {
    /// The current test.
    public let test: Test

    init(id: AnyHashable) {
      test = Test(id: Test.ID(rawValue: id))
    }

    /// A test.
    public struct Test: Hashable, Identifiable, Sendable {
      /// The identity of the test.
      public let id: ID

      /// The identity of a test.
      ///
      /// Unchecked: an identity is immutable, and the framework's is a value of sendable parts.
      public struct ID: Hashable, @unchecked Sendable {
        /// The framework's identity of the test.
        public let rawValue: AnyHashable
      }
    }
  }
}
