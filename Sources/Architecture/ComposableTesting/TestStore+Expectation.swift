internal import CasePaths
internal import ComposableArchitecture
internal import Dependencies
internal import IssueReportingTestSupport

extension TestStore {
  /// Compares a state with the one that a test expects, given the previous state.
  ///
  /// - Parameter mustChange: True if a closure that changes nothing is an issue: not if the feature has changed a shared
  ///   value, even to an equal one, because a test states each change.
  func expectState(
    _ actual: State, after previous: State, _ update: ((inout State) throws -> Void)?,
    stackElementIDs: StackElementIDGenerator, mustChange: Bool, at location: IssueLocation
  ) {
    do {
      switch exhaustivity {
      case .on:
        let sharedStateChanged = recorder.tracker.hasChanges
        let expected = try expectedState(from: previous, update, stackElementIDs: stackElementIDs)
        if !comparing(at: location, { expected == actual }) {
          reportDifference(expected: expected, actual: actual, isStated: update != nil, at: location)
        } else if !comparing(at: location, { isEqual(expected, actual, in: recorder.tracker) }) {
          reportDifference(expected: expected, actual: actual, isStated: update != nil, at: location)
          recorder.tracker.resetChanges()
        } else if mustChange, update != nil, expected == previous, !sharedStateChanged {
          report(FailureText.noChange, at: location)
        }
      case .off(let showSkippedAssertions):
        // A later, exhaustive assertion begins with the current state.
        defer { recorder.tracker.resetChanges() }
        // The assertion changes the new state: fields that it does not mention are as they are. So are shared values.
        let current = SharedChangeTracker(reportUnassertedChanges: false)
        let expected = try expectedState(from: actual, update, stackElementIDs: stackElementIDs, in: current)
        if !comparing(at: location, { isEqual(expected, actual, in: current) }) {
          reportDifference(expected: expected, actual: actual, isStated: update != nil, in: current, at: location)
        } else if showSkippedAssertions {
          noteSkipped(
            actual, after: previous, update, stackElementIDs: stackElementIDs, mustChange: mustChange, at: location)
        }
      }
    } catch {
      report("Threw error: \(error)", at: location)
    }
  }

  /// Reports, as warnings, the changes that an exhaustive test would have to assert.
  private func noteSkipped(
    _ actual: State, after previous: State, _ update: ((inout State) throws -> Void)?,
    stackElementIDs: StackElementIDGenerator, mustChange: Bool, at location: IssueLocation
  ) {
    do {
      let expected = try expectedState(from: previous, update, stackElementIDs: stackElementIDs)
      if expected != actual {
        run.report(
          differenceText(expected: expected, actual: actual, isStated: update != nil), asIn: exhaustivity,
          at: location)
      } else if mustChange, update != nil, expected == previous {
        run.report(FailureText.noChange, asIn: exhaustivity, at: location)
      }
    } catch {
      run.report("Threw error: \(error)", asIn: exhaustivity, at: location)
    }
  }

  private func expectedState(
    from state: State, _ update: ((inout State) throws -> Void)?, stackElementIDs: StackElementIDGenerator,
    in tracker: SharedChangeTracker? = nil
  ) throws -> State {
    guard let update else { return state }
    return try Dependencies.withDependencies {
      $0 = recorder.dependencies
      $0.stackElementID = stackElementIDs.copy()
    } operation: {
      try (tracker ?? recorder.tracker).assert {
        var state = state
        try XCTModifyLocals.$isExhaustive.withValue(exhaustivity == .on) { try update(&state) }
        return state
      }
    }
  }

  /// Compares at the assertion's line: an operator of the state may report an issue, and knows no line.
  private func comparing(at location: IssueLocation, _ comparison: () -> Bool) -> Bool {
    withIssueContext(
      fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column,
      operation: comparison)
  }

  /// Compares states as an assertion does; without their shared values while received actions remain, because the
  /// changes of those have already happened.
  ///
  /// Changes of values that the feature shares, but not its state, are not compared.
  private func isEqual(_ expected: State, _ actual: State, in tracker: SharedChangeTracker) -> Bool {
    recorder.received.isEmpty ? tracker.assert { expected == actual } : expected == actual
  }

  private func reportDifference<T>(
    expected: T, actual: T, isStated: Bool, in tracker: SharedChangeTracker? = nil, at location: IssueLocation
  ) {
    report(differenceText(expected: expected, actual: actual, isStated: isStated, in: tracker), at: location)
  }

  private func differenceText<T>(
    expected: T, actual: T, isStated: Bool, in tracker: SharedChangeTracker? = nil
  ) -> String {
    let headline =
      isStated
      ? "A state change does not match expectation" : "State was not expected to change, but a change occurred"
    func difference() -> String { FailureText.difference(expected: expected, actual: actual) }
    // In an assertion, shared values differ as well. Checking them is too early while received actions remain.
    return
      "\(headline): …\n\n\(recorder.received.isEmpty ? (tracker ?? recorder.tracker).assert(difference) : difference())"
  }

  func report(_ message: String, at location: IssueLocation) { run.report(message, at: location) }
}
