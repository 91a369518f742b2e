internal import ComposableArchitecture

/// What a test has seen of its feature, and what is demanded of it at the end.
@MainActor
final class TestRun<State, Action> {
  let recorder: Recorder<State, Action>
  let core: RootCore<State, Action>
  var exhaustivity = Exhaustivity.on
  /// The actions of the test whose effects may still run, and where it sent them.
  var sends: [UInt64: (action: Action, location: IssueLocation)] = [:]
  private let site: IssueLocation

  init(recorder: Recorder<State, Action>, core: RootCore<State, Action>, site: IssueLocation) {
    self.recorder = recorder
    self.core = core
    self.site = site
  }

  func report(_ message: String, at location: IssueLocation) {
    reportIssue(
      message, fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column)
  }

  /// Notes actions that a test that is not exhaustive does not state.
  func passOver(_ actions: [Action], at location: IssueLocation) {
    guard exhaustivity == .off(showSkippedAssertions: true), !actions.isEmpty else { return }
    TestFrameworkReporter.note(
      """
      \(FailureText.plural(actions.count, "received action")) \(actions.count == 1 ? "was" : "were") skipped:

      \(actions.map { FailureText.dump($0) }.joined(separator: "\n\n"))
      """, at: location)
  }

  /// The end of the test: what it has not stated is an issue.
  func end() {
    let actions = recorder.received.map(\.action)
    switch exhaustivity {
    case .on:
      if !actions.isEmpty {
        report(
          """
          The store received \(FailureText.plural(actions.count, "unexpected action")) by the end of this test: …

          Unhandled actions:
          \(FailureText.dump(actions))
          """, at: site)
      }
      for (number, send) in sends.sorted(by: { $0.key < $1.key }) where core.isRunning(send: number) {
        report("\(FailureText.stillRunning)\n\nAction:\n\(FailureText.dump(send.action))", at: send.location)
      }
      assertSharedChangesAreStated(at: site)
    case .off: passOver(actions, at: site)
    }
    recorder.tracker.resetChanges()
    core.cancelEffects()
  }

  /// Reports changes of shared state that the test has not stated.
  func assertSharedChangesAreStated(at location: IssueLocation) {
    guard exhaustivity == .on, recorder.tracker.hasChanges else { return }
    let changes = recorder.tracker.changes
    recorder.tracker.resetChanges()
    for change in changes {
      report(
        """
        Test store finished before asserting against changes to shared state: …

        \(FailureText.difference(expected: change.old, actual: change.new))

        Invoke "TestStore.assert" at the end of this test to assert against changes to shared state.
        """, at: location)
    }
  }
}
