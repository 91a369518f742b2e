public import ComposableArchitecture

extension TestStore {
  /// Checks that an effect sent an action, and the state after it.
  ///
  /// - Parameters:
  ///   - expectedAction: The action.
  ///   - timeout: How long to wait, if the effect depends on something outside the test.
  ///   - updateStateToExpectedResult: Makes of the state before what it should be; nil when nothing should change.
  public func receive(
    _ expectedAction: Action, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: Equatable {
    await receive(
      matching: { $0 == expectedAction }, described: FailureText.dump(expectedAction), timeout: timeout,
      updateStateToExpectedResult,
      unexpected: { FailureText.difference(expected: expectedAction, actual: $0, actualName: "Received") },
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Checks that an effect sent an action that a closure approves of, and the state after it.
  public func receive(
    _ isMatching: (Action) -> Bool, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      matching: isMatching, described: nil, timeout: timeout, updateStateToExpectedResult,
      unexpected: { FailureText.dump($0) },
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Checks that an effect sent an action of a case: `receive(\.numberFactResponse)`.
  public func receive<Value>(
    _ actionCase: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: CasePathable {
    await receive(
      AnyCasePath(actionCase), timeout: timeout, assert: updateStateToExpectedResult, fileID: fileID, file: filePath,
      line: line, column: column)
  }

  /// Checks that an effect sent an action of a case, with a value: `receive(\.response.success, "…")`.
  public func receive<Value: Equatable>(
    _ actionCase: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: CasePathable {
    let path = AnyCasePath(actionCase)
    await receive(
      matching: { path.extract(from: $0) == value }, described: FailureText.dump(path.embed(value)),
      timeout: timeout, updateStateToExpectedResult,
      unexpected: { action in
        path.extract(from: action).map {
          FailureText.difference(expected: value, actual: $0, actualName: "Received")
        } ?? FailureText.dump(action)
      }, at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Checks that an effect sent an action of a case, by its case path.
  public func receive<Value>(
    _ actionCase: AnyCasePath<Action, Value>, timeout: Duration? = nil,
    assert updateStateToExpectedResult: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      matching: { actionCase.extract(from: $0) != nil }, described: nil, timeout: timeout,
      updateStateToExpectedResult, unexpected: { FailureText.dump($0) },
      at: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  private func receive(
    matching isMatching: (Action) -> Bool, described description: String?, timeout: Duration?,
    _ update: ((inout State) throws -> Void)?, unexpected: (Action) -> String, at location: IssueLocation
  ) async {
    await settle()
    let timeout = timeout ?? self.timeout
    func isThere() -> Bool {
      exhaustivity == .on ? !recorder.received.isEmpty : recorder.received.contains { isMatching($0.action) }
    }
    await wait(until: isThere, timeout: timeout)
    guard isThere() else { return reportNothingReceived(description, after: timeout, at: location) }

    if exhaustivity != .on, let index = recorder.received.firstIndex(where: { isMatching($0.action) }) {
      run.passOver(recorder.received[..<index].map(\.action), at: location)
      if index > 0 { recorder.assertedState = recorder.received[index - 1].state }
      recorder.received.removeFirst(index)
    }
    let received = recorder.received.removeFirst()
    if !isMatching(received.action) {
      report("Received unexpected action: …\n\n\(unexpected(received.action))", at: location)
    } else {
      expectState(
        received.state, after: recorder.assertedState, update, stackElementIDs: received.stackElementIDs,
        at: location)
    }
    recorder.assertedState = received.state
    await settle()
  }

  private func reportNothingReceived(_ description: String?, after timeout: Duration, at location: IssueLocation) {
    let what = exhaustivity == .on || recorder.received.isEmpty ? "an action" : "a matching action"
    let expected = description.map { "\n\nExpected action: …\n\n\($0)" } ?? ""
    let hint =
      core.runningEffectCount == 0 ? FailureText.noEffects : FailureText.effectsInFlight("that delivers this action")
    let after = core.runningEffectCount == 0 ? "" : " after \(timeout)"
    report("Expected to receive \(what), but received none\(after).\n\n\(hint)\(expected)", at: location)
  }

  /// Waits until a condition holds, or no effect runs that could make it so, or the time is over.
  func wait(until condition: () -> Bool, timeout: Duration) async {
    guard !condition(), core.runningEffectCount > 0 else { return }
    let deadline = ContinuousClock.now.advanced(by: timeout)
    // Effects that end tell nobody by an action; their last piece of work is seen by the executor.
    while !condition(), core.runningEffectCount > 0, ContinuousClock.now < deadline {
      let rest = deadline - ContinuousClock.now
      _ = await race(against: min(rest, .milliseconds(20))) { [recorder] in await recorder.nextChange() }
      recorder.changed()
      await settle()
    }
  }
}
