import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct ScopeTests {
  @Reducer struct Pair {
    @ObservableState struct State: Equatable {
      var first = Step.State(id: 1)
      var second = Step.State(id: 2)
      var log: [String] = []
    }

    enum Action: Sendable {
      case first(Step.Action)
      case second(Step.Action)
      case cancel(Int)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.first, action: \.first) { Step() }
      Scope(state: \.second, action: \.second) { Step() }
      Reduce { state, action in
        switch action {
        case .first(.note(let text)): state.log.append("first \(text), which has \(state.first.log.count)")
        case .cancel(let id): return .cancel(id: id)
        default: break
        }
        return .none
      }
    }
  }

  static let enumLine: UInt = #line + 15
  @Reducer struct Session {
    @ObservableState enum State: Equatable {
      case loggedIn(Step.State)
      case loggedOut(Step.State)
    }

    enum Action: Sendable {
      case loggedIn(Step.Action)
      case loggedOut(Step.Action)
      case logIn
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.loggedOut, action: \.loggedOut) { Step() }
      Scope(state: \.loggedIn, action: \.loggedIn) { Step() }
      Reduce { state, action in
        if case .logIn = action { state = .loggedIn(Step.State()) }
        return .none
      }
    }
  }

  @Test func aChildSeesItsActionsBeforeItsParent() {
    let store = Store(initialState: Pair.State()) { Pair() }
    store.send(.first(.note("a")))
    store.send(.second(.note("b")))
    #expect(store.first.log == ["a"])
    #expect(store.second.log == ["b"])
    #expect(store.log == ["first a, which has 1"])
  }

  @Test func aChildsEffectsComeBackAsItsActions() async {
    let store = Store(initialState: Pair.State()) { Pair() }
    await store.send(.second(.run(.merge(.send(.note("now")), .run { await $0(.note("later")) })))).finish()
    #expect(store.second.log == ["now", "later"])
    #expect(store.first.log == [])
  }

  @Test func scopedChildrenShareTheirParentsNames() async {
    let store = Store(initialState: Pair.State()) { Pair() }
    let (first, second) = (Gate(), Gate())
    store.send(.first(.run(.endless(first).cancellable(id: 1))))
    store.send(.second(.run(.endless(second).cancellable(id: 1))))
    store.send(.cancel(1))
    await first.wait()
    await second.wait()
  }

  @Test func aChildOnACaseRunsWhileTheStateIsInIt() {
    let store = Store(initialState: .loggedOut(Step.State())) { Session() }
    store.send(.loggedOut(.note("a")))
    #expect(store.state == .loggedOut(Step.State(log: ["a"])))
    store.send(.logIn)
    store.send(.loggedIn(.note("b")))
    #expect(store.state == .loggedIn(Step.State(log: ["b"])))
  }

  @Test func anActionForAnotherCaseIsReportedAtTheScope() {
    let store = Store(initialState: .loggedOut(Step.State())) { Session() }
    let issues = Issues.of { _ = store.send(.loggedIn(.note("a"))) }
    #expect(issues.lines == [Self.enumLine])
    #expect(issues.files == ["ComposableArchitectureTests/ScopeTests.swift"])
    #expect(
      issues.messages.first?.contains(
        "A \"Scope\" at \"ComposableArchitectureTests/ScopeTests.swift:\(Self.enumLine)\" received a child action when "
          + "child state was set to a different case. …\n") == true)
    #expect(store.state == .loggedOut(Step.State()))
  }
}
