internal import ComposableArchitecture

extension TestStore {
  /// Checks a state against what a test makes of the one before.
  func expectState(
    _ actual: State, after previous: State, _ update: ((inout State) throws -> Void)?,
    stackElementIDs: StackElementIDGenerator, mustChange: Bool = true, at location: IssueLocation
  ) {
    do {
      let sharedStateChanged = recorder.tracker.hasChanges
      let expected = try expectedState(from: previous, update, stackElementIDs: stackElementIDs)
      switch exhaustivity {
      case .on:
        if expected != actual {
          reportDifference(expected: expected, actual: actual, isStated: update != nil, at: location)
        } else if let change = unstatedSharedChange {
          if recorder.tracker.assert({ expected != actual }) {
            reportDifference(expected: expected, actual: actual, isStated: update != nil, at: location)
          } else {
            // The feature shares it, but not its state.
            reportDifference(expected: change.old, actual: change.new, isStated: update != nil, at: location)
          }
          recorder.tracker.resetChanges()
        } else if mustChange, update != nil, expected == previous, !sharedStateChanged {
          report(FailureText.noChange, at: location)
        }
      case .off(let showSkippedAssertions):
        // What the test says is laid over what is: fields that it does not mention count as stated.
        let stated = try expectedState(from: actual, update, stackElementIDs: stackElementIDs)
        if stated != actual {
          reportDifference(expected: stated, actual: actual, isStated: update != nil, at: location)
        } else if showSkippedAssertions, expected != actual {
          TestFrameworkReporter.note(
            "Skipped assertions: …\n\n\(FailureText.difference(expected: expected, actual: actual))", at: location)
        }
      }
    } catch {
      report("Threw error: \(error)", at: location)
    }
  }

  private func expectedState(
    from state: State, _ update: ((inout State) throws -> Void)?, stackElementIDs: StackElementIDGenerator
  ) throws -> State {
    guard let update else { return state }
    return try withDependencies {
      $0 = recorder.dependencies
      $0.stackElementID = stackElementIDs.copy()
    } operation: {
      try recorder.tracker.assert {
        var state = state
        try update(&state)
        return state
      }
    }
  }

  /// A change of shared state that the test's closures have not stated. Those of received actions that are still to be
  /// stated have happened already, so it is too early to tell before the last of them.
  private var unstatedSharedChange: SharedChange? {
    recorder.received.isEmpty ? recorder.tracker.changes.first : nil
  }

  private func reportDifference<T>(expected: T, actual: T, isStated: Bool, at location: IssueLocation) {
    let headline =
      isStated
      ? "A state change does not match expectation" : "State was not expected to change, but a change occurred"
    func difference() -> String { FailureText.difference(expected: expected, actual: actual) }
    // In an assertion, what is shared differs too. It is too early for that while received actions are to be stated.
    let text = recorder.received.isEmpty ? recorder.tracker.assert(difference) : difference()
    report("\(headline): …\n\n\(text)", at: location)
  }

  func report(_ message: String, at location: IssueLocation) { run.report(message, at: location) }
}
