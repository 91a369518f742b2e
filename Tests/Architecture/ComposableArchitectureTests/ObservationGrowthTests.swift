import ComposableArchitecture
import Synchronization
import Testing

/// An action on a long list costs the same as on a short one, except for the depth of its tree.
///
/// The tests count operations, not time: hashes and comparisons of ids, and reads of elements' identities.
@MainActor @Suite(.serialized) struct ObservationGrowthTests {
  private nonisolated static let operations = Atomic(0)

  private nonisolated static func note() { operations.add(1, ordering: .relaxed) }

  struct RowID: Hashable, Sendable {
    let number: Int

    static func == (lhs: Self, rhs: Self) -> Bool {
      note()
      return lhs.number == rhs.number
    }

    func hash(into hasher: inout Hasher) {
      note()
      hasher.combine(number)
    }
  }

  /// The expansion of `@ObservableState`, written by hand to count operations.
  struct Row: ObservableState, Equatable, Identifiable, Sendable {
    let id: RowID
    private var storedTitle = ""
    private var registrar = ObservationStateRegistrar()

    init(number: Int) { id = RowID(number: number) }

    var _$id: ObservableStateID {
      note()
      return registrar.id
    }

    mutating func _$willModify() { registrar._$willModify() }

    var title: String {
      get {
        registrar.access(\Self.title)
        return storedTitle
      }
      set { registrar.mutate(\Self.title, &storedTitle, newValue) }
    }
  }

  @Reducer struct RowFeature {
    typealias State = Row
    enum Action: Sendable { case titled(String) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .titled(let title): state.title = title
        }
        return .none
      }
    }
  }

  @Reducer struct List {
    @ObservableState struct State: Equatable {
      var rows: IdentifiedArrayOf<Row>
      var stack = StackState<Row>()
      var changes = 0

      init(count: Int) { rows = IdentifiedArray(uniqueElements: (0..<count).map(Row.init)) }
    }

    enum Action: Sendable {
      case added(Int)
      case insertedFirst(Int)
      case editedByParent(Int)
      case replaced(Int)
      case moved(Int)
      case deleted(Int)
      case cleared
      case counted
      case pushed
      case popped
      case topEdited
      case rows(IdentifiedActionOf<RowFeature>)
      case stack(StackActionOf<RowFeature>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .added(let number): state.rows.append(Row(number: number))
        case .insertedFirst(let number): state.rows.insert(Row(number: number), at: 0)
        case .editedByParent(let number): state.rows[id: RowID(number: number)]?.title += "a"
        case .replaced(let number): state.rows[id: RowID(number: number)] = Row(number: number)
        case .moved(let number):
          guard let index = state.rows.index(id: RowID(number: number)) else { return .none }
          state.rows.move(fromOffsets: [index], toOffset: 0)
        case .deleted(let number): state.rows.remove(id: RowID(number: number))
        case .cleared: state.rows.removeAll()
        case .counted: state.changes += state.rows.count
        case .pushed: state.stack.append(Row(number: 0))
        case .popped: state.stack.removeLast()
        case .topEdited: if !state.stack.isEmpty { state.stack[state.stack.count - 1].title += "a" }
        case .rows, .stack: break
        }
        return .none
      }
      .forEach(\.rows, action: \.rows) { RowFeature() }
      .forEach(\.stack, action: \.stack) { RowFeature() }
    }
  }

  private nonisolated static let counts = [10, 1000, 30_000]

  /// The limit for an action: the comparisons in a few leaves of 32 elements.
  private static let limit = 1000

  private static func actions(_ count: Int) -> [List.Action] {
    let middle = count / 2
    return [
      .added(count), .insertedFirst(count + 1), .rows(.element(id: RowID(number: middle), action: .titled("a"))),
      .editedByParent(middle), .replaced(middle), .moved(middle + 1), .deleted(middle), .counted,
    ]
  }

  private static let stackActions: [List.Action] = [.pushed, .popped, .topEdited]

  /// The number of operations in `body`.
  private func operations(_ body: () -> Void) -> Int {
    let before = Self.operations.load(ordering: .relaxed)
    body()
    return Self.operations.load(ordering: .relaxed) - before
  }

  @Test(arguments: counts)
  func aHubPaysNothingForObservation(count: Int) {
    var core = ReducerCore(initialState: List.State(count: count), reducer: List())
    for action in Self.actions(count) {
      // The clients' version.
      let published = core.state
      let operations = operations { core.send(action) }
      #expect(operations < Self.limit, "\(action)")
      withExtendedLifetime(published) {}
    }
  }

  @Test(arguments: counts)
  func anObservedListCostsWhatChanges(count: Int) {
    let store = Store(initialState: List.State(count: count)) { List() }
    var heard = 0
    let list = observe {
      heard += 1
      _ = store.rows.count
    }
    let row = observe { _ = store.rows[id: RowID(number: 3)]?.title }
    for action in Self.actions(count) {
      let operations = operations { store.send(action) }
      #expect(operations < Self.limit, "\(action)")
    }
    // Added, inserted, replaced, moved, deleted.
    #expect(heard == 6)
    list.cancel()
    row.cancel()
  }

  @Test func allOfALongListMayBeRemoved() {
    var core = ReducerCore(initialState: List.State(count: 100_000), reducer: List())
    core.send(.cleared)
    #expect(core.state.rows.isEmpty)
  }

  @Test(arguments: [10, 1000])
  func anObservedStackCostsWhatChanges(count: Int) {
    var state = List.State(count: 0)
    state.stack = StackState((0..<count).map(Row.init))
    let store = Store(initialState: state) { List() }
    var heard = 0
    let subscription = observe {
      heard += 1
      _ = store.stack.count
    }
    // The first turn detects all changes of the stack.
    store.send(.counted)
    for action in Self.stackActions + [.counted] {
      let operations = operations { store.send(action) }
      #expect(operations < Self.limit, "\(action)")
    }
    #expect(heard == 3)
    subscription.cancel()
  }
}
