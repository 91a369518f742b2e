internal import IssueReporting

/// Changes the value inside an optional, or reports that it is nil.
///
/// ```swift
/// await store.send(.destination(.presented(.edit(.nameChanged("Blob"))))) {
///   XCTModify(&$0.edit) { $0.name = "Blob" }
/// }
/// ```
///
/// Also reports errors that `body` throws, and changes without effect on an equatable value, except in an assertion of
/// a test store that is not exhaustive.
public func XCTModify<Wrapped>(
  _ optional: inout Wrapped?, _ message: @autoclosure () -> String = "", _ body: (inout Wrapped) throws -> Void,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  guard var value = optional else {
    return report("expected non-nil value of type \(Wrapped.self)", message(), at: place)
  }
  change(&value, message, body, at: place)
  optional = value
}

/// Changes the payload of an enum's case, or reports that the value is of another case.
///
/// ```swift
/// await store.send(.destination(.presented(.edit(.nameChanged("Blob"))))) {
///   XCTModify(&$0.destination, case: \.edit) { $0.name = "Blob" }
/// }
/// ```
public func XCTModify<Enum: CasePathable, Value>(
  _ enum: inout Enum, case keyPath: CaseKeyPath<Enum, Value>, _ message: @autoclosure () -> String = "",
  _ body: (inout Value) throws -> Void,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  XCTModify(
    &`enum`, case: AnyCasePath(keyPath), message(), body, fileID: fileID, file: filePath, line: line, column: column)
}

/// Changes the payload of a case that a case path names, or reports that the value is of another case.
public func XCTModify<Enum, Value>(
  _ enum: inout Enum, case casePath: AnyCasePath<Enum, Value>, _ message: @autoclosure () -> String = "",
  _ body: (inout Value) throws -> Void,
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  guard var value = casePath.extract(from: `enum`) else {
    return report("expected to extract value of type \(Value.self) from \(`enum`)", message(), at: place)
  }
  change(&value, message, body, at: place)
  `enum` = casePath.embed(value)
}

/// The payload of an enum's case.
///
/// - Throws: ``CaseUnwrapFailure``, after a report, if the value is of another case.
public func XCTUnwrap<Enum: CasePathable, Value>(
  _ enum: Enum, case keyPath: CaseKeyPath<Enum, Value>, _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) throws -> Value {
  try XCTUnwrap(
    `enum`, case: AnyCasePath(keyPath), message(), fileID: fileID, file: filePath, line: line, column: column)
}

/// The payload of a case that a case path names.
///
/// - Throws: ``CaseUnwrapFailure``, after a report, if the value is of another case.
public func XCTUnwrap<Enum, Value>(
  _ enum: Enum, case casePath: AnyCasePath<Enum, Value>, _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) throws -> Value {
  try XCTUnwrap(
    `enum`, case: casePath.extract(from:), message(), fileID: fileID, file: filePath, line: line, column: column)
}

/// The payload of an enum's case that a function extracts.
///
/// ```swift
/// let count = try XCTUnwrap(store.state.destination, case: { $0.counter })
/// ```
///
/// - Throws: ``CaseUnwrapFailure``, after a report, if the function returns nil.
@_disfavoredOverload
public func XCTUnwrap<Enum, Value>(
  _ enum: @autoclosure () throws -> Enum, case extract: (Enum) -> Value?, _ message: @autoclosure () -> String = "",
  fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) throws -> Value {
  let `enum` = try `enum`()
  if let value = extract(`enum`) { return value }
  let message = message()
  reportIssue(
    "XCTUnwrap failed: expected to extract value of type \(Value.self) from \(`enum`)"
      + (message.isEmpty ? "" : " - \(message)"),
    fileID: fileID, filePath: filePath, line: line, column: column)
  throw CaseUnwrapFailure()
}

/// The error for a value of another case than the required one.
public struct CaseUnwrapFailure: Error {}

private func change<Value>(
  _ value: inout Value, _ message: () -> String, _ body: (inout Value) throws -> Void, at place: IssueLocation
) {
  let before = value
  do {
    try body(&value)
  } catch {
    return report("threw error \"\(error)\"", message(), at: place)
  }
  func isUnchanged<V: Equatable>(_ before: V) -> Bool { before == value as? V }
  if XCTModifyLocals.isExhaustive, let before = before as? any Equatable, isUnchanged(before) {
    report("expected value of type \(Value.self) to be modified, but it was unchanged", message(), at: place)
  }
}

private func report(_ text: String, _ message: String, at place: IssueLocation) {
  reportIssue(
    "XCTModify failed: \(text)" + (message.isEmpty ? "" : " - \(message)"),
    fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}
