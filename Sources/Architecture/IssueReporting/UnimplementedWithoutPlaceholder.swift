// The forms of earlier versions, which generate placeholders. The parameter `file` makes the functions here less specific
// than those that throw, and the value is disfavoured, so that the compiler chooses them last.

/// A function that no test should call: it reports its call, with its arguments, and returns a generated placeholder.
///
/// ```swift
/// var isOn: () -> Bool = unimplemented("isOn")   // false, after the report
/// ```
///
/// A placeholder is nil, an empty, zero or false value, or the first case of a `CaseIterable` type. A call whose result
/// has no such value stops the program; pass a placeholder to `unimplemented(_:placeholder:)` in this case.
///
/// - Parameters:
///   - description: The name of the function.
///   - file: The file's path, if it differs from `filePath`.
public func unimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "", file: StaticString? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Result {
  let place = IssueLocation(fileID: fileID, filePath: file ?? filePath, line: line, column: column)
  return { (argument: repeat each Argument) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    return requirePlaceholder(for: description(), at: place)
  }
}

/// An asynchronous function that no test should call: it reports its call, with its arguments, and returns a generated
/// placeholder.
///
/// - Parameters:
///   - description: The name of the function.
///   - file: The file's path, if it differs from `filePath`.
public func unimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "", file: StaticString? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) async -> Result {
  let place = IssueLocation(fileID: fileID, filePath: file ?? filePath, line: line, column: column)
  return { (argument: repeat each Argument) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    return requirePlaceholder(for: description(), at: place)
  }
}

/// A value that no test should read: it reports its use and returns a generated placeholder.
///
/// Without a placeholder for its type, the program stops; pass one to `unimplemented(_:placeholder:)` in this case.
///
/// - Parameters:
///   - description: The name of the value.
///   - file: The file's path, if it differs from `filePath`.
@_disfavoredOverload
public func unimplemented<Result>(
  _ description: @autoclosure () -> String = "", file: StaticString? = nil,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> Result {
  let description = description()
  let place = IssueLocation(fileID: fileID, filePath: file ?? filePath, line: line, column: column)
  reportUnimplemented(description, in: function, at: place)
  return requirePlaceholder(for: description, at: place)
}

/// Returns a generated placeholder; without one, stops the program.
private func requirePlaceholder<Value>(for description: String, at place: IssueLocation) -> Value {
  if let value: Value = generatePlaceholder() { return value }
  fatalError(
    """
    unimplemented(\(description.debugDescription)) needs a value to continue, and none can be generated for \
    \(Value.self). Pass one: unimplemented(…, placeholder: …)
    """, file: place.filePath, line: place.line)
}
