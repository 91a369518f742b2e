import ComposableCore

@Reducer
struct Parent {
  @ObservableState struct State: Sendable {
    var optional: Counter.State? = Counter.State()
    @Presents var presented: Counter.State? = Counter.State()
    @Presents var destination: Destination.State? = .counter(Counter.State())
    var other = 0
  }
  enum Action: Sendable {
    case optional(Counter.Action)
    case presented(PresentationAction<Counter.Action>)
    case destination(PresentationAction<Destination.Action>)
    case otherTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .otherTapped = action { state.other += 1 }
      return .none
    }
    .ifLet(\.optional, action: \.optional) { Counter() }
    .ifLet(\.$presented, action: \.presented) { Counter() }
    .ifLet(\.$destination, action: \.destination)
  }
}

@Reducer(state: .sendable, action: .sendable)
enum Destination {
  case counter(Counter)
  case other(Counter)
}

/// A parent with a stack of features.
@Reducer
struct Navigation {
  @ObservableState struct State: Sendable {
    var path = StackState<Destination.State>()
    var other = 0
  }
  enum Action: Sendable {
    case path(StackActionOf<Destination>)
    case otherTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .otherTapped = action { state.other += 1 }
      return .none
    }
    .forEach(\.path, action: \.path)
  }
}

@MainActor
func measureChildren(_ bench: Bench) {
  bench.section("children that may be absent, all three in one feature")
  let store = Store(initialState: Parent.State()) { Parent() }
  bench.measure("the parent's own action") { for _ in 0..<$0 { store.send(.otherTapped) } }
  bench.measure("ifLet, optional") { for _ in 0..<$0 { store.send(.optional(.tapped)) } }
  bench.measure("ifLet, presented") { for _ in 0..<$0 { store.send(.presented(.presented(.tapped))) } }
  bench.measure("ifLet, presented enum") { for _ in 0..<$0 { store.send(.destination(.presented(.counter(.tapped)))) } }
  if let child = store.scope(state: \.presented, action: \.presented) {
    bench.measure("ifLet, presented, through its store") { for _ in 0..<$0 { child.send(.tapped) } }
    bench.measure("read a field through its store") { for _ in 0..<$0 { keep(child.count) } }
  }
  bench.section("a stack of 10 features")
  let elements = (0..<10).map { _ in Destination.State.counter(Counter.State()) }
  let stack = Store(initialState: Navigation.State(path: StackState(elements))) { Navigation() }
  bench.measure("the stack's parent's own action") { for _ in 0..<$0 { stack.send(.otherTapped) } }
  let top = stack.state.path.ids[9]
  bench.measure("an element's action") {
    for _ in 0..<$0 { stack.send(.path(.element(id: top, action: .counter(.tapped)))) }
  }
}
