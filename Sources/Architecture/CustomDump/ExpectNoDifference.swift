internal import IssueReporting

/// Reports an issue with a difference unless two values are equal.
///
/// ```swift
/// expectNoDifference(user, other)
/// ```
/// ```text
/// Difference: …
///
///     User(
///       id: 2,
///   −   name: "Blob"
///   +   name: "Blob!"
///     )
///
/// (First: −, Second: +)
/// ```
///
/// - Parameters:
///   - expression1: The first value.
///   - expression2: The second value.
///   - message: A text to begin the issue with.
///   - fileID: The location of the issue, with the parameters after it; by default the caller's.
public func expectNoDifference<T: Equatable>(
  _ expression1: @autoclosure () throws -> T, _ expression2: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let expectation = Expectation(
    name: nil, first: "First", second: "Second",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  expectation.check({ (try expression1(), try expression2()) }, message: message)
}
