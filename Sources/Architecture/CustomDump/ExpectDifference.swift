internal import IssueReporting

/// Reports an issue unless an operation changes a value as described, and in no other way.
///
/// ```swift
/// expectDifference(counter) {
///   counter.increment()
/// } changes: {
///   $0.count = 1
/// }
/// ```
///
/// - Parameters:
///   - expression: The value, which is read before and after the operation.
///   - message: A text to begin the issue with.
///   - operation: Changes the value. Without one, `changes` must not change the value.
///   - updateExpectingResult: Changes the previous value to the expected one.
///   - fileID: The location of the issue, with the parameters after it; by default the caller's.
public func expectDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String? = nil,
  operation: () throws -> Void = {}, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let expectation = Expectation(
    name: nil, first: "Expected", second: "Actual",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  expectation.check(expression, operation: operation, changes: updateExpectingResult, message: message)
}

/// Reports an issue unless an asynchronous operation changes a value as described, and in no other way.
///
/// ```swift
/// await expectDifference(model.state) {
///   await model.refresh()
/// } changes: {
///   $0.items = ["new"]
/// }
/// ```
///
/// - Parameters:
///   - expression: The value, which is read before and after the operation.
///   - message: A text to begin the issue with.
///   - operation: Changes the value.
///   - updateExpectingResult: Changes the previous value to the expected one.
///   - fileID: The location of the issue, with the parameters after it; by default the caller's.
public nonisolated(nonsending) func expectDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String? = nil,
  operation: nonisolated(nonsending) () async throws -> Void, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async {
  let expectation = Expectation(
    name: nil, first: "Expected", second: "Actual",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  await expectation.check(expression, operation: operation, changes: updateExpectingResult, message: message)
}
