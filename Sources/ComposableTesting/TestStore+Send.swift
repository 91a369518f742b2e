public import ComposableArchitecture

extension TestStore {
  /// Sends an action, and checks the state after it.
  ///
  /// - Parameters:
  ///   - action: The action, as a person or a view would send it.
  ///   - updateStateToExpectedResult: Makes of the state before what it should be; nil when nothing should change.
  /// - Returns: What the action set going, to wait for or to cancel.
  @discardableResult
  public func send(
    _ action: Action, assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await settle()
    skipReceived(before: action, at: location)

    let stackElementIDs = dependencies.stackElementID.copy()
    recorder.willSend()
    let task = core.send(action)
    if core.isRunning(send: core.lastSend) { run.sends[core.lastSend] = (action, location) }
    if let sentState = recorder.sentState {
      expectState(
        sentState, after: recorder.assertedState, updateStateToExpectedResult, stackElementIDs: stackElementIDs,
        at: location)
      recorder.assertedState = sentState
    }
    await settle()
    return TestStoreTask(task: task, timeout: timeout) { [executor, core] in
      await executor.settle { core.runningEffectCount > 0 }
    }
  }

  /// Sends an action without values by its case: `send(\.view.incrementButtonTapped)`.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(()), assert: updateStateToExpectedResult, fileID: fileID, file: filePath, line: line,
      column: column)
  }

  /// Sends an action by its case, with its value: `send(\.child.nameChanged, "Blob")`.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value), assert: updateStateToExpectedResult, fileID: fileID, file: filePath,
      line: line, column: column)
  }

  /// Checks the state, without an action.
  public func assert(
    _ updateStateToExpectedResult: @escaping (inout State) throws -> Void,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    expectState(
      recorder.assertedState, after: recorder.assertedState, updateStateToExpectedResult,
      stackElementIDs: dependencies.stackElementID.copy(), mustChange: false,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Complains of received actions that the test has not stated, or passes over them.
  private func skipReceived(before action: Action, at location: IssueLocation) {
    guard !recorder.received.isEmpty else { return }
    let actions = recorder.received.map(\.action)
    switch exhaustivity {
    case .on:
      report(
        """
        Must handle \(FailureText.plural(actions.count, "received action")) before sending an action: …

        Unhandled actions: \(FailureText.dump(actions).trimmingPrefix(while: \.isWhitespace))
        """, at: location)
    case .off: run.passOver(actions, at: location)
    }
    if let last = recorder.received.last { recorder.assertedState = last.state }
    recorder.received = []
  }
}
