internal import ConcurrencyExtras
public import Testing

/// Runs a test, or each test of a suite, within `withMainSerialExecutor`.
///
/// ```swift
/// @Suite(.mainSerialExecutor) struct ModelTests { … }
/// ```
///
/// All tasks of the process without an executor of their own then run serially on the main actor, including those of
/// tests that run at the same time. A test store does not need it: its effects take turns on the main thread anyway.
public struct _MainSerialExecutorTrait: TestTrait, SuiteTrait, TestScoping {
  /// A suite's trait applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test while all tasks run serially.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withMainSerialExecutor { try await function() }
  }
}

extension Trait where Self == _MainSerialExecutorTrait {
  /// Runs tests while all tasks run serially on the main actor.
  public static var mainSerialExecutor: Self { Self() }
}
