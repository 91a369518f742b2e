import ComposableTesting
import Testing

/// A feature whose effects a test can steer.
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

  /// The only issue of an operation, its figure spaces as plain ones.
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
    await store.send(.load)
    let text = await issue { await store.send(.tapped) { $0.count = 1 } }
    #expect(
      text == """
        Must handle 1 received action before sending an action: …

        Unhandled actions: [
            [0]: .loaded("a")
          ]
        """)
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
    #expect(text.hasPrefix("Received unexpected action: …"))
    #expect(text.contains("− \"b\"") && text.contains("+ \"a\""))
  }

  @Test func withoutEffectsNothingIsWaitedFor() async {
    let store = makeStore()
    let text = await issue { await store.receive(.tapped, timeout: .seconds(3600)) }
    #expect(text.hasPrefix("Expected to receive an action, but received none."))
    #expect(text.contains("There are no in-flight effects that could deliver this action."))
    #expect(text.contains(".tapped"))
  }

  @Test func aLateActionIsWaitedForUntilTheTimeout() async {
    let clock = TestClock()
    let store = TestStore(initialState: Feature.State()) {
      Feature()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.later(.seconds(5)))
    let text = await issue { await store.receive(\.loaded, timeout: .milliseconds(50)) }
    #expect(text.hasPrefix("Expected to receive an action, but received none after 0.05 seconds."))
    #expect(text.contains("There are effects in-flight."))
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
    await store.skipInFlightEffects()
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
    await store.skipInFlightEffects()
    #expect(await issue { await store.skipInFlightEffects() } == "There were no in-flight effects to skip.")
    await store.skipInFlightEffects(strict: false)
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
    #expect(text.hasPrefix("Expected to receive a matching action, but received none."))
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
