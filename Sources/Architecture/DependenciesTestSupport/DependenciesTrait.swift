internal import ConcurrencyExtras
public import Dependencies
public import Testing

/// Overrides dependencies for a test or for all tests of a suite, and gives each run of a test its own values.
///
/// ```swift
/// @Suite(.dependency(\.continuousClock, ImmediateClock()))
/// struct CounterTests {
///   @Test(.dependencies { $0.uuid = .incrementing }) func adding() { … }
/// }
/// ```
///
/// Inner and later traits take precedence.
public struct DependenciesTrait: TestTrait, SuiteTrait, TestScoping {
  private let update: @Sendable (inout DependencyValues) async throws -> Void

  fileprivate init(_ update: @escaping @Sendable (inout DependencyValues) async throws -> Void) {
    self.update = update
  }

  /// A suite's trait applies to each of its tests.
  public var isRecursive: Bool { true }

  /// Runs a test with the overrides.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await CurrentTest.$scope.withValue(CurrentTest.scope ?? AnyHashableSendable(Run())) {
      let values = try await updated(DependencyValues._current)
      try await DependencyValues.$_current.withValue(values) { try await function() }
    }
  }

  private func updated(_ values: DependencyValues) async throws -> DependencyValues {
    try await DependencyValues.$phase.withValue(.overriding) {
      var values = values
      try await update(&values)
      return values
    }
  }
}

/// One run of one case of a test.
private final class Run: Hashable, Sendable {
  static func == (lhs: Run, rhs: Run) -> Bool { lhs === rhs }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Trait where Self == DependenciesTrait {
  /// Gives each run of a test its own values of dependencies, even if cases of one test run concurrently.
  public static var dependencies: Self { DependenciesTrait { _ in } }

  /// Overrides one dependency.
  ///
  /// ```swift
  /// @Test(.dependency(\.continuousClock, ImmediateClock())) func ticking() async { … }
  /// ```
  ///
  /// The value is created again for each run of a test.
  public static func dependency<Value>(
    _ keyPath: any WritableKeyPath<DependencyValues, Value> & Sendable,
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self {
    DependenciesTrait { $0[keyPath: keyPath] = try value() }
  }

  /// Overrides a dependency whose key is the type of its value: `.dependency(NumberFactClient.constant("…"))`.
  public static func dependency<Value: TestDependencyKey>(
    _ value: @autoclosure @escaping @Sendable () throws -> Value
  ) -> Self where Value == Value.Value {
    DependenciesTrait { $0[Value.self] = try value() }
  }

  /// Overrides dependencies.
  ///
  /// ```swift
  /// @Test(.dependencies { $0.uuid = .incrementing }) func adding() { … }
  /// ```
  public static func dependencies(
    _ update: @escaping @Sendable (inout DependencyValues) async throws -> Void
  ) -> Self {
    DependenciesTrait(update)
  }
}
