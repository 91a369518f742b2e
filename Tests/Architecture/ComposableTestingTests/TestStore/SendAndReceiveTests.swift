import ComposableTesting
import Foundation
import Testing

/// Assertions of sent and received actions.
@MainActor
@Suite struct SendAndReceiveTests {
  @Test func aWrongChangeIsShownAsADiff() async {
    let store = makeStore()
    let text = await issue { await store.send(.tapped) { $0.count = 2 } }
    #expect(
      text == """
        A state change does not match expectation: …

              ControlledFeature.State(
            −   _count: 2,
            +   _count: 1,
                _text: ""
              )

        (Expected: −, Actual: +)
        """)
    #expect(store.state.count == 1)
  }

  @Test func aClosureThatChangesNothingIsAnIssue() async {
    let store = makeStore()
    let text = await issue { await store.send(.silent) { $0.count = 0 } }
    #expect(
      text == """
        Expected state to change, but no change occurred.

        The trailing closure made no observable modifications to state. If no change to state is expected, omit the \
        trailing closure.
        """)
  }

  @Test func whatTheClosureThrowsIsAnIssue() async {
    struct Failure: Error {}
    let store = makeStore()
    let text = await issue { await store.send(.silent) { _ in throw Failure() } }
    #expect(text == "Threw error: Failure()")
  }

  @Test func aSendAfterTheEffectsEndIsReportedAndReceived() async {
    let kept = LockIsolated<Send<Int>?>(nil)
    let store = TestStore(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state += action
        return action == 0 ? .run { send in kept.setValue(send) } : .none
      }
    }
    await store.send(0)
    await store.finish()
    let issues = withExpectedIssue { kept.value?(7) }
    #expect(issues.count == 1)
    await store.receive(7) { $0 = 7 }
  }

  @Test func receivedActionsComeBeforeTheNextSend() async {
    let store = makeStore()
    await store.send(.ask)
    let text = await issue { await store.send(.tapped) { $0.count = 1 } }
    #expect(
      text == """
        Must handle 1 received action before sending an action: …

        Unhandled actions: [
          [0]: .silent
        ]
        """)
    store.exhaustivity = .off
  }

  @Test func receivedActionsStayReceivable() async {
    let store = makeStore()
    await store.send(.ask)
    let issues = await withExpectedIssue { await store.send(.tapped) { $0.count = 1 } }
    #expect(issues.count == 1)
    store.exhaustivity = .off
    await store.receive(.silent)
  }

  @Test func actionsAreNamedByTheirCases() async {
    let store = makeStore()
    await store.send(\.view.appeared)
    await store.send(\.view.typed, "x") { $0.text = "x" }
  }

  @Test func sendingAtOnceIsReceivedToo() async {
    let store = makeStore()
    await store.send(.immediate)
    #expect(store.state.text == "")
    await store.receive(.loaded("now")) { $0.text = "now" }
    #expect(store.state.text == "now")
  }

  @Test func actionsAreReceivedInEveryForm() async {
    let store = makeStore()
    await store.send(.load)
    await store.receive(.loaded("a")) { $0.text = "a" }
    await store.send(.load)
    await store.receive(\.loaded)
    await store.send(.load)
    await store.receive(\.loaded, "a")
    await store.send(.load)
    await store.receive { $0.is(\.loaded) }
    await store.send(.load)
    await store.receive(AnyCasePath(\ControlledFeature.Action.Cases.loaded))
  }

  @Test func anotherActionIsShownAsADiff() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(.loaded("b")) }
    #expect(
      text == """
        Received unexpected action: …

            − ControlledFeature.Action.loaded("b")
            + ControlledFeature.Action.loaded("a")

        (Expected: −, Received: +)
        """)
  }

  @Test func anActionOfAnotherCaseIsShown() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(\.tapped) }
    #expect(text == "Received unexpected action: …\n\n  ControlledFeature.Action.loaded(\"a\")")
  }

  @Test func anotherValueIsShownAsADiff() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(\.loaded, "b") }
    #expect(
      text == """
        Received unexpected action: …

          − ControlledFeature.Action.loaded("b")
          + ControlledFeature.Action.loaded("a")

        (Expected: −, Actual: +)
        """)
    let missing = await issue { await store.receive(\.loaded, "b") }
    #expect(missing == "Expected to receive an action matching case path, but didn't get one.")
  }

  @Test func withoutEffectsNothingIsWaitedFor() async {
    let store = makeStore()
    let text = await issue { await store.receive(.tapped, timeout: .seconds(3600)) }
    #expect(
      text == """
        Expected to receive the following action, but didn't: …

          ControlledFeature.Action.tapped
        """)
    let predicate = await issue { await store.receive { $0 == .tapped } }
    #expect(predicate == "Expected to receive an action matching predicate, but didn't get one.")
    let path = await issue { await store.receive(\.loaded) }
    #expect(path == "Expected to receive an action matching case path, but didn't get one.")
  }

  @Test func aLateActionIsWaitedForUntilTheTimeout() async {
    let clock = TestClock()
    let store = TestStore(initialState: ControlledFeature.State()) {
      ControlledFeature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.later(.seconds(5)))
    let issues = await withExpectedIssue { await store.receive(\.loaded, timeout: .milliseconds(50)) }
    #expect(issues.count == 2)
    #expect(issues.first?.hasPrefix("Expected to receive an action, but received none after 0.05 seconds.") == true)
    #expect(issues.first?.contains("There are effects in-flight.") == true)
    #expect(issues.last == "Expected to receive an action matching case path, but didn't get one.")
    await clock.advance(by: .seconds(5))
    await store.receive(\.loaded) { $0.text = "late" }
  }

  @Test func aRealClockIsWaitedFor() async {
    let store = TestStore(initialState: ControlledFeature.State()) {
      ControlledFeature()
    } withDependencies: {
      $0.continuousClock = ContinuousClock()
    }
    await store.send(.later(.milliseconds(20)))
    await store.receive(\.loaded, timeout: .seconds(60)) { $0.text = "late" }
  }
}

