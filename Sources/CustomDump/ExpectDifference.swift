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
///   - message: What is added to the issue.
///   - operation: What changes the value. Without one, `changes` must leave the value as it is.
///   - updateExpectingResult: Makes the value before into the value expected after.
///   - fileID: Where the issue is reported; the caller's place, like the parameters after it.
public func expectDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String = "",
  operation: () throws -> Void = {}, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let expectation = Expectation(
    name: "expectDifference", first: "Expected", second: "Actual",
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
///   - message: What is added to the issue.
///   - operation: What changes the value.
///   - updateExpectingResult: Makes the value before into the value expected after.
///   - fileID: Where the issue is reported; the caller's place, like the parameters after it.
public nonisolated(nonsending) func expectDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String = "",
  operation: nonisolated(nonsending) () async throws -> Void, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) async {
  let expectation = Expectation(
    name: "expectDifference", first: "Expected", second: "Actual",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  await expectation.check(expression, operation: operation, changes: updateExpectingResult, message: message)
}
