import ComposableArchitecture
import Testing

/// Forms that versions after 1.17 introduced, and those that they infer.
@MainActor @Suite(.timeLimit(.minutes(30))) struct LaterFormsTests {
  @Reducer enum Path {
    case step(Step)
    case alert(AlertState<Never>)
    case help
    @ReducerCaseIgnored case page(Int)
  }

  @Reducer struct Parent {
    @ObservableState struct State {
      var child = Step.State()
      var optional: Step.State?
      @Presents var presented: Step.State?
      @Presents var destination: Path.State?
      @Presents var alert: AlertState<Never>?
      var rows: IdentifiedArrayOf<Step.State> = []
      var path = StackState<Step.State>()
    }

    enum Action: Sendable {
      case child(Step.Action)
      case optional(Step.Action)
      case presented(PresentationAction<Step.Action>)
      case destination(PresentationAction<Path.Action>)
      case alert(PresentationAction<Never>)
      case rows(IdentifiedActionOf<Step>)
      case path(StackActionOf<Step>)
      case change(@Sendable (inout State) -> Void)
    }

    var body: some ReducerOf<Self> {
      Scope(\.child, action: \.child) { Step() }
      Reduce { state, action in
        if case .change(let change) = action { change(&state) }
        return .none
      }
      .ifLet(\.optional, action: \.optional) { Step() }
      .ifLet(\.$presented, action: \.presented) { Step() }
      .ifLet(\.$destination, action: \.destination)
      .ifLet(\.alert, action: \.alert)
      .forEach(\.rows, action: \.rows) { Step() }
      .forEach(\.path, action: \.path) { Step() }
    }
  }

  @Reducer struct Session {
    @ObservableState enum State: Equatable { case loggedIn(Step.State), loggedOut(Step.State) }
    enum Action: Sendable { case loggedIn(Step.Action), loggedOut(Step.Action) }
    static let line = UInt(#line) + 2
    var body: some ReducerOf<Self> {
      Scope(\.loggedIn, action: \.loggedIn) { Step() }
      Scope(\.loggedOut, action: \.loggedOut) { Step() }
    }
  }

  private func store(_ change: (inout Parent.State) -> Void) -> StoreOf<Parent> {
    var state = Parent.State()
    change(&state)
    return Store(initialState: state) { Parent() }
  }

  @Test func scopesWithoutALabel() {
    let store = store {
      $0.optional = Step.State()
      $0.presented = Step.State()
      $0.rows = [Step.State(id: 7)]
      $0.path = StackState([Step.State(id: 8)])
    }
    store.scope(\.child, action: \.child).send(.note("a"))
    store.scope(\.optional, action: \.optional)?.send(.note("b"))
    store.scope(\.presented, action: \.presented)?.send(.note("c"))
    store.scope(\.rows, action: \.rows)[id: 7]?.send(.note("d"))
    store.scope(\.path, action: \.path).first?.send(.note("e"))
    #expect(store.child.log == ["a"] && store.optional?.log == ["b"] && store.presented?.log == ["c"])
    #expect(store.rows[0].log == ["d"] && store.path.first?.log == ["e"])
    #expect(store.scope(\.child, action: \.child) === store.scope(state: \.child, action: \.child))
  }

  @Test func aScopeOnACaseWithoutALabel() {
    let store = Store(initialState: .loggedOut(Step.State())) { Session() }
    store.send(.loggedOut(.note("a")))
    #expect(store.state == .loggedOut(Step.State(log: ["a"])))
    let issues = Issues.of { _ = store.send(.loggedIn(.note("b"))) }
    #expect(issues.lines == [Session.line])
  }

  @Test func aPresentationIsScopedByItsProjection() {
    let store = store { $0.presented = Step.State() }
    if let child = store.scope(state: \.$presented, action: \.presented) { child.send(.note("a")) }
    store.scope(\.$presented, action: \.presented)?.send(.note("b"))
    #expect(store.presented?.log == ["a", "b"])
    store.send(.presented(.dismiss))
    #expect(store.scope(\.$presented, action: \.presented) == nil)
  }

  @Test func theCasesOfADestinationFollowItsScope() {
    let store = store { $0.destination = .step(Step.State()) }
    store.scope(state: \.$destination, action: \.destination).step?.send(.note("a"))
    store.scope(\.$destination, action: \.destination).step?.send(.note("b"))
    #expect(store.destination?.step?.log == ["a", "b"])
    #expect(store.scope(\.$destination, action: \.destination).alert == nil)
    store.send(.change { $0.destination = .alert(AlertState { TextState("Hi") }) })
    #expect(store.scope(\.$destination, action: \.destination).alert?.title == TextState("Hi"))
    #expect(store.scope(\.$destination, action: \.destination).step == nil)
    store.send(.change { $0.destination = .page(3) })
    #expect(store.scope(\.$destination, action: \.destination).page == 3)
    store.send(.change { $0.destination = .help })
    #expect(store.scope(\.$destination, action: \.destination).help != nil)
    store.send(.destination(.dismiss))
    #expect(store.scope(\.$destination, action: \.destination).help == nil)
    #expect(store.scope(\.$destination, action: \.destination).store == nil)
    // Where an optional is expected, it is the store of the enum.
    store.send(.change { $0.destination = .step(Step.State()) })
    guard let destination = store.scope(state: \.$destination, action: \.destination).store else {
      return #expect(Bool(false))
    }
    #expect(destination.case.step != nil)
  }

  @Test func aDestinationIsObserved() {
    let store = store { $0.destination = .step(Step.State()) }
    var seen: [Bool] = []
    let subscription = observe { seen.append(store.scope(\.$destination, action: \.destination).step != nil) }
    store.send(.destination(.dismiss))
    #expect(seen == [true, false])
    _ = subscription
  }

  @Test func anAlertWithoutActionsIsDismissedByItsPresentation() {
    let store = store { $0.alert = AlertState { TextState("Hi") } }
    store.send(.alert(.dismiss))
    #expect(store.alert == nil)
  }

  @Test func aStoreSendsItsInitialAction() {
    let store = Store(initialState: Step.State(), initialAction: .note("first")) { Step() }
    #expect(store.log == ["first"])
    let other = Store(initialState: Step.State(), initialAction: nil) {
      Step()
    } withDependencies: {
      $0.context = .test
    }
    #expect(other.log == [])
  }

  @Test func aStoreIsInferredFromItsReducer() {
    let store = Store(initialState: 0) {
      Reduce<Int?, Bool> { state, isOn in
        state = isOn ? 1 : nil
        return .none
      }
    }
    store.send(false)
    #expect(store.state == nil)
  }
}
