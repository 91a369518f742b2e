import ComposableArchitecture
import Testing

/// Observers of a part of the state are notified of that part only, even while stores keep copies of their state.
@MainActor
@Suite struct ObservationCostTests {
  @Reducer
  struct Row {
    @ObservableState struct State: Equatable, Identifiable, Sendable {
      let id: Int
      var count = 0
      var text = ""
    }
    enum Action: Sendable {
      case tapped
      case typed(String)
      case replaced
    }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .tapped: state.count += 1
        case .typed(let text): state.text = text
        case .replaced: state = State(id: state.id, count: 100)
        }
        return .none
      }
    }
  }

  @Reducer
  struct List {
    @ObservableState struct State: Equatable, Sendable {
      var row = Row.State(id: -1)
      var draft: Row.State?
      var rows: IdentifiedArrayOf<Row.State> = []
    }
    @CasePathable
    enum Action: Sendable {
      case row(Row.Action)
      case rows(IdentifiedActionOf<Row>)
      case removed(Int)
      case drafted
      case draftTaken
    }
    var body: some ReducerOf<Self> {
      Scope(state: \.row, action: \.row) { Row() }
      Reduce { state, action in
        switch action {
        case .removed(let id): state.rows.remove(id: id)
        case .drafted:
          state.draft = state.row
          state.draft?.count += 10
        case .draftTaken: if let draft = state.draft { state.row = draft }
        case .row, .rows: break
        }
        return .none
      }
      .forEach(\.rows, action: \.rows) { Row() }
    }
  }

  private func makeStore() -> StoreOf<List> {
    Store(initialState: List.State(rows: [Row.State(id: 0), Row.State(id: 1), Row.State(id: 2)])) { List() }
  }

  @Test func aRowsObserverHearsOfItsRowOnly() throws {
    let store = makeStore()
    let rows = store.scope(state: \.rows, action: \.rows)
    var heard: [[Int]] = [[], [], []]
    let subscriptions = try (0..<3).map { id in
      let row = try #require(rows[id: id])
      return observe { heard[id].append(row.count) }
    }
    for _ in 0..<3 { store.send(.rows(.element(id: 1, action: .tapped))) }
    store.send(.rows(.element(id: 1, action: .typed("x"))))
    #expect(heard == [[0], [0, 1, 2, 3], [0]])
    store.send(.rows(.element(id: 1, action: .replaced)))
    #expect(heard[1].last == 100)
    store.send(.rows(.element(id: 1, action: .tapped)))
    #expect(heard[1].last == 101)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func whoReadsTheIDsHearsOfRemovals() {
    let store = makeStore()
    var heard: [[Int]] = []
    let subscription = observe { heard.append(Array(store.rows.ids)) }
    store.send(.rows(.element(id: 1, action: .tapped)))
    store.send(.removed(1))
    #expect(heard == [[0, 1, 2], [0, 2]])
    withExtendedLifetime(subscription) {}
  }

  @Test func aChildsObserverHearsOfItsFieldOnly() {
    let store = makeStore()
    let row = store.scope(state: \.row, action: \.row)
    var heard: [String] = []
    let subscription = observe { heard.append(row.text) }
    store.send(.row(.tapped))
    store.send(.row(.tapped))
    #expect(heard == [""])
    store.send(.row(.typed("x")))
    #expect(heard == ["", "x"])
    store.send(.row(.replaced))
    #expect(heard == ["", "x", ""])
    withExtendedLifetime(subscription) {}
  }

  @Test func aCopyThatWasChangedEarlierIsAnotherState() {
    let store = makeStore()
    var heard: [Int] = []
    let subscription = observe { heard.append(store.row.count) }
    store.send(.drafted)
    store.send(.draftTaken)
    #expect(heard.last == 10)
    store.send(.row(.tapped))
    #expect(heard.last == 11)
    withExtendedLifetime(subscription) {}
  }
}
