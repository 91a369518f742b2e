import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import IssueReporting
import Testing

/// The test store reports everything that a test does not assert.
@MainActor @Suite struct TestStoreTests {
  struct State: Equatable { var count = 0 }
  enum Action: Equatable { case increment, start, response(Int), timer }

  static let reducer = Reducer<State, Action, AnySchedulerOf<DispatchQueue>> { state, action, queue in
    switch action {
    case .increment: state.count += 1
    case .start: return Effect(value: .response(7)).receive(on: queue).eraseToEffect()
    case .response(let number): state.count = number
    case .timer:
      return Effect.timer(id: "timer", every: 1, on: queue).map { _ in .increment }
    }
    return .none
  }

  private func store(
    _ queue: AnySchedulerOf<DispatchQueue> = .immediate
  ) -> TestStore<State, State, Action, Action, AnySchedulerOf<DispatchQueue>> {
    TestStore(initialState: State(), reducer: Self.reducer, environment: queue)
  }

  private func expectIssue(_ text: String, _ work: () -> Void, at location: SourceLocation = #_sourceLocation) {
    withKnownIssue(isIntermittent: false, sourceLocation: location) {
      work()
    } matching: {
      $0.comments.contains { $0.rawValue.contains(text) }
    }
  }

  @Test func aWrongChangeIsShown() {
    let store = store()
    expectIssue("(Expected: −, Actual: +)") { store.send(.increment) { $0.count = 2 } }
    expectIssue("State change does not match expectation") { store.send(.increment) }
    store.send(.increment) { $0.count = 3 }
  }

  @Test func unreceivedActionsAreFound() {
    let store = store()
    expectIssue("The store received 1 unexpected action after this one") { store.assert(.send(.start)) }
    expectIssue("Must handle 1 received action before sending an action") {
      store.send(.start)
      store.send(.increment) { $0.count = 8 }
    }
    expectIssue("Received unexpected action") {
      store.send(.start)
      store.receive(.response(8))
    }
    expectIssue("Expected to receive an action, but received none") { store.receive(.response(8)) }
  }

  @Test func runningEffectsAreFound() {
    let store = store(DispatchQueue.testScheduler.eraseToAnyScheduler())
    expectIssue("Some effects are still running") { store.assert(.send(.timer)) }
  }

  @Test func theEndOfATestIsChecked() {
    expectIssue("The store received 1 unexpected action") {
      let store = store()
      store.send(.start)
    }
  }

  @Test func stepsAreReportedAtTheirLines() {
    let store = store()
    let line = #line + 3
    withKnownIssue {
      store.assert(
        .send(.increment) { $0.count = 5 },
        .send(.increment) { $0.count = 2 })
    } matching: {
      $0.sourceLocation?.line == line
    }
  }

  @Test func aScopedTestStoreSeesItsPart() {
    let store = store().scope(state: { $0.count }, action: { (_: Void) in Action.increment })
    store.send(()) { $0 = 1 }
    #expect(store.state == 1)
  }

  @Test func environmentAndThrowingSteps() {
    struct Failure: Error {}
    let store = store(.failing)
    store.assert(.environment { $0 = .immediate }, .send(.start), .receive(.response(7)) { $0.count = 7 })
    expectIssue("Threw error") { store.assert(.do { throw Failure() }) }
  }

  @Test func theEffectsOfOneAction() async {
    let queue = DispatchQueue.test
    let store = store(queue.eraseToAnyScheduler())
    let timer = store.send(.timer)
    await queue.advance(by: 1)
    await store.receive(.increment) { $0.count = 1 }
    await timer.cancel()
    #expect(timer.isCancelled)
    let start = store.send(.start)
    await queue.advance()
    await start.finish()
    await store.receive(.response(7)) { $0.count = 7 }
    let endless = store.send(.timer)
    await withKnownIssue { await endless.finish(timeout: 1_000_000) }
    await endless.cancel()
    await store.finish()
  }
}
