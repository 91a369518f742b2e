import ComposableArchitecture
import Testing

extension [String] {
  /// The array, by a key path that differs for each number.
  fileprivate subscript(always number: Int) -> [String] { self }
}

@MainActor @Suite(.timeLimit(.minutes(30))) struct StoreScopeTests {
  @Reducer enum Path {
    case step(Step)
    case other(Step)
  }

  @Reducer struct Parent {
    @ObservableState struct State {
      var child = Step.State()
      var optional: Step.State?
      @Presents var presented: Step.State?
      @Presents var destination: Path.State?
      var rows: IdentifiedArrayOf<Step.State> = []
      var path = StackState<Path.State>()
      var count = 0
    }

    enum Action: Sendable {
      case child(Step.Action)
      case optional(Step.Action)
      case presented(PresentationAction<Step.Action>)
      case destination(PresentationAction<Path.Action>)
      case rows(IdentifiedActionOf<Step>)
      case path(StackActionOf<Path>)
      case change(@Sendable (inout State) -> Void)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.child, action: \.child) { Step() }
      Reduce { state, action in
        if case .change(let change) = action { change(&state) }
        return .none
      }
      .ifLet(\.optional, action: \.optional) { Step() }
      .ifLet(\.$presented, action: \.presented) { Step() }
      .ifLet(\.$destination, action: \.destination)
      .forEach(\.rows, action: \.rows) { Step() }
      .forEach(\.path, action: \.path)
    }
  }

  private func store(_ change: (inout Parent.State) -> Void = { _ in }) -> StoreOf<Parent> {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var state = Parent.State()
      change(&state)
      return Store(initialState: state) { Parent() }
    }
  }

  @Test func theSameKeyPathsGiveTheSameStore() {
    let store = store {
      $0.optional = Step.State()
      $0.presented = Step.State()
      $0.rows = [Step.State(id: 1)]
      $0.path = StackState([.step(Step.State())])
    }
    #expect(store.scope(state: \.child, action: \.child) === store.scope(state: \.child, action: \.child))
    #expect(store.scope(state: \.optional, action: \.optional) === store.scope(state: \.optional, action: \.optional))
    #expect(
      store.scope(state: \.presented, action: \.presented) === store.scope(state: \.presented, action: \.presented))
    #expect(store.scope(state: \.rows, action: \.rows)[0] === store.scope(state: \.rows, action: \.rows)[id: 1])
    #expect(store.scope(state: \.path, action: \.path)[0] === store.scope(state: \.path, action: \.path)[id: 0])
    #expect(store.scope(state: \.child, action: \.child) !== store.scope(state: \.optional, action: \.optional))
    store.send(.change { $0.count = 1 })
    #expect(store.scope(state: \.child, action: \.child) == store.scope(state: \.child, action: \.child))
    #expect(Set([store, store]).count == 1)
  }

  @Test func anOptionalChildsStoreComesAndGoes() {
    let store = store()
    #expect(store.scope(state: \.optional, action: \.optional) == nil)
    store.send(.change { $0.optional = Step.State(log: ["a"]) })
    let child = store.scope(state: \.optional, action: \.optional)
    #expect(child?.log == ["a"])
    child?.send(.note("b"))
    #expect(store.optional?.log == ["a", "b"])
    #expect(child?.log == ["a", "b"])

    store.send(.change { $0.optional = nil })
    #expect(store.scope(state: \.optional, action: \.optional) == nil)
    // A view that was not removed yet continues to read.
    #expect(child?.log == ["a", "b"])

    store.send(.change { $0.optional = Step.State(log: ["c"]) })
    #expect(store.scope(state: \.optional, action: \.optional)?.log == ["c"])
  }

  @Test func aKeptStoreShowsTheLastValueThatItHasSeen() {
    let store = store { $0.presented = Step.State() }
    let child = store.scope(state: \.presented, action: \.presented)
    #expect(child?.log == [])
    child?.send(.note("a"))
    #expect(child?.log == ["a"])
    store.send(.presented(.dismiss))
    #expect(child?.log == ["a"])
  }

  @Test func aDestinationsStoreIsReachedByItsCase() {
    let store = store { $0.destination = .step(Step.State()) }
    let step = store.scope(state: \.destination?.step, action: \.destination.step)
    #expect(step != nil)
    #expect(store.scope(state: \.destination?.other, action: \.destination.other) == nil)
    step?.send(.note("a"))
    #expect(store.destination?[case: \.step]?.log == ["a"])

    guard let destination = store.scope(state: \.destination, action: \.destination) else {
      Issue.record("no destination")
      return
    }
    switch destination.case {
    case .step(let step): #expect(step.log == ["a"])
    case .other: Issue.record("the other case")
    }
  }

  @Test func storesOfRowsFollowTheirElements() {
    let store = store { $0.rows = [Step.State(id: 1), Step.State(id: 2)] }
    let rows = store.scope(state: \.rows, action: \.rows)
    #expect(rows.map(\.id).count == 2)
    let second = rows[1]
    store.send(.change { $0.rows.reverse() })
    second.send(.note("a"))
    #expect(second.log == ["a"])
    #expect(store.rows[id: 2]?.log == ["a"])
    #expect(store.scope(state: \.rows, action: \.rows)[0] === second)
    #expect(rows[id: 3] == nil)

    store.send(.change { $0.rows.remove(id: 2) })
    // A view that was not removed yet continues to read.
    #expect(second.log == ["a"])
    #expect(store.scope(state: \.rows, action: \.rows).count == 1)
  }

  @Test func storesOfAStackFollowTheirElements() {
    let store = store { $0.path = StackState([.step(Step.State(id: 1)), .other(Step.State(id: 2))]) }
    let stack = store.scope(state: \.path, action: \.path)
    #expect(stack.ids == [0, 1])
    guard case .other(let other) = stack[1].case else {
      Issue.record("not the other case")
      return
    }
    other.send(.note("a"))
    #expect(store.path[id: 1, case: \.other]?.log == ["a"])
    #expect(other.log == ["a"])
    store.send(.path(.popFrom(id: 0)))
    #expect(store.scope(state: \.path, action: \.path).isEmpty)
    #expect(other.log == ["a"])
  }

  @Test func storesOfRemovedElementsAreReleased() {
    let store = store {
      $0.rows = [Step.State(id: -1)]
      $0.path = StackState([.step(Step.State(id: -1))])
    }
    func rows() -> StoreCollection<Int, Step.State, Step.Action> { store.scope(state: \.rows, action: \.rows) }
    func stack() -> StoreStack<Path.State, Path.Action> { store.scope(state: \.path, action: \.path) }
    let remaining = (rows()[0], stack()[0])
    struct Released { weak var store: AnyObject? }
    var removed: [Released] = []
    var keptByUser: StoreOf<Step>?
    for id in 0..<1000 {
      store.send(
        .change {
          $0.rows.append(Step.State(id: id))
          $0.path.append(.step(Step.State(id: id)))
        })
      for row in rows().dropFirst() { removed.append(Released(store: row)) }
      for element in stack().dropFirst() { removed.append(Released(store: element)) }
      // Also the stores of optional children, whose key paths differ.
      let optional = store.scope(state: \.rows[id: id], action: \.rows[id: id])
      removed.append(Released(store: optional))
      if id == 0 {
        keptByUser = rows()[1]
        keptByUser?.send(.note("a"))
        #expect(keptByUser?.log == ["a"])
      }
      store.send(
        .change {
          $0.rows.remove(id: id)
          $0.path.removeLast()
        })
    }
    #expect(removed.count == 3000)
    #expect(removed.count { $0.store != nil } < 200)
    #expect(remaining.0 === rows()[0] && remaining.1 === stack()[0])
    #expect(keptByUser?.log == ["a"])
  }

  @Test func releasingStoresIsNobodysObservation() {
    let store = store { $0.rows = [Step.State(id: -1)] }
    let optional = store.scope(state: \.rows[id: -1], action: \.rows[id: -1])
    var runs = 0
    let subscription = observe {
      runs += 1
      // Enough for a release.
      for id in 0..<100 { _ = store.scope(state: \.child.log[always: id], action: \.change) }
    }
    optional?.send(.note("a"))
    store.send(.change { $0.rows = [] })
    #expect(runs == 1)
    subscription.cancel()
  }

  @Test func scopesMayBeClosures() {
    let store = store()
    let child: Store<Int, String> = store.scope(state: { $0.child.log.count }, action: { .child(.note($0)) })
    child.send("a")
    #expect(child.state == 1)
    #expect(child.withState { $0 + 1 } == 2)
    var counts: [Int] = []
    let subscription = child.subscribe { counts.append($0) }
    child.send("b")
    #expect(counts == [1, 2])
    subscription.cancel()
  }

  @Test func aPresentationMayBeScopedAsItWasWritten() {
    let store = Store(initialState: PresentationTests.Parent.State()) { PresentationTests.Parent() }
    let alert = store.scope(state: \.$alert, action: PresentationTests.Parent.Action.alert)
    #expect(alert.state.wrappedValue == nil)
  }

  @Test func scopesOfScopesReachTheRoot() async {
    let store = store { $0.destination = .step(Step.State()) }
    let child = store.scope(state: \.child, action: \.child)
    let log = child.scope(state: \.log, action: \.self)
    #expect(log.state == [])
    await child.send(.run(.run { await $0(.note("a")) })).finish()
    #expect(log.state == ["a"])
    #expect(store.child.log == ["a"])
  }

  @Test func aChildsStoreKeepsTheRootAlive() async {
    var store: StoreOf<Parent>? = store()
    let gate = Gate()
    let child = store?.scope(state: \.child, action: \.child)
    let task = child?.send(.run(.after(gate, .note("a"))))
    store = nil
    gate.open()
    await task?.finish()
    #expect(child?.log == ["a"])
  }
}
