internal import ComposableArchitecture

extension TestStore {
  /// Waits until all effects have ended; reports an issue when it takes longer than the timeout.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let timeout = timeout ?? self.timeout
    await settle()
    await wait(until: { core.runningEffectCount == 0 }, timeout: timeout)
    if core.runningEffectCount > 0 {
      report(
        """
        Expected effects to finish, but there are still effects in-flight after \(timeout).

        \(FailureText.effectsInFlight("in question"))
        """, at: location)
    }
    run.assertSharedChangesAreStated(at: location)
  }

  /// Passes over the actions that effects have sent: their changes of the state count as stated.
  ///
  /// - Parameter strict: Whether it is an issue when there are none.
  public func skipReceivedActions(
    strict: Bool = true,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await settle()
    if strict, recorder.received.isEmpty { report("There were no received actions to skip.", at: location) }
    run.passOver(recorder.received.map(\.action), at: location)
    if let last = recorder.received.last { recorder.assertedState = last.state }
    recorder.received = []
  }

  /// Cancels the effects that run, so that the test need not wait for them.
  ///
  /// - Parameter strict: Whether it is an issue when there are none.
  public func skipInFlightEffects(
    strict: Bool = true,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await settle()
    if strict, core.runningEffectCount == 0 { report("There were no in-flight effects to skip.", at: location) }
    core.cancelEffects()
    await settle()
  }
}
