public import ComposableArchitecture

extension TestStore {
  /// Checks that an effect sent an action, and the state after it.
  ///
  /// - Parameters:
  ///   - expectedAction: The action.
  ///   - timeout: The time to wait for an effect that depends on something outside the test.
  ///   - updateStateToExpectedResult: Changes the state before the action to the expected one; nil if nothing changes.
  public func receive(
    _ expectedAction: Action, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: Equatable {
    await receive(
      Expectation(expectedAction), timeout: timeout, updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Checks that an effect sent an action that satisfies a predicate, and the state after it.
  public func receive(
    _ isMatching: (Action) -> Bool, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await withoutActuallyEscaping(isMatching) { isMatching in
      await receive(
        Expectation("predicate", isMatching: isMatching), timeout: timeout, updateStateToExpectedResult,
        at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }
  }

  /// Checks that an effect sent an action of a case, and the state after it: `receive(\.numberFactResponse)`.
  public func receive<Value>(
    _ actionCase: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      AnyCasePath(actionCase), timeout: timeout, assert: updateStateToExpectedResult, fileID: fileID, file: filePath,
      line: line, column: column)
  }

  /// Checks that an effect sent an action of a case with a value: `receive(\.response.success, "…")`.
  public func receive<Value: Equatable>(
    _ actionCase: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: CasePathable {
    await receive(
      Expectation(AnyCasePath(actionCase), value), timeout: timeout, updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Checks that an effect sent an action of a case, by its case path.
  public func receive<Value>(
    _ actionCase: AnyCasePath<Action, Value>, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      Expectation("case path", isMatching: { actionCase.extract(from: $0) != nil }), timeout: timeout,
      updateStateToExpectedResult,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

// MARK: Timeouts in nanoseconds

extension TestStore {
  /// Checks that an effect sent an action, with a timeout in nanoseconds: `receive(.tick, timeout: NSEC_PER_SEC)`.
  public func receive(
    _ expectedAction: Action, timeout nanoseconds: UInt64,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: Equatable {
    await receive(
      expectedAction, timeout: .nanoseconds(Int64(clamping: nanoseconds)), assert: updateStateToExpectedResult,
      fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Checks that an effect sent an action that satisfies a predicate, with a timeout in nanoseconds.
  public func receive(
    _ isMatching: (Action) -> Bool, timeout nanoseconds: UInt64,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      isMatching, timeout: .nanoseconds(Int64(clamping: nanoseconds)), assert: updateStateToExpectedResult,
      fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Checks that an effect sent an action of a case, with a timeout in nanoseconds.
  public func receive<Value>(
    _ actionCase: CaseKeyPath<Action, Value>, timeout nanoseconds: UInt64,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      actionCase, timeout: .nanoseconds(Int64(clamping: nanoseconds)), assert: updateStateToExpectedResult,
      fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Checks that an effect sent an action of a case with a value, with a timeout in nanoseconds.
  public func receive<Value: Equatable>(
    _ actionCase: CaseKeyPath<Action, Value>, _ value: Value, timeout nanoseconds: UInt64,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: CasePathable {
    await receive(
      actionCase, value, timeout: .nanoseconds(Int64(clamping: nanoseconds)), assert: updateStateToExpectedResult,
      fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Checks that an effect sent an action of a case path, with a timeout in nanoseconds.
  public func receive<Value>(
    _ actionCase: AnyCasePath<Action, Value>, timeout nanoseconds: UInt64,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      actionCase, timeout: .nanoseconds(Int64(clamping: nanoseconds)), assert: updateStateToExpectedResult,
      fileID: fileID, file: filePath, line: line, column: column)
  }
}
