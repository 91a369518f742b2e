internal import Synchronization

/// The framework whose test runs, and which test that is.
public enum TestContext: Equatable, Sendable {
  /// Swift Testing.
  case swiftTesting(Testing?)
  /// XCTest.
  case xcTest

  @TaskLocal private static var overridden: Testing?
  private static let currentTestID = Mutex<(@Sendable () -> AnyHashable?)?>(nil)

  /// The current test; nil in a process that runs no tests.
  ///
  /// A test of Swift Testing is known to its tasks only, and only in a process that links
  /// `IssueReportingTestSupport`; elsewhere in a process that runs tests, this is ``xcTest``.
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

  /// Runs an operation as a part of another test.
  public static func withTestID<ID: Hashable & Sendable, R>(_ testID: ID, operation: () throws -> R) rethrows -> R {
    try $overridden.withValue(Testing(id: testID), operation: operation)
  }

  /// Sets how the test of this task is found.
  package static func install(currentTestID find: @escaping @Sendable () -> AnyHashable?) {
    currentTestID.withLock { $0 = find }
  }

  /// A run of Swift Testing.
  public struct Testing: Equatable, Sendable {
    /// The test.
    public let test: Test

    init(id: AnyHashable) {
      test = Test(id: Test.ID(rawValue: id))
    }

    /// A test.
    public struct Test: Hashable, Identifiable, Sendable {
      /// The identity of the test.
      public let id: ID

      /// The identity of a test.
      public struct ID: Hashable, @unchecked Sendable {  // Made of sendable values only.
        /// The framework's identity of the test.
        public let rawValue: AnyHashable
      }
    }
  }
}