/// A feature that reads what it shares with others.
@Reducer
private struct Watching {
  @ObservableState struct State: Equatable {
    @SharedReader(.inMemory("watched")) var seen = 0
    @Shared(value: 0) var first
    @Shared(value: 0) var second
    var areSame = false
  }

  enum Action { case tapped, compared, failed }

  @Dependency(\.unprepared) var unprepared

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        @Shared(.inMemory("watched")) var count = 0
        $count.withLock { $0 += 1 }
      case .compared: state.areSame = state.$first == state.$second
      case .failed: unprepared()
      }
      return .none
    }
  }
}

private enum UnpreparedKey: TestDependencyKey {
  static let testValue: @Sendable () -> Void = { reportIssue("not prepared") }
}

extension DependencyValues {
  fileprivate var unprepared: @Sendable () -> Void {
    get { self[UnpreparedKey.self] }
    set { self[UnpreparedKey.self] = newValue }
  }
}

@MainActor @Suite struct PlacesOfIssuesTests {
  private final class Places: IssueReporter {
    let issues = LockIsolated<[(message: String, line: UInt)]>([])

    func report(_ message: String, at location: IssueLocation) {
      issues.withValue { $0.append((message, location.line)) }
    }
  }

  @Test func issuesOfAFeatureAreThoseOfTheActionsLine() async {
    let store = TestStore(initialState: Watching.State()) { Watching() }
    let places = Places()
    var line: UInt = 0
    await withIssueReporters([places]) {
      line = #line + 1
      await store.send(.failed)
    }
    #expect(places.issues.value.map(\.message) == ["not prepared"])
    #expect(places.issues.value.map(\.line) == [line])
  }

  @Test func whatIsOnlyReadNeedNotBeStated() async {
    let store = TestStore(initialState: Watching.State()) { Watching() }
    await store.send(.tapped)
    #expect(store.state.seen == 1)
  }

  @Test func differentReferencesAreComparedByTheirValues() async {
    let store = TestStore(initialState: Watching.State()) { Watching() }
    await store.send(.compared) { $0.areSame = $0.$first == $0.$second }
    #expect(store.state.areSame)
  }
}
