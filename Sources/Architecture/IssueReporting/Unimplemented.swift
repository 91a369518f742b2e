/// A function that no test should call: it reports its call, with its arguments, and returns a placeholder.
///
/// ```swift
/// static let testValue = NumberFactClient(
///   fetch: unimplemented("NumberFactClient.fetch", placeholder: ""))
/// ```
///
/// The function may have any number of arguments and may be asynchronous. For a throwing function without a sensible
/// placeholder there is a form without one.
///
/// - Parameters:
///   - description: The name of the function.
///   - placeholder: The result of a call, after the report.
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

/// A value that no test should read: it reports its use and returns a placeholder.
///
/// ```swift
/// static var testValue: Settings { unimplemented("Settings", placeholder: .default) }
/// ```
///
/// - Parameters:
///   - description: The name of the value.
///   - placeholder: The value to return after the report.
public func unimplemented<Result>(
  _ description: @autoclosure () -> String = "", placeholder: @autoclosure () -> Result,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  reportUnimplemented(description(), in: function, at: place)
  return placeholder()
}

/// A throwing function that no test should call: it reports its call, with its arguments, and throws an
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

/// An asynchronous, throwing function that no test should call: it reports its call, with its arguments, and throws an
/// ``UnimplementedFailure``.
public func unimplemented<each Argument, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) async throws -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (argument: repeat each Argument) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    throw UnimplementedFailure(description: description())
  }
}

/// A throwing function that no test should call: it reports its call, with its arguments, and throws an error.
///
/// ```swift
/// fetch: unimplemented("NumberFactClient.fetch", throwing: Offline())   // a (Int) throws(Offline) -> String
/// ```
///
/// - Parameters:
///   - description: The name of the function.
///   - failure: The error to throw after the report.
public func unimplemented<each Argument, Failure: Error, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  throwing failure: @autoclosure @escaping @Sendable () -> Failure,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) throws(Failure) -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (argument: repeat each Argument) throws(Failure) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    throw failure()
  }
}

/// An asynchronous, throwing function that no test should call: it reports its call, with its arguments, and throws an
/// error.
///
/// - Parameters:
///   - description: The name of the function.
///   - failure: The error to throw after the report.
public func unimplemented<each Argument, Failure: Error, Result>(
  _ description: @autoclosure @escaping @Sendable () -> String = "",
  throwing failure: @autoclosure @escaping @Sendable () -> Failure,
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, function: StaticString = #function,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) async throws(Failure) -> Result {
  let place = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  return { (argument: repeat each Argument) async throws(Failure) in
    reportUnimplemented(description(), arguments: (repeat each argument), in: function, at: place)
    throw failure()
  }
}

/// The error of an unimplemented throwing function.
public struct UnimplementedFailure: Error, CustomStringConvertible {
  /// The name of the function.
  public let description: String

  /// Creates the error of a function.
  public init(description: String) { self.description = description }
}

/// Reports the call of an unimplemented function.
func reportUnimplemented<each Argument>(
  _ description: String, arguments: (repeat each Argument), in function: StaticString, at place: IssueLocation
) {
  var texts: [String] = []
  for argument in repeat each arguments { texts.append(String(reflecting: argument)) }
  reportUnimplemented(
    description, in: function, at: place, details: "\n  Called with:\n    (\(texts.joined(separator: ", ")))")
}

/// Reports the use of an unimplemented value.
func reportUnimplemented(
  _ description: String, in function: StaticString, at place: IssueLocation, details: String = ""
) {
  reportIssue(
    """
    Unimplemented\(description.isEmpty ? "" : ": \(description)") …

      Defined in “\(function)” at:
        \(place.fileID):\(place.line)\(details)
    """,
    fileID: place.fileID, filePath: place.filePath, line: place.line, column: place.column)
}
