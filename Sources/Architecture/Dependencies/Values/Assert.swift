internal import IssueReporting

extension DependencyValues {
  /// Checks a condition in debug builds. In tests, a failure is reported and does not end the process.
  ///
  /// ```swift
  /// @Dependency(\.assert) var assert
  /// assert(state.rows[id: id] != nil, "the row is gone")
  /// ```
  public var assert: any AssertionEffect {
    get { self[AssertKey.self] }
    set { self[AssertKey.self] = newValue }
  }

  /// Asserts that a place is not reached. In tests, reaching it is reported and does not end the process.
  public var assertionFailure: any AssertionFailureEffect {
    get { self[AssertionFailureKey.self] }
    set { self[AssertionFailureKey.self] = newValue }
  }

  /// Checks a condition in all builds. In tests, a failure is reported and does not end the process.
  public var precondition: any AssertionEffect {
    get { self[PreconditionKey.self] }
    set { self[PreconditionKey.self] = newValue }
  }
}

/// The check of a condition that should hold.
public protocol AssertionEffect: Sendable {
  /// Called for each check.
  func callAsFunction(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString, fileID: StaticString, line: UInt)
}

/// The reaction to reaching a place that should not be reached.
public protocol AssertionFailureEffect: Sendable {
  /// Called when the place is reached.
  func callAsFunction(_ message: @autoclosure () -> String, file: StaticString, fileID: StaticString, line: UInt)
}

extension AssertionEffect {
  /// Checks a condition.
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    callAsFunction(condition(), message(), file: file, fileID: fileID, line: line)
  }
}

extension AssertionFailureEffect {
  /// Reports that a place was reached that should not be.
  public func callAsFunction(
    _ message: @autoclosure () -> String = "",
    file: StaticString = #filePath, fileID: StaticString = #fileID, line: UInt = #line
  ) {
    callAsFunction(message(), file: file, fileID: fileID, line: line)
  }
}

private enum AssertKey: DependencyKey {
  static let isReproducible = true
  static let liveValue: any AssertionEffect = LiveAssert()
  static let testValue: any AssertionEffect = ReportingAssert()
}

private enum AssertionFailureKey: DependencyKey {
  static let isReproducible = true
  static let liveValue: any AssertionFailureEffect = LiveAssert()
  static let testValue: any AssertionFailureEffect = ReportingAssert()
}

private enum PreconditionKey: DependencyKey {
  static let isReproducible = true
  static let liveValue: any AssertionEffect = LivePrecondition()
  static let testValue: any AssertionEffect = ReportingAssert()
}

private struct LiveAssert: AssertionEffect, AssertionFailureEffect {
  func callAsFunction(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString, fileID: StaticString, line: UInt
  ) {
    Swift.assert(condition(), message(), file: file, line: line)
  }

  func callAsFunction(_ message: @autoclosure () -> String, file: StaticString, fileID: StaticString, line: UInt) {
    Swift.assertionFailure(message(), file: file, line: line)
  }
}

private struct LivePrecondition: AssertionEffect {
  func callAsFunction(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString, fileID: StaticString, line: UInt
  ) {
    Swift.precondition(condition(), message(), file: file, line: line)
  }
}

private struct ReportingAssert: AssertionEffect, AssertionFailureEffect {
  func callAsFunction(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString, fileID: StaticString, line: UInt
  ) {
    guard !condition() else { return }
    callAsFunction(message(), file: file, fileID: fileID, line: line)
  }

  func callAsFunction(_ message: @autoclosure () -> String, file: StaticString, fileID: StaticString, line: UInt) {
    let message = message()
    reportIssue(message.isEmpty ? "Assertion failed" : message, fileID: fileID, filePath: file, line: line)
  }
}
