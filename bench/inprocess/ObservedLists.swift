import ComposableCore

/// A list whose parent adds, edits, moves, deletes and toggles its elements.
@Reducer
struct Chores {
  @ObservableState struct Chore: Equatable, Identifiable, Sendable {
    let id: Int
    var title = "Water the plants"
    var isDone = false
  }

  @ObservableState struct State: Equatable, Sendable {
    var chores: IdentifiedArrayOf<Chore>
    var next: Int

    init(count: Int) {
      chores = IdentifiedArray(uniqueElements: (0..<count).map { Chore(id: $0) })
      next = count
    }
  }

  enum Action: Sendable {
    case addedAndDeleted
    case edited(Int)
    case moved(Int)
    case deletedAndAdded(Int)
    case chores(IdentifiedAction<Int, ChoreAction>)
  }

  enum ChoreAction: Sendable { case toggled }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addedAndDeleted:
        state.chores.append(Chore(id: state.next))
        state.chores.remove(id: state.next)
        state.next += 1
      case .edited(let id): state.chores[id: id]?.title = "Water the garden"
      case .moved(let id):
        guard let index = state.chores.index(id: id) else { return .none }
        state.chores.move(fromOffsets: [index], toOffset: index == 0 ? state.chores.count : 0)
      case .deletedAndAdded(let id):
        if let chore = state.chores.remove(id: id) { state.chores.append(chore) }
      case .chores: break
      }
      return .none
    }
    .forEach(\.chores, action: \.chores) {
      Reduce { chore, action in
        chore.isDone.toggle()
        return .none
      }
    }
  }
}

/// Each action leaves as many elements as there were.
@MainActor
func measureObservedLists(_ bench: Bench) {
  bench.section("send, with a list of n and one row observed")
  let sizes = [1000, 1_000_000]
  for count in sizes {
    let name = "observed list of \(count)"
    guard ["add", "edit", "move", "delete", "toggle"].contains(where: { bench.isWanted("\(name), \($0)") }) else {
      continue
    }
    let store = Store(initialState: Chores.State(count: count)) { Chores() }
    let (middle, row) = (count / 2, count / 3)
    let subscriptions = [
      observe { keep(store.chores.count) }, observe { keep(store.chores[id: row]?.title) },
    ]
    bench.measure("\(name), add") { for _ in 0..<$0 { store.send(.addedAndDeleted) } }
    bench.measure("\(name), edit") { for _ in 0..<$0 { store.send(.edited(middle)) } }
    bench.measure("\(name), move") { for _ in 0..<$0 { store.send(.moved(middle)) } }
    bench.measure("\(name), delete") { for _ in 0..<$0 { store.send(.deletedAndAdded(middle)) } }
    bench.measure("\(name), toggle") {
      for _ in 0..<$0 { store.send(.chores(.element(id: middle, action: .toggled))) }
    }
    withExtendedLifetime(subscriptions) {}
  }
  for what in ["add", "edit", "move", "delete", "toggle"] {
    bench.ratio(
      "1,000,000 to 1,000, \(what)", "observed list of 1000000, \(what)", to: "observed list of 1000, \(what)",
      goal: "≤ 2")
  }
}
