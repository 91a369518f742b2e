internal import ComposableArchitecture
internal import IssueReportingTestSupport

/// The run of a test: its assertions so far, and the requirements at its end.
@MainActor
final class TestRun<State, Action> {
  let recorder: Recorder<State, Action>
  let core: RootCore<State, Action>
  var exhaustivity = Exhaustivity.on
  /// The locations of the actions that the test has sent, by the numbers of the sends.
  var sends: [UInt64: IssueLocation] = [:]
  /// The location of the last assertion in the test's file.
  private(set) var site: IssueLocation
  /// The reports of the end of the test while they are collected; nil otherwise.
  private var collected: [TestReport]?

  init(recorder: Recorder<State, Action>, core: RootCore<State, Action>, site: IssueLocation) {
    self.recorder = recorder
    self.core = core
    self.site = site
  }

  func report(_ message: String, at location: IssueLocation) {
    make(TestReport(message: message, location: location, isNote: false))
  }

  private func make(_ report: TestReport) {
    if collected == nil { report.make() } else { collected?.append(report) }
  }

  /// Reports an issue of an exhaustive test. In other tests it is a warning, or ignored.
  func report(_ message: String, asIn exhaustivity: Exhaustivity, at location: IssueLocation) {
    switch exhaustivity {
    case .on: report(message, at: location)
    case .off(showSkippedAssertions: true):
      make(TestReport(message: "Skipped assertions: …\n\n\(message)", location: location, isNote: true))
    case .off(showSkippedAssertions: false): break
    }
  }

  /// Reports received actions that the test skips as warnings.
  ///
  /// - Parameters:
  ///   - isExplicit: True if the test asked for it; then an exhaustive test also reports them.
  ///   - isList: True to show a single action as a list.
  func noteSkipped(
    _ actions: [Action], isExplicit: Bool = false, isList: Bool = false, at location: IssueLocation
  ) {
    guard !actions.isEmpty else { return }
    report(
      """
      \(FailureText.plural(actions.count, "received action")) \(actions.count == 1 ? "was" : "were") skipped:

      \(isList ? FailureText.dump(actions, indent: 0) : FailureText.dump(ofAll: actions))
      """, asIn: isExplicit ? skipping : exhaustivity, at: location)
  }

  /// The exhaustivity with which explicit skips are reported: as warnings of an exhaustive test, not issues.
  var skipping: Exhaustivity { exhaustivity == .on ? .off(showSkippedAssertions: true) : exhaustivity }

  /// The running effects that must end before the test does, with the numbers of the sends that led to them.
  func inFlight() -> [(effect: Recorder<State, Action>.InFlight, send: UInt64)] {
    let running = recorder.inFlight.compactMap { effect in
      core.send(ofEffectsWithID: effect.id).map { (effect, $0) }
    }
    recorder.inFlight = running.map(\.0)
    return running
  }

  /// Returns true if effects are running that must end before the test does.
  func hasInFlight() -> Bool {
    while let last = recorder.inFlight.last, core.send(ofEffectsWithID: last.id) == nil {
      recorder.inFlight.removeLast()
    }
    return !recorder.inFlight.isEmpty
  }

  /// Records the location of an assertion, if it is in the file of the test store.
  func assertion(at location: IssueLocation) {
    if "\(location.filePath)" == "\(site.filePath)" { site = location }
  }

  /// Ends the test. Actions that were not received, running effects and changes that were not asserted are issues.
  func end() {
    let actions = recorder.received.map { "    • \(DebugLabels.abbreviated($0.action))" }
    if !actions.isEmpty {
      report(
        """
        The store received \(FailureText.plural(actions.count, "unexpected action")) by the end of this test: …

          Unhandled actions:
        \(actions.joined(separator: "\n"))
        """, asIn: exhaustivity, at: site)
    }
    for (effect, send) in inFlight() {
      report(
        "\(FailureText.stillRunning)\n\nAction:\n\(FailureText.dump(effect.action))", asIn: exhaustivity,
        at: sends[send] ?? site)
    }
    assertSharedChangesAreStated(at: site)
    recorder.tracker.resetChanges()
    core.cancelEffects()
  }

  /// Ends the test and returns its reports. The caller makes them on a thread that knows the test.
  func endWithoutReports() -> [TestReport] {
    collected = []
    end()
    defer { collected = nil }
    return collected ?? []
  }

  /// Reports changes of shared values in the state that were not asserted.
  func assertSharedChangesAreStated(at location: IssueLocation) {
    guard exhaustivity == .on, recorder.tracker.hasChanges else { return }
    let state = recorder.assertedState
    // Nil if the feature shares the values, but not its state.
    let difference = recorder.tracker.assert { FailureText.visibleDifference(expected: state, actual: state) }
    recorder.tracker.resetChanges()
    guard let difference else { return }
    report(
      """
      Test store finished before asserting against changes to shared state: …

      \(difference)

      Invoke "TestStore.assert" at the end of this test to assert against changes to shared state.
      """, at: location)
  }
}

/// A report of a test store.
struct TestReport: Sendable {
  let message: String
  let location: IssueLocation
  /// True for a warning.
  let isNote: Bool

  func make() {
    guard !isNote else { return TestFrameworkReporter.note(message, at: location) }
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }
}
