/// Runs an operation that sees changed dependencies, and everything it calls or starts as a child task.
@discardableResult
public func withDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result
) rethrows -> Result {
  var values = DependencyValues.current
  try update(&values)
  return try DependencyValues.$current.withValue(values, operation: operation)
}

/// Runs an asynchronous operation that sees changed dependencies.
@discardableResult
public func withDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) throws -> Void, operation: () async throws -> Result
) async rethrows -> Result {
  var values = DependencyValues.current
  try update(&values)
  return try await DependencyValues.$current.withValue(values, operation: operation, isolation: isolation)
}

/// Carries the current dependencies into a closure that runs later, outside this task.
///
/// ```swift
/// withEscapedDependencies { dependencies in
///   queue.async { dependencies.yield { … } }
/// }
/// ```
public func withEscapedDependencies<Result>(
  _ operation: (EscapedDependencies) throws -> Result
) rethrows -> Result {
  try operation(EscapedDependencies(values: DependencyValues.current))
}

/// The dependencies of the place that made it, for use in another.
public struct EscapedDependencies: Sendable {
  let values: DependencyValues

  /// Whether nothing is overridden.
  package var isEmpty: Bool { values.isEmpty }

  /// Runs an operation with those dependencies.
  public func yield<Result>(_ operation: () throws -> Result) rethrows -> Result {
    try DependencyValues.$current.withValue(values, operation: operation)
  }

  /// Runs an asynchronous operation with those dependencies.
  public func yield<Result>(
    isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
  ) async rethrows -> Result {
    try await DependencyValues.$current.withValue(values, operation: operation, isolation: isolation)
  }
}
