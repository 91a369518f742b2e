internal import IssueReporting

// The names used by tests that were written for XCTest. They do not require XCTest and work under every test framework.

/// Reports an issue with a difference unless two values are equal: XCTest's name for
/// ``expectNoDifference(_:_:_:fileID:filePath:line:column:)``.
public func XCTAssertNoDifference<T: Equatable>(
  _ expression1: @autoclosure () throws -> T, _ expression2: @autoclosure () throws -> T,
  _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let expectation = Expectation(
    name: "XCTAssertNoDifference", first: "First", second: "Second",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  expectation.check({ (try expression1(), try expression2()) }, message: message)
}

/// Reports an issue unless an operation changes a value as described: XCTest's name for `expectDifference`.
public func XCTAssertDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String = "",
  operation: () throws -> Void = {}, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  let expectation = Expectation(
    name: "XCTAssertDifference", first: "Expected", second: "Actual",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  expectation.check(expression, operation: operation, changes: updateExpectingResult, message: message)
}

/// Reports an issue unless an asynchronous operation changes a value as described: XCTest's name for
/// `expectDifference`.
public nonisolated(nonsending) func XCTAssertDifference<T: Equatable>(
  _ expression: @autoclosure () throws -> T, _ message: @autoclosure () -> String = "",
  operation: nonisolated(nonsending) () async throws -> Void, changes updateExpectingResult: (inout T) throws -> Void,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) async {
  let expectation = Expectation(
    name: "XCTAssertDifference", first: "Expected", second: "Actual",
    location: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  await expectation.check(expression, operation: operation, changes: updateExpectingResult, message: message)
}
