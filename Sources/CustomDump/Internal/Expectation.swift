internal import IssueReporting

/// An expectation that two values are equal, with its name and theirs for issues.
struct Expectation {
  var name: String
  var first: String
  var second: String
  var location: IssueLocation

  /// Expects two values to be equal.
  func check<T: Equatable>(_ values: () throws -> (T, T), message: () -> String) {
    do {
      let (lhs, rhs) = try values()
      compare(lhs, rhs, message: message())
    } catch {
      fail(with: error)
    }
  }

  /// Expects an operation to change a value as `changes` does.
  func check<T: Equatable>(
    _ value: () throws -> T, operation: () throws -> Void, changes: (inout T) throws -> Void, message: () -> String
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
    changes: (inout T) throws -> Void, message: () -> String
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

  private func compare<T: Equatable>(_ lhs: T, _ rhs: T, message: @autoclosure () -> String) {
    guard lhs != rhs else { return }
    let format = DiffFormat.proportional
    let message = message()
    let ending = message.isEmpty ? "" : " - \(message)"
    guard let difference = diff(lhs, rhs, format: format) else {
      return report("(\"\(lhs)\" is not equal to \"\(rhs)\"), but no difference was detected." + ending)
    }
    report(
      """
      …

      \(difference.indented(by: 2))

      (\(first): \(format.first), \(second): \(format.second))\(ending)
      """)
  }

  private func fail(with error: any Error) {
    report("threw error \"\(error)\"")
  }

  private func report(_ text: String) {
    reportIssue(
      "\(name) failed: \(text)", fileID: location.fileID, filePath: location.filePath, line: location.line,
      column: location.column)
  }
}
