import ComposableCore

@Reducer
struct Counter {
  struct State: Equatable, Sendable { var count = 0 }
  enum Action: Sendable { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@MainActor
func measureSends(_ bench: Bench) {
  bench.section("send")
  let counter = Store(initialState: Counter.State()) { Counter() }
  bench.measure("send") { for _ in 0..<$0 { counter.send(.tapped) } }
  let observed = Store(initialState: Counter.State()) { Counter() }
  let subscription = observed.subscribe(\.count) { keep($0) }
  bench.measure("send, one observer whose value changes") { for _ in 0..<$0 { observed.send(.tapped) } }
  subscription.cancel()

  let root = Store(initialState: Level10.State()) { Level10() }
  let one = root.scope(state: \.child, action: \.child)
  let three = one.scope(state: \.child, action: \.child).scope(state: \.child, action: \.child)
  let five = three.scope(state: \.child, action: \.child).scope(state: \.child, action: \.child)
  let seven = five.scope(state: \.child, action: \.child).scope(state: \.child, action: \.child)
  let nine = seven.scope(state: \.child, action: \.child).scope(state: \.child, action: \.child)
  let ten = nine.scope(state: \.child, action: \.child)
  bench.measure("send to the root of 10 levels") { for _ in 0..<$0 { root.send(.tapped) } }
  bench.measure("send through 1 scope") { for _ in 0..<$0 { one.send(.tapped) } }
  bench.measure("send through 3 scopes") { for _ in 0..<$0 { three.send(.tapped) } }
  bench.measure("send through 5 scopes") { for _ in 0..<$0 { five.send(.tapped) } }
  bench.measure("send through 10 scopes") { for _ in 0..<$0 { ten.send(.tapped) } }
  bench.measure("read a field through 10 scopes") { for _ in 0..<$0 { keep(ten.count) } }
  bench.measure("scope(state:action:) to a kept child") {
    for _ in 0..<$0 { keep(root.scope(state: \.child, action: \.child)) }
  }
}
