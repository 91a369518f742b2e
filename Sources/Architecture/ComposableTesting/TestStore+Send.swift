public import ComposableArchitecture

extension TestStore {
  /// Sends an action and checks the state after it.
  ///
  /// - Parameters:
  ///   - action: The action, as a user or a view would send it.
  ///   - updateStateToExpectedResult: Changes the state before the action to the expected one; nil if nothing changes.
  /// - Returns: The effects of the action, to wait for or to cancel.
  @discardableResult
  public func send(
    _ action: Action, assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      action, updateStateToExpectedResult, expectedRefusal: nil,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Sends an action, and expects that it is refused for a reason, or that it is not.
  @discardableResult
  func send(
    _ action: Action, _ updateStateToExpectedResult: ((inout State) throws -> Void)?, expectedRefusal: String?,
    at location: IssueLocation
  ) async -> TestStoreTask {
    guard !isDismissed else {
      report("Can't send action to dismissed test store.", at: location)
      return TestStoreTask(task: StoreTask(), timeout: defaultTimeout) {}
    }
    await settle()
    skipReceived(before: action, at: location)

    let stackElementIDs = dependencies.stackElementID.copy()
    let receivedCount = recorder.received.count
    recorder.willSend()
    // Issues of the feature are those of the line that made it act. Its effects inherit the place.
    let task = withIssueContext(
      fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column
    ) { core.send(action) }
    run.assertion(at: location)
    if core.lastRefusal != nil { recorder.forgetSent(receivedCount: receivedCount) }
    expect(core.lastRefusal, expectedRefusal, of: action, at: location)
    if core.isRunning(send: core.lastSend) { run.sends[core.lastSend] = location }
    if let sentState = recorder.sentState {
      expectState(
        sentState, after: recorder.assertedState, updateStateToExpectedResult, stackElementIDs: stackElementIDs,
        mustChange: recorder.sentWriteCount == recorder.assertedWriteCount, at: location)
      (recorder.assertedState, recorder.assertedWriteCount) = (sentState, recorder.sentWriteCount)
    }
    await settle()
    return TestStoreTask(task: task, timeout: defaultTimeout) { [executor, core] in
      await executor.settle { core.runningEffectCount > 0 }
    }
  }

  /// Sends an action without a payload by its case: `send(\.view.incrementButtonTapped)`.
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

  /// Sends an action by its case, with its payload: `send(\.child.nameChanged, "Blob")`.
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

  /// Checks the state without sending an action.
  public func assert(
    _ updateStateToExpectedResult: @escaping (inout State) throws -> Void,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    expectState(
      recorder.assertedState, after: recorder.assertedState, updateStateToExpectedResult,
      stackElementIDs: dependencies.stackElementID.copy(), mustChange: false,
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    // The assertion also covers the changes that effects have made without an action.
    if recorder.received.isEmpty { recorder.assertedWriteCount = recorder.tracker.writeCount }
  }

  /// Reports actions that effects sent and the test has not received. A test that is not exhaustive skips them.
  private func skipReceived(before action: Action, at location: IssueLocation) {
    guard !recorder.received.isEmpty else { return }
    let actions = recorder.received.map(\.action)
    run.report(
      """
      Must handle \(FailureText.plural(actions.count, "received action")) before sending an action: …

      Unhandled actions: \(FailureText.dump(actions, indent: 0))
      """, asIn: exhaustivity, at: location)
    // An exhaustive test can still receive them.
    if exhaustivity != .on { skipReceived(isExplicit: false, at: location) }
  }
}
