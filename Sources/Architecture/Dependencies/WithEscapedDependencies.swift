/// Captures the current dependencies for a closure that runs later, outside this task.
///
/// ```swift
/// withEscapedDependencies { dependencies in
///   queue.async { dependencies.yield { … } }
/// }
/// ```
public func withEscapedDependencies<Result>(
  _ operation: (DependencyValues.Continuation) throws -> Result
) rethrows -> Result {
  try operation(DependencyValues.Continuation(values: DependencyValues._current))
}

/// Captures the current dependencies in an asynchronous operation, for a closure that runs later.
public func withEscapedDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: (DependencyValues.Continuation) async throws -> Result
) async rethrows -> Result {
  try await operation(DependencyValues.Continuation(values: DependencyValues._current))
}

extension DependencyValues {
  /// The dependencies at its creation, for use elsewhere.
  public struct Continuation: Sendable {
    let values: DependencyValues

    /// Returns true if nothing is overridden.
    package var isEmpty: Bool { values.isEmpty }

    /// Runs an operation with these dependencies; free of cost if neither they nor the current ones are overridden.
    package func restore(_ operation: () -> Void) {
      guard !values.isEmpty || !DependencyValues._current.isEmpty else { return operation() }
      DependencyValues.$_current.withValue(values, operation: operation)
    }

    /// Runs an operation with these dependencies.
    public func yield<Result>(_ operation: () throws -> Result) rethrows -> Result {
      try DependencyValues.$_current.withValue(values, operation: operation)
    }

    /// Runs an asynchronous operation with these dependencies.
    public func yield<Result>(
      isolation: isolated (any Actor)? = #isolation, _ operation: () async throws -> Result
    ) async rethrows -> Result {
      try await DependencyValues.$_current.withValue(values, operation: operation, isolation: isolation)
    }
  }
}
