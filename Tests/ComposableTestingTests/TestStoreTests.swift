import ComposableTesting
import Foundation
import Synchronization
import Testing

/// Records issues with their lines.
private final class Places: IssueReporter {
  private let issues = Mutex<[(message: String, line: UInt)]>([])
  var messages: [String] { issues.withLock { $0.map(\.message) } }
  var lines: [UInt] { issues.withLock { $0.map(\.line) } }

  func report(_ message: String, at location: IssueLocation) {
    issues.withLock { $0.append((message, location.line)) }
  }
}

/// A feature with effects that a test controls.
@Reducer
private struct Feature {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var text = ""
  }

  @CasePathable
  enum Action: Equatable {
    case tapped
    case load
    case loaded(String)
    case both
    case forever
    case stop
    case silent
    case ask
    case chain
    case immediate
    case later(Duration)
    case view(View)

    @CasePathable enum View: Equatable { case appeared, typed(String) }
  }

  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped:
        state.count += 1
        return .none
      case .load: return .run { send in await send(.loaded("a")) }
      case .loaded(let text):
        state.text = text
        return .none
      case .both:
        return .run { send in
          await send(.loaded("a"))
          await send(.loaded("b"))
        }
      case .forever: return .run { _ in try await Task.never() }.cancellable(id: "forever")
      case .stop: return .cancel(id: "forever")
      case .silent: return .none
      case .ask: return .send(.silent)
      case .chain: return .send(.forever)
      case .immediate: return .send(.loaded("now"))
      case .later(let duration):
        return .run { send in
          try await clock.sleep(for: duration)
          await send(.loaded("late"))
        }
      case .view(.appeared): return .none
      case .view(.typed(let text)):
        state.text = text
        return .none
      }
    }
  }
}

@MainActor
@Suite struct TestStoreTests {
  private func makeStore(_ state: Feature.State = Feature.State()) -> TestStoreOf<Feature> {
    TestStore(initialState: state) { Feature() }
  }

  /// The only issue of an operation, with plain spaces in place of figure spaces.
  private func issue(_ operation: () async -> Void, sourceLocation: SourceLocation = #_sourceLocation) async -> String {
    let issues = await withExpectedIssue { await operation() }
    #expect(issues.count == 1, sourceLocation: sourceLocation)
    return issues.first?.replacing("\u{2007}", with: " ") ?? ""
  }

  // MARK: Sending

