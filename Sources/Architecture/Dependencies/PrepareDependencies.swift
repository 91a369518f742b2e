internal import IssueReporting

/// Sets dependencies for the whole process, once, at the start of a program before any are read.
///
/// ```swift
/// @main struct Tool {
///   static func main() async throws {
///     try prepareDependencies { $0.database = try Database(at: path) }
///     …
/// ```
///
/// A dependency that was already read or prepared keeps its value, and the attempt is reported, except in previews. In
/// a test, the values apply to that test. Setting `context` changes the context of all dependencies without overrides.
public func prepareDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) rethrows -> Result {
  var values = DependencyValues._current.forPreparation
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try DependencyValues.$access.withValue(DependencyAccess(place: place)) {
    try DependencyValues.$phase.withValue(.preparing(Preparation())) { try update(&values) }
  }
}

/// Sets dependencies for the whole process from an asynchronous closure.
public func prepareDependencies<Result>(
  isolation: isolated (any Actor)? = #isolation,
  _ update: (inout DependencyValues) async throws -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async rethrows -> Result {
  var values = DependencyValues._current.forPreparation
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return try await DependencyValues.$access.withValue(
    DependencyAccess(place: place),
    operation: {
      try await DependencyValues.$phase.withValue(
        .preparing(Preparation()), operation: { try await update(&values) }, isolation: isolation)
    }, isolation: isolation)
}
