import ComposableCore

@Reducer
struct Row {
  @ObservableState struct State: Equatable, Identifiable, Sendable {
    let id: Int
    var count = 0
    var text = ""
  }
  enum Action: Sendable { case tapped }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@Reducer
struct List {
  @ObservableState struct State: Equatable, Sendable {
    var other = 0
    var shown = 0
    var row = Row.State(id: -1)
    var rows: IdentifiedArrayOf<Row.State> = []
  }
  enum Action: Sendable {
    case otherTapped
    case shownTapped
    case row(Row.Action)
    case rows(IdentifiedActionOf<Row>)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.row, action: \.row) { Row() }
    Reduce { state, action in
      switch action {
      case .otherTapped: state.other += 1
      case .shownTapped: state.shown += 1
      case .row, .rows: break
      }
      return .none
    }
    .forEach(\.rows, action: \.rows) { Row() }
  }
}

@MainActor
private func makeStore() -> StoreOf<List> {
  Store(initialState: List.State(rows: IdentifiedArray(uniqueElements: (0...1000).map { Row.State(id: $0) }))) {
    List()
  }
}

@MainActor
func measureObservation(_ bench: Bench) {
  bench.section("send, with stores of rows kept and observed")
  for count in [0, 1, 100, 1000] {
    let store = makeStore()
    let rows = Array(store.scope(state: \.rows, action: \.rows).prefix(count))
    let subscriptions = rows.map { row in observe { keep(row.count) } }
    bench.measure("\(count) rows observed, another field changes") { for _ in 0..<$0 { store.send(.otherTapped) } }
    bench.measure("\(count) rows observed, one row changes") {
      for _ in 0..<$0 { store.send(.rows(.element(id: 0, action: .tapped))) }
    }
    bench.measure("\(count) rows observed, one that nobody observes changes") {
      for _ in 0..<$0 { store.send(.rows(.element(id: 1000, action: .tapped))) }
    }
    withExtendedLifetime(subscriptions) {}
  }
  for what in ["another field", "one row", "one that nobody observes"] {
    bench.ratio(
      "1,000 to \(what == "one row" ? 1 : 0), \(what)", "1000 rows observed, \(what) changes",
      to: "\(what == "one row" ? 1 : 0) rows observed, \(what) changes",
      goal: "≤ 2")
  }

  bench.section("send, with subscriptions to one field")
  for count in [0, 1, 100, 1000] {
    let store = makeStore()
    let child = store.scope(state: \.row, action: \.row)
    let subscriptions = (0..<count).map { _ in child.subscribe(\.count) { keep($0) } }
    bench.measure("\(count) subscriptions, another field changes") { for _ in 0..<$0 { store.send(.otherTapped) } }
    bench.measure("\(count) subscriptions, their field changes") { for _ in 0..<$0 { store.send(.row(.tapped)) } }
    withExtendedLifetime(subscriptions) {}
  }
  bench.ratio(
    "1,000 to 1, another field", "1000 subscriptions, another field changes",
    to: "1 subscriptions, another field changes", goal: "≤ 2")
}
