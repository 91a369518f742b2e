import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct IfLetTests {
  static let line: UInt = #line + 26
  @Reducer struct Parent {
    @ObservableState struct State: Equatable {
      var child: Step.State?
      var log: [String] = []
    }

    enum Action: Sendable {
      case child(Step.Action)
      case set(Step.State?)
      case cancel(Int)
      case run(Effect<Action>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .child(.note("bye")): state.child = nil
        case .child(.note(let text)): state.log.append("\(text) of \(state.child?.log.count ?? -1)")
        case .set(let child): state.child = child
        case .cancel(let id): return .cancel(id: id)
        case .run(let effect): return effect
        case .child: break
        }
        return .none
      }
      .ifLet(\.child, action: \.child) { Step() }
    }
  }

  private func store(_ child: Step.State? = Step.State()) -> StoreOf<Parent> {
    Store(initialState: Parent.State(child: child)) { Parent() }
  }

  @Test func theChildRunsBeforeTheParent() {
    let store = store()
    store.send(.child(.note("a")))
    #expect(store.child?.log == ["a"])
    #expect(store.log == ["a of 1"])
  }

  @Test func theChildSeesTheActionThatDismissesIt() async {
    let store = store()
    store.send(.child(.run(.send(.note("bye")))))
    #expect(store.child == nil)
  }

  @Test func anActionForAnAbsentChildIsReportedAndReachesTheParent() {
    let store = store(nil)
    let issues = Issues.of { _ = store.send(.child(.note("a"))) }
    #expect(issues.lines == [Self.line])
    #expect(
      issues.messages.first?.hasPrefix(
        """
        An "ifLet" at "ComposableArchitectureTests/IfLetTests.swift:\(Self.line)" received a child action when child \
        state was "nil". …

          Action:
            IfLetTests.Parent.Action.child(.note)
        """) == true, "\(issues.messages)")
    #expect(store.log == ["a of -1"])
  }

  @Test func effectsEndWhenTheChildGoes() async {
    let store = store()
    let cancelled = Gate()
    let task = store.send(.child(.run(.endless(cancelled))))
    store.send(.set(nil))
    await cancelled.wait()
    await task.finish()
  }

  @Test func effectsEndWhenAnotherChildTakesItsPlace() async {
    let store = store(Step.State(id: 1))
    let cancelled = Gate()
    store.send(.child(.run(.endless(cancelled))))
    store.send(.set(Step.State(id: 2)))
    await cancelled.wait()
  }

  @Test func effectsGoOnWhenTheChildMerelyChanges() async {
    let store = store(Step.State(id: 1))
    let gate = Gate()
    let task = store.send(.child(.run(.after(gate, .note("late")))))
    store.send(.set(Step.State(id: 1, log: ["new"])))
    gate.open()
    await task.finish()
    #expect(store.child?.log == ["new", "late"])
  }

  @Test func effectsThatTheChildReturnsAsItGoesAreNotBegun() async {
    // Removing the child also cancels the effects of its last action.
    struct Leaving: Reducer {
      struct State { var child: Step.State? = Step.State() }
      let effect: Effect<Step.Action>
      var body: some Reducer<State, Parent.Action> {
        Reduce { state, action in
          if case .child = action { state.child = nil }
          return .none
        }
        .ifLet(\.child, action: \.child) {
          let effect = effect
          Reduce { _, _ in effect }
        }
      }
    }
    let begun = Locked(false)
    let store = Store(initialState: Leaving.State()) {
      Leaving(effect: .run { _ in begun.change { $0 = true } })
    }
    await store.send(.child(.note(""))).finish()
    #expect(!begun.value)
  }

  @Test func aChildCannotCancelItsParentsEffects() async {
    let store = store()
    let gate = Gate()
    let task = store.send(.run(.after(gate, .set(nil)).cancellable(id: 1)))
    store.send(.child(.run(.cancel(id: 1))))
    gate.open()
    await task.finish()
    #expect(store.child == nil)
  }

  @Test func aParentCanCancelItsChildsEffects() async {
    let store = store()
    let cancelled = Gate()
    store.send(.child(.run(.endless(cancelled).cancellable(id: 1))))
    store.send(.cancel(1))
    await cancelled.wait()
  }

  @Reducer struct Alerting {
    @ObservableState struct State: Equatable {
      var alert: AlertState<Int>?
      var log: [String] = []
    }
    enum Action: Sendable { case alert(Int) }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        guard case .alert(let number) = action else { return .none }
        state.log.append("\(number) while \(state.alert.map { String(state: $0.title) } ?? "gone")")
        if number == 2 { state.alert = AlertState { TextState("Again") } }
        if number == 3 { state.alert = nil }
        return .none
      }
      .ifLet(\.alert, action: \.alert)
    }
  }

  @Test func anAlertsStateGoesWithAnyActionAfterTheParent() {
    for number in 1...3 {
      let store = Store(initialState: Alerting.State(alert: AlertState { TextState("Hello") })) { Alerting() }
      store.send(.alert(number))
      #expect(store.log == ["\(number) while Hello"])
      // Another alert in its place has another id and stays.
      #expect(store.alert.map { String(state: $0.title) } == (number == 2 ? "Again" : nil))
    }
  }

  @Test func anAlertsEndIsObserved() {
    let store = Store(initialState: Alerting.State(alert: AlertState { TextState("Hello") })) { Alerting() }
    var isThere: [Bool] = []
    let subscription = observe { isThere.append(store.alert != nil) }
    store.send(.alert(1))
    #expect(isThere == [true, false])
    subscription.cancel()
  }
}
