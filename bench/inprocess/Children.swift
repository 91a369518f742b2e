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

@Reducer
enum Destination {
  case counter(Counter)
  case other(Counter)
}

extension Destination.State: Sendable {}
extension Destination.Action: Sendable {}

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
}
