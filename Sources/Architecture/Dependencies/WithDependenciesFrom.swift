internal import IssueReporting

/// Runs an operation, such as the initialiser of a child model, with the dependencies of an object.
///
/// ```swift
/// func rowTapped(_ row: Row) {
///   detail = withDependencies(from: self) { DetailModel(row: row) }
/// }
/// ```
///
/// An object's dependencies are those at the creation of its first `@Dependency`. An object without one has those of
/// the innermost `withDependencies` that returned it. The current task's overrides are added on top. An object without
/// known dependencies is reported, and the operation then has the current dependencies.
@discardableResult
public func withDependencies<Model: AnyObject, Result>(
  from model: Model, operation: () throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) rethrows -> Result {
  try withDependencies(
    from: model, { _ in }, operation: operation, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Runs an operation with the changed dependencies of an object.
@discardableResult
public func withDependencies<Model: AnyObject, Result>(
  from model: Model, _ update: (inout DependencyValues) throws -> Void, operation: () throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) rethrows -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let inherited = DependencyObjects.valuesOrReport(of: model, at: place)
  return try withDependencies {
    $0 = inherited.merging($0)
    try update(&$0)
  } operation: {
    try operation()
  }
}

/// Runs an asynchronous operation with the dependencies of an object.
@discardableResult
public func withDependencies<Model: AnyObject, Result>(
  isolation: isolated (any Actor)? = #isolation, from model: Model, operation: () async throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async rethrows -> Result {
  try await withDependencies(
    isolation: isolation, from: model, { _ in }, operation: operation,
    fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Runs an asynchronous operation with the changed dependencies of an object.
@discardableResult
public func withDependencies<Model: AnyObject, Result>(
  isolation: isolated (any Actor)? = #isolation,
  from model: Model, _ update: (inout DependencyValues) async throws -> Void, operation: () async throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async rethrows -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  let inherited = DependencyObjects.valuesOrReport(of: model, at: place)
  return try await withDependencies(
    isolation: isolation,
    {
      $0 = inherited.merging($0)
      try await update(&$0)
    }, operation: operation)
}

extension DependencyObjects {
  fileprivate static func valuesOrReport<Model: AnyObject>(
    of model: Model, at place: IssueLocation
  ) -> DependencyValues {
    if let values = values(of: model) { return values }
    reportIssue(
      """
      You are trying to propagate dependencies to a child model from a model with no dependencies. …

        Model:
          \(Model.self)

      To fix, give it an “@Dependency”, or make it in the operation of “withDependencies”.
      """,
      fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
    return .initial
  }
}
