/// A function that no test should come to: it reports its call, with its arguments, and gives a placeholder.
///
/// ```swift
/// static let testValue = NumberFactClient(
///   fetch: unimplemented("NumberFactClient.fetch", placeholder: ""))
/// ```
///
/// Functions of any number of arguments, synchronous or asynchronous, can be had in this way; where the function may
/// throw and a placeholder makes no sense, see ``unimplemented(_:fileID:filePath:function:line:column:)``.
///
/// - Parameters:
///   - description: What was called.
///   - placeholder: What the call gives after it was reported.
public func unimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  placeholder: @autoclosure @escaping @Sendable () -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (argument: repeat each Argument) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    return placeholder()
  }
}

/// A procedure that no test should come to: it reports its call, with its arguments, and does nothing.
@_disfavoredOverload
public func unimplemented<each Argument>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) -> Void {
  unimplemented(
    description(), placeholder: (), fileID: fileID, filePath: filePath, function: function, line: line, column: column)
}

/// A throwing function that no test should come to: it reports its call, with its arguments, and throws an
/// ``UnimplementedFailure``.
///
/// ```swift
/// fetch: unimplemented("NumberFactClient.fetch")   // a (Int) async throws -> String
/// ```
public func unimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) throws -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (argument: repeat each Argument) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    throw UnimplementedFailure(description: description())
  }
}

/// What a throwing function throws that was not implemented.
public struct UnimplementedFailure: Error, CustomStringConvertible {
  /// What was called.
  public let description: String

  /// That something was called which nobody implemented.
  public init(description: String) { self.description = description }
}

private func reportUnimplemented<each Argument>(
  _ description: String, arguments: (repeat each Argument), in function: StaticString, at place: IssueLocation
) {
  var texts: [String] = []
  for argument in repeat each arguments { texts.append(String(reflecting: argument)) }
  reportIssue(
    """
    Unimplemented\(description.isEmpty ? "" : ": \(description)") …

      Defined in “\(function)” at:
        \(place.fileID):\(place.line)
      Called with:
        (\(texts.joined(separator: ", ")))
    """,
    fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}
