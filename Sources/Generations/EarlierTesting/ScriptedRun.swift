internal import ComposableCore
internal import ConcurrencyExtras
internal import CustomDump
package import FeatureCore
package import IssueReporting
internal import IssueReportingTestSupport

/// The run of a test of an older generation: each action, the state after it, and the assertions made so far.
///
/// It works without suspending: effects that are streams start in the turn of their action.
@MainActor
package final class ScriptedRun<State, Action> {
  private struct Received {
    let action: Action
    let state: State
  }

  private var core: RootCore<State, Action>?
  private var received: [Received] = []
  private var isSending = false
  /// The state after the test's last action, before the actions of its effects.
  private var sentState: State?
  /// The state after the last action that the test sent or received.
  package private(set) var state: State
  /// The source location of the last assertion.
  private var site: IssueLocation
  /// True if unasserted changes and actions are issues.
  package var isExhaustive = true
  /// True if a closure that changes nothing is an issue.
  package var failsWhenNothingChanges: Bool

  package init(
    initialState: State, reducer: CompiledReducer<State, Action>, failsWhenNothingChanges: Bool, at site: IssueLocation
  ) {
    (state, self.site, self.failsWhenNothingChanges) = (initialState, site, failsWhenNothingChanges)
    core = RootCore(
      initialState: initialState,
      reducer: CompiledReducer(
        Reduce { [weak self] state, action in
          let effect = reducer(&state, action)
          let turn = UncheckedSendable((action, state))
          MainActor.assumeIsolated { self?.record(turn.value.0, turn.value.1) }
          return effect
        }))
  }

  private func record(_ action: Action, _ state: State) {
    guard isSending else { return received.append(Received(action: action, state: state)) }
    isSending = false
    sentState = state
  }

  /// True if an effect is running.
  package var isEffectRunning: Bool { (core?.runningEffectCount ?? 0) > 0 }
  package var hasReceived: Bool { !received.isEmpty }
  private var name: String { "State" }

  // MARK: Assertions

  /// Sends an action and compares the resulting state.
  package func send<LocalState: Equatable>(
    _ action: Action, state toLocalState: (State) -> LocalState, _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation
  ) -> TestStoreTask {
    site = location
    if hasReceived {
      let actions = received.map(\.action)
      if isExhaustive {
        report(
          """
          Must handle \(count(actions.count, "received action")) before sending an action. …

          Unhandled actions: \(dump(actions))
          """, at: location)
      }
      skipReceived()
    }
    isSending = true
    sentState = nil
    let task = core?.send(action) ?? StoreTask()
    isSending = false
    let actual = sentState ?? state
    compare(toLocalState(state), toLocalState(actual), update, at: location)
    state = actual
    return TestStoreTask(task)
  }

  /// Compares the next received action and the resulting state.
  package func receive<LocalState: Equatable>(
    matching isMatching: (Action) -> Bool, expected: () -> String, difference: (Action) -> String,
    state toLocalState: (State) -> LocalState, _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation
  ) {
    site = location
    if !isExhaustive, let index = received.firstIndex(where: { isMatching($0.action) }), index > 0 {
      state = received[index - 1].state
      received.removeFirst(index)
    }
    guard hasReceived else {
      return report("Expected to receive an action, but received none.\n\n\(expected())", at: location)
    }
    let next = received.removeFirst()
    if isMatching(next.action) {
      compare(toLocalState(state), toLocalState(next.state), update, at: location)
    } else {
      report("Received unexpected action: …\n\n\(difference(next.action))", at: location)
    }
    state = next.state
  }

  /// Accepts the received actions without asserting them.
  package func skipReceived() {
    if let last = received.last { state = last.state }
    received = []
  }

  /// Ends a script: reports unasserted actions, and reports and cancels running effects.
  package func end(at location: IssueLocation? = nil) {
    let location = location ?? site
    if hasReceived, isExhaustive {
      let actions = received.map(\.action)
      report(
        """
        The store received \(count(actions.count, "unexpected action")) after this one: …

        Unhandled actions: \(dump(actions))
        """, at: location)
    }
    skipReceived()
    guard isEffectRunning else { return }
    if isExhaustive {
      report(
        """
        Some effects are still running. All effects must complete by the end of the assertion. …

        To fix, advance the schedulers that effects use, cancel timers and other long-living effects with \
        "Effect.cancel" in a last action, and send a completion to subjects.
        """, at: location)
    }
    core?.cancelEffects()
  }

  // MARK: Reports

  private func compare<LocalState: Equatable>(
    _ previous: LocalState, _ actual: LocalState, _ update: ((inout LocalState) throws -> Void)?,
    at location: IssueLocation
  ) {
    var expected = isExhaustive ? previous : actual
    do { try update?(&expected) } catch { return report("Threw error: \(error)", at: location) }
    if expected != actual {
      let difference = difference(expected, actual, "Actual")
      report("State change does not match expectation: …\n\n\(difference)", at: location)
    } else if update != nil, isExhaustive, failsWhenNothingChanges, expected == previous {
      report(
        """
        Expected state to change, but no change occurred.

        The trailing closure made no observable modifications to state. If no change to state is expected, omit the \
        trailing closure.
        """, at: location)
    }
  }

  /// Returns the difference of two values, for failure messages.
  package func difference<T>(_ expected: T, _ actual: T, _ actualName: String) -> String {
    let text = diff(expected, actual, format: .proportional).map { "\($0)\n\n(Expected: −, \(actualName): +)" }
    let lines = text ?? "Expected:\n  \(expected)\n\n\(actualName):\n  \(actual)"
    return lines.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.isEmpty || $0.hasPrefix("(") ? String($0) : "    \($0)" }.joined(separator: "\n")
  }

  /// Returns a value as text, for failure messages.
  package func dump(_ value: Any) -> String {
    var text = ""
    customDump(value, to: &text)
    return text
  }

  package func report(_ message: String, at location: IssueLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }

  private func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  // MARK: Waiting, in asynchronous tests

  /// Waits until an action has been received, no effect is running, or the timeout has passed.
  package func waitForAction(timeout: Duration) async {
    await wait(timeout: timeout) { hasReceived }
  }

  /// Waits until no effect is running or the timeout has passed.
  package func waitForEffects(timeout: Duration) async {
    await wait(timeout: timeout) { false }
  }

  private func wait(timeout: Duration, until condition: () -> Bool) async {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    for _ in 0..<10 { await Task.yield() }
    while !condition(), isEffectRunning, ContinuousClock.now < deadline {
      // Effects may depend on other threads.
      try? await Task.sleep(for: .milliseconds(1))
    }
  }
}
