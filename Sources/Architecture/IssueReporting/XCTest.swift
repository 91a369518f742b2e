// The names of XCTestDynamicOverlay. They do not require XCTest, so application code can use them. If XCTest is also
// imported, its own functions are preferred.

/// True if this process runs tests: the earlier name of ``isTesting``.
public let _XCTIsTesting = isTesting

/// Reports an issue: `XCTFail` for code outside test targets.
@_disfavoredOverload
public func XCTFail(
  _ message: String = "", fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column
) {
  reportIssue(message, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// A function that reports its call and returns a placeholder: the earlier name of `unimplemented`.
public func XCTUnimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  placeholder: @autoclosure @escaping @Sendable () -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Result {
  unimplemented(
    description(), placeholder: placeholder(), fileID: fileID, filePath: filePath, function: function, line: line,
    column: column)
}

/// A function that reports its call and returns a generated placeholder: the earlier name of `unimplemented`.
@_disfavoredOverload
public func XCTUnimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Result {
  unimplemented(
    description(), fileID: fileID, filePath: filePath, function: function, line: line, column: column)
}

/// A throwing function that reports its call and throws: the earlier name of `unimplemented`.
public func XCTUnimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) throws -> Result {
  unimplemented(
    description(), fileID: fileID, filePath: filePath, function: function, line: line, column: column)
}

/// The error of an unimplemented throwing function: the earlier name of ``UnimplementedFailure``.
public typealias XCTUnimplementedFailure = UnimplementedFailure
