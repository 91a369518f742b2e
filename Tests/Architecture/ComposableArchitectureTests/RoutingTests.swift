import ComposableArchitecture
import Testing

/// Many children in one body: an action is routed to its children in order, and to reducers of all actions.
@Suite struct RoutingTests {
  @Reducer
  struct Log {
    struct State: Equatable, Sendable { var count = 0 }
    enum Action: Sendable {
      case add
      case echo
    }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.count += 1
        return action == .echo ? .send(.add) : .none
      }
    }
  }

  @Reducer
  struct Many {
    struct State: Equatable, Sendable {
      var a = Log.State(), b = Log.State(), c = Log.State(), d = Log.State(), e = Log.State()
      var inner = Inner.State()
      var seen: [Int] = []
    }
    @CasePathable
    enum Action: Sendable {
      case a(Log.Action), b(Log.Action), c(Log.Action), d(Log.Action), e(Log.Action)
      case inner(Inner.Action)
      case nothing
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.a, action: \.a) { Log() }
      Scope(state: \.b, action: \.b) { Log() }
      see(1)
      Scope(state: \.c, action: \.c) { Log() }
      Scope(state: \.d, action: \.d) { Log() }
      Scope(state: \.e, action: \.e) { Log() }
      // Two reducers for one case, and one for a case within it.
      Scope(state: \.inner, action: \.inner) { Inner() }
      Scope(state: \.a, action: \.inner.log) { Log() }
      Scope(state: \.e, action: \.e) { Log() }
      see(2)
    }

    private func see(_ place: Int) -> Reduce<State, Action> {
      Reduce { state, _ in
        state.seen.append(place)
        return .none
      }
    }
  }

  @Reducer
  struct Inner {
    struct State: Equatable, Sendable { var log = Log.State() }
    @CasePathable
    enum Action: Sendable { case log(Log.Action), other }
    var body: some ReducerOf<Self> { Scope(state: \.log, action: \.log) { Log() } }
  }

  @Test func eachActionReachesItsReducersInOrder() {
    var core = ReducerCore(initialState: Many.State(), reducer: Many())
    core.send(.nothing)
    check(core.state == Many.State(seen: [1, 2]))
    core.send(.b(.add))
    check(core.state.b.count == 1)
    core.send(.e(.add))
    check(core.state.e.count == 2)
    // The reducer for the nested case handles only one value of the outer case.
    core.send(.inner(.other))
    check(core.state.a.count == 0)
    core.send(.inner(.log(.add)))
    check(core.state.a.count == 1 && core.state.inner.log.count == 1)
    check(core.state.seen == [1, 2, 1, 2, 1, 2, 1, 2, 1, 2])
  }

  @Test func effectsComeBackThroughTheRoute() {
    var core = ReducerCore(initialState: Many.State(), reducer: Many())
    core.send(.c(.echo))
    check(core.state.c.count == 2)
    core.send(.e(.echo))
    // Both reducers of the case have answered, and both have received each answer.
    check(core.state.e.count == 6)
  }
}
