/// Runs an operation that sees changed dependencies, and everything it calls or starts as a child task.
///
/// ```swift
/// let model = withDependencies {
///   $0.date = .constant(Date(timeIntervalSince1970: 0))
///   $0.numberFact.fetch = { "\($0) is a good number" }
/// } operation: {
///   CounterModel()
/// }
/// ```
@discardableResult
public func withDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result
) rethrows -> Result {
  let values = try DependencyValues.current.updated(by: update)
  let result = try DependencyValues.$current.withValue(values, operation: operation)
  DependencyObjects.remember(values, of: result)
  return result
}

/// Runs an asynchronous operation that sees changed dependencies.
@discardableResult
public func withDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) throws -> Void, operation: () async throws -> Result
) async rethrows -> Result {
  let values = try DependencyValues.current.updated(by: update)
  let result = try await DependencyValues.$current.withValue(values, operation: operation, isolation: isolation)
  DependencyObjects.remember(values, of: result)
  return result
}

extension DependencyValues {
  /// These values as `update` changes them, which may read what it overrides without a report.
  func updated(by update: (inout DependencyValues) throws -> Void) rethrows -> DependencyValues {
    var values = self
    try DependencyValues.$phase.withValue(.overriding) { try update(&values) }
    return values
  }
}
