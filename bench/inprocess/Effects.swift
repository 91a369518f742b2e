import ComposableCore

@Reducer
struct Effects {
  struct State: Sendable {
    var count = 0
    var left = 0
  }
  enum Action: Sendable {
    case answered
    case flatTapped
    case nestedTapped
    case sendTapped
    case runTapped
    case chainTapped(Int)
    case chained
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .answered:
        state.count += 1
        return .none
      case .flatTapped: return .merge((0..<100).lazy.map { _ in Effect<Action>.none })
      case .nestedTapped: return (0..<100).reduce(Effect<Action>.none) { effect, _ in .merge(effect, .none) }
      case .sendTapped: return .send(.answered)
      case .runTapped: return .run { await $0(.answered) }
      case .chainTapped(let count):
        state.left = count
        return .send(.chained)
      case .chained:
        state.left -= 1
        return state.left > 0 ? .send(.chained) : .none
      }
    }
  }
}

@MainActor
func measureEffects(_ bench: Bench) async {
  bench.section("effects")
  let store = Store(initialState: Effects.State()) { Effects() }
  bench.measure("merge of 100 `.none`, flat") { for _ in 0..<$0 { store.send(.flatTapped) } }
  bench.measure("merge of 100 `.none`, nested") { for _ in 0..<$0 { store.send(.nestedTapped) } }
  bench.measure("an effect that answers at once") { for _ in 0..<$0 { store.send(.sendTapped) } }
  bench.measure("100,000 actions sent by effects, each", step: 100_000) {
    for _ in 0..<$0 / 100_000 { store.send(.chainTapped(100_000)) }
  }
  await bench.measure("a `run` that sends one action, waited for", count: 500) {
    await store.send(.runTapped).finish()
  }
  await bench.measure("a `run` that sends one action, of 500 at a time", count: 1, step: 500) {
    for _ in 0..<499 { store.send(.runTapped) }
    await store.send(.runTapped).finish()
  }
}
