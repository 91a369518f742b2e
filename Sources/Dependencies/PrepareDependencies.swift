/// Sets dependencies for the whole process, once, before anyone reads them: at the start of a program.
///
/// ```swift
/// @main struct Tool {
///   static func main() async throws {
///     try prepareDependencies { $0.database = try Database(at: path) }
///     …
/// ```
///
/// A dependency that was read or prepared before keeps its value, and the attempt is reported. In a test the values
/// hold for that test. Setting `context` here changes the context of every dependency that nobody overrides.
public func prepareDependencies<Result>(
  _ update: (inout DependencyValues) throws -> Result
) rethrows -> Result {
  var values = DependencyValues()
  return try DependencyValues.$phase.withValue(.preparing(Preparation())) { try update(&values) }
}
