// The forms of `withDependencies` in the first versions.

extension DependencyValues {
  /// Runs an operation with one changed dependency; in later code ``withDependencies(_:operation:)``.
  public static func withValue<Value, Result>(
    _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: @autoclosure () -> Value,
    operation: () throws -> Result
  ) rethrows -> Result {
    try withDependencies({ $0[keyPath: keyPath] = value() }, operation: operation)
  }

  /// Runs an asynchronous operation with one changed dependency; in later code ``withDependencies(_:operation:)``.
  public static func withValue<Value, Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: @autoclosure () -> Value,
    operation: () async throws -> Result
  ) async rethrows -> Result {
    try await withDependencies(isolation: isolation, { $0[keyPath: keyPath] = value() }, operation: operation)
  }

  /// Runs an operation with changed dependencies: the earlier name of ``withDependencies(_:operation:)``.
  public static func withValues<Result>(
    _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result
  ) rethrows -> Result {
    try withDependencies(update, operation: operation)
  }

  /// Runs an asynchronous operation with changed dependencies: the earlier name of ``withDependencies(_:operation:)``.
  public static func withValues<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) async throws -> Void, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await withDependencies(isolation: isolation, update, operation: operation)
  }

  /// Runs a test's assertions with changed dependencies; in later code ``withDependencies(_:operation:)``.
  public static func withTestValues<Result>(
    _ update: (inout DependencyValues) throws -> Void, assert operation: () throws -> Result
  ) rethrows -> Result {
    try withDependencies(update, operation: operation)
  }

  /// Runs a test's asynchronous assertions with changed dependencies; in later code
  /// ``withDependencies(_:operation:)``.
  public static func withTestValues<Result>(
    isolation: isolated (any Actor)? = #isolation,
    _ update: (inout DependencyValues) async throws -> Void, assert operation: () async throws -> Result
  ) async rethrows -> Result {
    try await withDependencies(isolation: isolation, update, operation: operation)
  }
}
