internal import ComposableArchitecture

extension TestStore {
  /// Waits until all effects have ended, with a timeout in nanoseconds: `finish(timeout: NSEC_PER_SEC)`.
  public func finish(
    timeout nanoseconds: UInt64,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await finish(
      timeout: .nanoseconds(Int64(clamping: nanoseconds)), fileID: fileID, file: filePath, line: line, column: column)
  }

  /// Waits until all effects have ended. Effects that still run after the timeout are an issue.
  public func finish(
    timeout: Duration? = nil,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    let hasOwnTimeout = timeout.map { $0 != defaultTimeout } ?? false
    let timeout = timeout ?? defaultTimeout
    await settle()
    await wait(until: { false }, timeout: timeout)
    if run.hasInFlight() {
      run.report(
        """
        Expected effects to finish, but there are still effects in-flight\(FailureText.after(timeout)).

        \(FailureText.effectsInFlight(hasOwnTimeout: hasOwnTimeout))
        """, asIn: exhaustivity, at: location)
    }
    run.assertSharedChangesAreStated(at: location)
  }

  /// Skips the actions that effects have sent. Their changes of the state need no assertion.
  ///
  /// - Parameter strict: True if it is an issue that there are none.
  public func skipReceivedActions(
    strict: Bool = true,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await settle()
    if strict, recorder.received.isEmpty { report("There were no received actions to skip.", at: location) }
    skipReceived(isExplicit: true, at: location)
  }

  /// Skips the received actions.
  func skipReceived(isExplicit: Bool, at location: IssueLocation) {
    run.noteSkipped(recorder.received.map(\.action), isExplicit: isExplicit, at: location)
    if let last = recorder.received.last {
      (recorder.assertedState, recorder.assertedWriteCount) = (last.state, last.writeCount)
    }
    recorder.received = []
  }

  /// Stops requiring that the running effects end. They continue, and the actions that they send must be received.
  ///
  /// - Parameter strict: True if it is an issue that there are none.
  public func skipInFlightEffects(
    strict: Bool = true,
    fileID: StaticString = #fileID, file filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let location = IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await settle()
    let actions = run.inFlight().map(\.effect.action)
    guard !actions.isEmpty else {
      if strict { report("There were no in-flight effects to skip.", at: location) }
      return
    }
    run.report(
      """
      \(FailureText.plural(actions.count, "in-flight effect")) \(actions.count == 1 ? "was" : "were") cancelled, \
      originating from:

      \(FailureText.dump(ofAll: actions))
      """, asIn: run.skipping, at: location)
    recorder.inFlight = []
  }
}
