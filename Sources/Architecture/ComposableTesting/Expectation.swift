internal import ComposableArchitecture

/// An action that a test expects to receive.
struct Expectation<Action> {
  let isMatching: (Action) -> Bool
  /// The report when no action was received.
  let nothingReceived: () -> String
  /// The description of another action that was received.
  let unexpected: (Action) -> String

  /// Expects an equal action.
  init(_ action: Action) where Action: Equatable {
    isMatching = { $0 == action }
    nothingReceived = { "Expected to receive the following action, but didn't: …\n\n\(FailureText.dump(action))" }
    unexpected = { FailureText.difference(expected: action, actual: $0, actualName: "Received") }
  }

  /// Expects an action that satisfies a predicate or has a case.
  init(_ what: String, isMatching: @escaping (Action) -> Bool) {
    self.isMatching = isMatching
    nothingReceived = { "Expected to receive an action matching \(what), but didn't get one." }
    unexpected = { FailureText.dump($0) }
  }

  /// Expects an action of a case with a value.
  init<Value: Equatable>(_ path: AnyCasePath<Action, Value>, _ value: Value) {
    isMatching = { path.extract(from: $0) == value }
    nothingReceived = { "Expected to receive an action matching case path, but didn't get one." }
    unexpected = {
      guard path.extract(from: $0) != nil,
        let difference = FailureText.visibleDifference(expected: path.embed(value), actual: $0, indent: 2)
      else { return FailureText.dump($0) }
      return difference
    }
  }
}

extension TestStore {
  /// Receives an action from an effect.
  func receive(
    _ expectation: Expectation<Action>, timeout: Duration?, _ update: ((inout State) throws -> Void)?,
    at location: IssueLocation
  ) async {
    await settle()
    run.assertion(at: location)
    func hasReceived() -> Bool {
      exhaustivity == .on
        ? !recorder.received.isEmpty : recorder.received.contains { expectation.isMatching($0.action) }
    }
    if !hasReceived(), run.hasInFlight() {
      await wait(until: hasReceived, timeout: timeout ?? defaultTimeout)
      if !hasReceived() { reportTimeout(timeout, at: location) }
    }
    guard hasReceived() else { return report(expectation.nothingReceived(), at: location) }

    if exhaustivity != .on,
      let index = recorder.received.firstIndex(where: { expectation.isMatching($0.action) })
    {
      run.noteSkipped(recorder.received[..<index].map(\.action), isList: true, at: location)
      if index > 0 {
        let last = recorder.received[index - 1]
        (recorder.assertedState, recorder.assertedWriteCount) = (last.state, last.writeCount)
      }
      recorder.received.removeFirst(index)
    }
    let received = recorder.received.removeFirst()
    if expectation.isMatching(received.action) {
      expectState(
        received.state, after: recorder.assertedState, update, stackElementIDs: received.stackElementIDs,
        mustChange: received.writeCount == recorder.assertedWriteCount, at: location)
    } else {
      report("Received unexpected action: …\n\n\(expectation.unexpected(received.action))", at: location)
    }
    (recorder.assertedState, recorder.assertedWriteCount) = (received.state, received.writeCount)
    await settle()
  }

  /// - Parameter timeout: The timeout of the assertion; nil for the default.
  private func reportTimeout(_ timeout: Duration?, at location: IssueLocation) {
    let hasOwnTimeout = timeout.map { $0 != defaultTimeout } ?? false
    let what = exhaustivity == .on ? "an action" : "a matching action"
    let isRunning = run.hasInFlight()
    let hint = isRunning ? FailureText.effectsInFlight(hasOwnTimeout: hasOwnTimeout) : FailureText.noEffects
    let after = isRunning ? FailureText.after(timeout ?? defaultTimeout) : ""
    report("Expected to receive \(what), but received none\(after).\n\n\(hint)", at: location)
  }

  /// Waits until a condition holds, no required effect runs, or the timeout passes.
  func wait(until condition: () -> Bool, timeout: Duration) async {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    // The end of an effect is not an action, but the executor sees its last job.
    while !condition(), run.hasInFlight(), ContinuousClock.now < deadline {
      let rest = deadline - ContinuousClock.now
      _ = await race(against: min(rest, .milliseconds(20))) { [recorder] in await recorder.nextChange() }
      recorder.changed()
      await settle()
    }
  }
}
