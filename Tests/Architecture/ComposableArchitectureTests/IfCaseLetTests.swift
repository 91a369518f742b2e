import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct IfCaseLetTests {
  static let line: UInt = #line + 22
  @Reducer struct App {
    @ObservableState enum State: Equatable {
      case main(Step.State)
      case login(Step.State)
    }

    enum Action: Sendable {
      case main(Step.Action)
      case login(Step.Action)
      case set(State)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .login(.note("done")): state = .main(Step.State())
        case .set(let new): state = new
        default: break
        }
        return .none
      }
      .ifCaseLet(\.main, action: \.main) { Step() }
      .ifCaseLet(\.login, action: \.login) { Step() }
    }
  }

  private func store(_ state: App.State = .login(Step.State())) -> StoreOf<App> {
    Store(initialState: state) { App() }
  }

  @Test func theChildOfTheCaseRuns() {
    let store = store()
    store.send(.login(.note("a")))
    #expect(store.state == .login(Step.State(log: ["a"])))
    store.send(.login(.note("done")))
    #expect(store.state == .main(Step.State()))
  }

  @Test func effectsEndWhenTheStateLeavesTheCase() async {
    let store = store()
    let cancelled = Gate()
    let task = store.send(.login(.run(.endless(cancelled))))
    store.send(.set(.main(Step.State())))
    await cancelled.wait()
    await task.finish()
  }

  @Test func effectsEndWhenAnotherPayloadComesIntoTheCase() async {
    let store = store(.login(Step.State(id: 1)))
    let cancelled = Gate()
    store.send(.login(.run(.endless(cancelled))))
    store.send(.set(.login(Step.State(id: 2))))
    await cancelled.wait()
  }

  @Test func effectsGoOnWithinTheCase() async {
    let store = store()
    let gate = Gate()
    let task = store.send(.login(.run(.after(gate, .note("late")))))
    store.send(.set(.login(Step.State(log: ["changed"]))))
    gate.open()
    await task.finish()
    #expect(store.state == .login(Step.State(log: ["changed", "late"])))
  }

  @Test func anActionForAnotherCaseIsReported() {
    let store = store()
    let issues = Issues.of { _ = store.send(.main(.note("a"))) }
    #expect(issues.lines == [Self.line])
    #expect(
      issues.messages.first?.hasPrefix(
        "An \"ifCaseLet\" at \"ComposableArchitectureTests/IfCaseLetTests.swift:\(Self.line)\" received a child action "
          + "when child state was set to a different case. …\n") == true, "\(issues.messages)")
    #expect(store.state == .login(Step.State()))
  }
}
