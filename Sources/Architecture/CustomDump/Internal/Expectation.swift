internal import IssueReporting

/// An expectation that two values are equal, with the names of the values for issues.
struct Expectation {
  /// The name of an assertion of XCTest, which begins its issues; nil for a function of later versions.
  var name: String?
  var first: String
  var second: String
  var location: IssueLocation

  /// Expects two values to be equal.
  func check<T: Equatable>(_ values: () throws -> (T, T), message: () -> String?) {
    do {
      let (lhs, rhs) = try values()
      compare(lhs, rhs, message: message())
    } catch {
      fail(with: error)
    }
  }

  /// Expects an operation to change a value as `changes` does.
  func check<T: Equatable>(
    _ value: () throws -> T, operation: () throws -> Void, changes: (inout T) throws -> Void, message: () -> String?
  ) {
    check(
      {
        var expected = try value()
        try changes(&expected)
        try operation()
        return (expected, try value())
      }, message: message)
  }

  /// Expects an asynchronous operation to change a value as `changes` does.
  nonisolated(nonsending) func check<T: Equatable>(
    _ value: () throws -> T, operation: nonisolated(nonsending) () async throws -> Void,
    changes: (inout T) throws -> Void, message: () -> String?
  ) async {
    do {
      var expected = try value()
      try changes(&expected)
      try await operation()
      compare(expected, try value(), message: message())
    } catch {
      fail(with: error)
    }
  }

  private func compare<T: Equatable>(_ lhs: T, _ rhs: T, message: @autoclosure () -> String?) {
    guard lhs != rhs else { return }
    let format = DiffFormat.proportional
    let message = message() ?? ""
    // XCTest's assertions end with the message; the later functions begin with it.
    let beginning = name.map { "\($0) failed: " } ?? (message.isEmpty ? "" : "\(message) - ")
    let ending = name == nil || message.isEmpty ? "" : " - \(message)"
    guard let difference = diff(lhs, rhs, format: format) else {
      return report("\(beginning)(\"\(lhs)\" is not equal to (\"\(rhs)\"), but no difference was detected.\(ending)")
    }
    report(
      """
      \(beginning)\(name == nil ? "Difference: " : "")…

      \(difference.indented(by: 2))

      (\(first): \(format.first), \(second): \(format.second))\(ending)
      """)
  }

  private func fail(with error: any Error) {
    if let name { return report("\(name) failed: threw error \"\(error)\"") }
    reportIssue(
      error, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }

  private func report(_ text: String) {
    reportIssue(
      text, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }
}
