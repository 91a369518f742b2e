/// Runs an operation with changed dependencies, which also apply to its calls and child tasks.
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
  let values = try DependencyValues._current.updated(by: update)
  let moment = DependencyObjects.moment()
  let result = try DependencyValues.$_current.withValue(values, operation: operation)
  DependencyObjects.remember(values, of: result, since: moment)
  return result
}

/// Runs an asynchronous operation with changed dependencies.
@discardableResult
public func withDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) async throws -> Void, operation: () async throws -> Result
) async rethrows -> Result {
  var values = DependencyValues._current
  try await DependencyValues.$phase.withValue(
    .overriding, operation: { try await update(&values) }, isolation: isolation)
  let moment = DependencyObjects.moment()
  let result = try await DependencyValues.$_current.withValue(values, operation: operation, isolation: isolation)
  DependencyObjects.remember(values, of: result, since: moment)
  return result
}

extension DependencyValues {
  /// These values changed by `update`, which may read the values that it overrides without a report.
  func updated(by update: (inout DependencyValues) throws -> Void) rethrows -> DependencyValues {
    var values = self
    try DependencyValues.$phase.withValue(.overriding) { try update(&values) }
    return values
  }
}
