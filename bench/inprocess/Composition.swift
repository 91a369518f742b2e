import ComposableCore

@Reducer
struct Ten {
  struct State: Sendable {
    var c0 = Counter.State(), c1 = Counter.State(), c2 = Counter.State(), c3 = Counter.State(), c4 = Counter.State()
    var c5 = Counter.State(), c6 = Counter.State(), c7 = Counter.State(), c8 = Counter.State(), c9 = Counter.State()
  }

  enum Action: Sendable {
    case c0(Counter.Action), c1(Counter.Action), c2(Counter.Action), c3(Counter.Action), c4(Counter.Action)
    case c5(Counter.Action), c6(Counter.Action), c7(Counter.Action), c8(Counter.Action), c9(Counter.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.c0, action: \.c0) { Counter() }
    Scope(state: \.c1, action: \.c1) { Counter() }
    Scope(state: \.c2, action: \.c2) { Counter() }
    Scope(state: \.c3, action: \.c3) { Counter() }
    Scope(state: \.c4, action: \.c4) { Counter() }
    Scope(state: \.c5, action: \.c5) { Counter() }
    Scope(state: \.c6, action: \.c6) { Counter() }
    Scope(state: \.c7, action: \.c7) { Counter() }
    Scope(state: \.c8, action: \.c8) { Counter() }
    Scope(state: \.c9, action: \.c9) { Counter() }
  }
}

@MainActor
func measureComposition(_ bench: Bench) {
  bench.section("one of many composed reducers")
  let ten = Store(initialState: Ten.State()) { Ten() }
  bench.measure("one of 10, the first") { for _ in 0..<$0 { ten.send(.c0(.tapped)) } }
  bench.measure("one of 10, the last") { for _ in 0..<$0 { ten.send(.c9(.tapped)) } }
  let hundred = Store(initialState: Hundred.State()) { Hundred() }
  bench.measure("one of 100, the first") { for _ in 0..<$0 { hundred.send(.c00(.tapped)) } }
  bench.measure("one of 100, the last") { for _ in 0..<$0 { hundred.send(.c99(.tapped)) } }
  bench.ratio("100 to 10", "one of 100, the last", to: "one of 10, the last", goal: "≤ 2")
}