  @Test func aWrongChangeIsShownAsADiff() async {
    let store = makeStore()
    let text = await issue { await store.send(.tapped) { $0.count = 2 } }
    #expect(
      text == """
        A state change does not match expectation: …

              Feature.State(
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

  // MARK: Receiving

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
    await store.receive(AnyCasePath(\Feature.Action.Cases.loaded))
  }

  @Test func anotherActionIsShownAsADiff() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(.loaded("b")) }
    #expect(
      text == """
        Received unexpected action: …

            − Feature.Action.loaded("b")
            + Feature.Action.loaded("a")

        (Expected: −, Received: +)
        """)
  }

  @Test func anActionOfAnotherCaseIsShown() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(\.tapped) }
    #expect(text == "Received unexpected action: …\n\n  Feature.Action.loaded(\"a\")")
  }

  @Test func anotherValueIsShownAsADiff() async {
    let store = makeStore()
    await store.send(.load)
    let text = await issue { await store.receive(\.loaded, "b") }
    #expect(
      text == """
        Received unexpected action: …

            − Feature.Action.loaded("b")
            + Feature.Action.loaded("a")

        (Expected: −, Received: +)
        """)
  }

  @Test func withoutEffectsNothingIsWaitedFor() async {
    let store = makeStore()
    let text = await issue { await store.receive(.tapped, timeout: .seconds(3600)) }
    #expect(
      text == """
        Expected to receive the following action, but didn't: …

          Feature.Action.tapped
        """)
    let predicate = await issue { await store.receive { $0 == .tapped } }
    #expect(predicate == "Expected to receive an action matching predicate, but didn't get one.")
    let path = await issue { await store.receive(\.loaded) }
    #expect(path == "Expected to receive an action matching case path, but didn't get one.")
  }

  @Test func aLateActionIsWaitedForUntilTheTimeout() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
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
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = ContinuousClock()
    }
    await store.send(.later(.milliseconds(20)))
    await store.receive(\.loaded, timeout: .seconds(60)) { $0.text = "late" }
  }

  // MARK: The end

  @Test func whatWasReceivedAndNotStatedIsAnIssue() async {
    var store: TestStoreOf<Feature>? = makeStore()
    await store?.send(.both)
    let text = await issue { store = nil }
    #expect(
      text == """
        The store received 2 unexpected actions by the end of this test: …

        Unhandled actions:
          [
            [0]: .loaded("a"),
            [1]: .loaded("b")
          ]
        """)
  }

  @Test func anEffectThatStillRunsIsAnIssueOfItsAction() async {
    var store: TestStoreOf<Feature>? = makeStore()
    await store?.send(.forever)
    let text = await issue { store = nil }
    #expect(
      text.hasPrefix(
        "An effect returned for this action is still running. It must complete before the end of the test. …"))
    #expect(text.hasSuffix("Action:\n  Feature.Action.forever"))
  }

  @Test func anEffectOfAReceivedActionIsAnIssueOfThatAction() async {
    var store: TestStoreOf<Feature>? = makeStore()
    var line: UInt = 0
    let places = Places()
    await withIssueReporters([places]) {
      line = #line + 1
      await store?.send(.chain)
      await store?.receive(.forever)
      store = nil
    }
    #expect(places.lines == [line])
    #expect(places.messages.first?.hasSuffix("Action:\n  Feature.Action.forever") == true)
  }

  @Test func anActionThatWasNotReceivedIsReportedAtTheLastAssertion() async {
    var store: TestStoreOf<Feature>? = makeStore()
    var line: UInt = 0
    let places = Places()
    await withIssueReporters([places]) {
      await store?.send(.tapped) { $0.count = 1 }
      line = #line + 1
      await store?.send(.ask)
      store = nil
    }
    #expect(places.lines == [line])
    #expect(places.messages.first?.contains("[0]: .silent") == true)
  }

  @Test func aCancelledEffectIsOver() async {
    let store = makeStore()
    await store.send(.forever)
    await store.send(.stop)
  }

  @Test func aTaskIsCancelledAndWaitedFor() async {
    let store = makeStore()
    let task = await store.send(.forever)
    #expect(!task.isCancelled)
    await task.cancel()
    #expect(task.isCancelled)
    let load = await store.send(.load)
    await load.finish()
    await store.receive(\.loaded) { $0.text = "a" }
  }

  @Test func finishingWaitsForTheTimeout() async {
    let store = makeStore()
    await store.send(.forever)
    let text = await issue { await store.finish(timeout: .milliseconds(20)) }
    #expect(text.hasPrefix("Expected effects to finish, but there are still effects in-flight after 0.02 seconds."))
    let issues = await withExpectedIssue { await store.finish(timeout: NSEC_PER_MSEC) }
    #expect(issues.count == 1)
    store.exhaustivity = .off
    await store.finish(timeout: NSEC_PER_MSEC)
  }

  @Test func timeoutsAreInNanosecondsToo() async {
    let store = makeStore()
    #expect(store.timeout == NSEC_PER_SEC)
    store.timeout = 2 * NSEC_PER_SEC
    await store.send(.load)
    await store.receive(.loaded("a"), timeout: NSEC_PER_SEC) { $0.text = "a" }
    await store.send(.load)
    await store.receive(\.loaded, timeout: NSEC_PER_SEC)
    await store.send(.load)
    await store.receive(\.loaded, "a", timeout: NSEC_PER_SEC)
    await store.send(.load)
    await store.receive({ $0 == .loaded("a") }, timeout: NSEC_PER_SEC)
    await store.send(.load).finish(timeout: NSEC_PER_SEC)
    await store.receive(/Feature.Action.loaded, timeout: NSEC_PER_SEC)
    await store.finish(timeout: NSEC_PER_SEC)
  }

  // MARK: Skipping

  @Test func actionsAreSkipped() async {
    let store = makeStore()
    await store.send(.both)
    await store.skipReceivedActions()
    #expect(store.state.text == "b")
    #expect(await issue { await store.skipReceivedActions() } == "There were no received actions to skip.")
    await store.skipReceivedActions(strict: false)
  }

  @Test func effectsAreSkipped() async {
    let store = makeStore()
    await store.send(.forever)
    store.exhaustivity = .off
    await store.skipInFlightEffects()
    store.exhaustivity = .on
    #expect(await issue { await store.skipInFlightEffects() } == "There were no in-flight effects to skip.")
    await store.skipInFlightEffects(strict: false)
  }

  @Test func skippedEffectsGoOn() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.later(.seconds(1)))
    await store.withExhaustivity(.off) { await store.skipInFlightEffects() }
    await store.finish()
    await clock.advance(by: .seconds(1))
    await task.finish()
    await store.receive(.loaded("late")) { $0.text = "late" }
  }

  // MARK: Not exhaustive

  @Test func onlyWhatIsStatedIsChecked() async {
    let store = makeStore()
    store.exhaustivity = .off
    await store.send(.both)
    await store.receive(.loaded("b"))
    await store.send(.tapped)
    await store.send(.tapped) { $0.count = 2 }
    let text = await issue { await store.send(.tapped) { $0.count = 9 } }
    #expect(text.contains("− ") && text.contains("_count: 9"))
    #expect(store.state == Feature.State(count: 3, text: "b"))
    await store.send(.forever)
  }

  @Test func anActionThatDoesNotComeIsAnIssueAllTheSame() async {
    let store = makeStore()
    store.exhaustivity = .off
    await store.send(.load)
    let text = await issue { await store.receive(.loaded("z"), timeout: .milliseconds(10)) }
    #expect(text.hasPrefix("Expected to receive the following action, but didn't: …"))
    await store.receive(.loaded("a")) { $0.text = "a" }
  }

  @Test func aClosureOfATestThatIsNotExhaustiveRunsOnceOnTheNewState() async {
    let store = makeStore(Feature.State(count: 4))
    store.exhaustivity = .off
    var seen: [Int] = []
    await store.send(.tapped) { seen.append($0.count) }
    #expect(seen == [5])
    await store.send(.load)
    await store.receive(\.loaded) { seen.append($0.count + $0.text.count) }
    #expect(seen == [5, 6])
  }

  @Test func whatAnExhaustiveTestWouldAssertIsNoted() async {
    let store = makeStore()
    store.exhaustivity = .off(showSkippedAssertions: true)
    // Warnings, not issues.
    let issues = await withExpectedIssue {
      reportIssue("An issue of its own")
      await store.send(.both)
      await store.receive(.loaded("b")) { $0.text = "b" }
      await store.send(.tapped) { $0.count = $0.count }
    }
    #expect(issues == ["An issue of its own"])
    #expect(store.state == Feature.State(count: 1, text: "b"))
  }

  @Test func anErrorOfAClosureIsAnIssueAlsoWhenNotExhaustive() async {
    struct Failure: Error {}
    let store = makeStore()
    store.exhaustivity = .off
    #expect(await issue { await store.send(.tapped) { _ in throw Failure() } } == "Threw error: Failure()")
  }

  @Test func exhaustivityHoldsForAWhile() async {
    let store = makeStore()
    await store.withExhaustivity(.off) {
      await store.send(.tapped)
    }
    #expect(store.exhaustivity == .on)
    await store.send(.tapped) { $0.count = 2 }
  }

  @Test func statesAreAssertedWithoutAnAction() async {
    let store = makeStore()
    store.assert { $0.count = 0 }
    let text = await issue { store.assert { $0.count = 1 } }
    #expect(text.hasPrefix("A state change does not match expectation: …"))
  }

  @Test func theStateIsTypedByTheReducer() async {
    let store = TestStore(initialState: .init(count: 3)) { Feature() }
    await store.send(.tapped) {
      $0.count = 4
      #expect(store.state.count == 3)
    }
    #expect(store.state.count == 4)
  }

  @Test func dependenciesHoldForAWhile() async {
    let store = makeStore()
    await store.withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      await store.send(.later(.seconds(100)))
      await store.receive(\.loaded) { $0.text = "late" }
    }
  }

  // MARK: Determinism

  @Test func aClockAdvancesTimersExactly() async {
    let clock = TestClock()
    let store = TestStore(initialState: Ticking.State()) {
      Ticking()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let task = await store.send(.start)
    await clock.advance(by: .seconds(3))
    await store.receive(.ticked) { $0.ticks = 1 }
    await store.receive(.ticked) { $0.ticks = 2 }
    await store.receive(.ticked) { $0.ticks = 3 }
    await task.cancel()
  }

  @Test(arguments: 0..<50) func effectsThatRaceComeInOneOrder(_ run: Int) async {
    let store = TestStore(initialState: Racing.State()) { Racing() }
    await store.send(.start)
    for number in 0..<10 { await store.receive(.arrived(number)) { $0.arrived.append(number) } }
  }
}

@Reducer
private struct Ticking {
  struct State: Equatable { var ticks = 0 }
  enum Action { case start, ticked }
  @Dependency(\.continuousClock) var clock

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .run { send in for await _ in clock.timer(interval: .seconds(1)) { await send(.ticked) } }
      case .ticked:
        state.ticks += 1
        return .none
      }
    }
  }
}

@Reducer
private struct Racing {
  struct State: Equatable { var arrived: [Int] = [] }
  @CasePathable enum Action: Equatable { case start, arrived(Int) }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .start:
        return .merge(
          (0..<10).map { number in
            .run { send in
              await Task.yield()
              await send(.arrived(number))
            }
          })
      case .arrived(let number):
        state.arrived.append(number)
        return .none
      }
    }
  }
}
