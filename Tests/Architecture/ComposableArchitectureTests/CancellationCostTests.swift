import ComposableArchitecture
import Testing

/// The cost of a cancellation, counted in operations on ids, does not depend on the number of other ids in use.
@MainActor @Suite(.timeLimit(.minutes(30))) struct CancellationCostTests {
  /// An id that counts its hashes and comparisons.
  struct Counted: Hashable, Sendable {
    let number: Int
    let count: Locked<Int>

    static func == (lhs: Self, rhs: Self) -> Bool {
      lhs.count.change { $0 += 1 }
      return lhs.number == rhs.number
    }

    func hash(into hasher: inout Hasher) {
      count.change { $0 += 1 }
      hasher.combine(number)
    }
  }

  /// The number of operations on ids while `operation` runs.
  private func operations(of count: Locked<Int>, _ operation: () async -> Void) async -> Int {
    let before = count.value
    await operation()
    return count.value - before
  }

  /// The limit for ten cancellations, whatever the number of live ids.
  private let most = 400

  @Test(arguments: [20, 2_000]) func cancellingOneEffectOfMany(live: Int) async {
    let count = Locked(0)
    let store = Store(initialState: Script.State()) { Script() }
    let effects = (0..<live).map { number in
      Effect<Script.Action>.endless(Gate()).cancellable(id: Counted(number: number, count: count))
    }
    let task = store.send(.run(.merge(effects)))
    let operations = await operations(of: count) {
      for number in 0..<10 { store.send(.run(.cancel(id: Counted(number: number, count: count)))) }
    }
    #expect(operations < most)
    task.cancel()
  }

  @Test(arguments: [20, 2_000]) func cancellingOneTaskOfMany(live: Int) async {
    let count = Locked(0)
    let (started, cancelled) = (Locked(0), Locked(0))
    let (all, ten) = (Gate(), Gate())
    let store = Store(initialState: Script.State()) { Script() }
    let work = store.send(
      .run(
        .run { _ in
          await withDiscardingTaskGroup { group in
            for number in 0..<live {
              group.addTask {
                await withTaskCancellation(id: Counted(number: number, count: count)) {
                  started.change { $0 += 1 }
                  if started.value == live { all.open() }
                  await Gate().wait()
                  cancelled.change { $0 += 1 }
                  if cancelled.value == 10 { ten.open() }
                }
              }
            }
          }
        }))
    await all.wait()
    let measured = Locked(0)
    let cancelling = store.send(
      .run(
        .run { _ in
          let before = count.value
          for number in 0..<10 { Task.cancel(id: Counted(number: number, count: count)) }
          measured.change { $0 = count.value - before }
          await ten.wait()
        }))
    await cancelling.finish()
    #expect(measured.value < most)
    work.cancel()
  }

  @Test(arguments: [20, 2_000]) func runningWithAnIDBesideMany(live: Int) async {
    let count = Locked(0)
    let store = Store(initialState: Script.State()) { Script() }
    let effects = (0..<live).map { number in
      Effect<Script.Action>.endless(Gate()).cancellable(id: Counted(number: number, count: count))
    }
    let task = store.send(.run(.merge(effects)))
    let operations = await operations(of: count) {
      await store.send(
        .run(
          .run { _ in
            for number in 0..<10 {
              await withTaskCancellation(id: Counted(number: -number, count: count), cancelInFlight: true) {}
            }
          })
      ).finish()
    }
    #expect(operations < most)
    task.cancel()
  }

  @Reducer struct List {
    @ObservableState struct State { var rows: IdentifiedArrayOf<Row.State> = [] }
    enum Action: Sendable {
      case rows(IdentifiedActionOf<Row>)
      case remove(Counted)
    }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .remove(let id) = action { state.rows.remove(id: id) }
        return .none
      }
      .forEach(\.rows, action: \.rows) { Row() }
    }
  }

  @Reducer struct Row {
    @ObservableState struct State: Identifiable { var id: Counted }
    enum Action: Sendable { case start, stop }
    var body: some ReducerOf<Self> {
      Reduce { _, action in
        switch action {
        case .start: .endless(Gate()).cancellable(id: "row")
        case .stop: .cancel(id: "row")
        }
      }
    }
  }

  @Test(arguments: [20, 1_000]) func rowsThatRunTheSameEffect(live: Int) async {
    let count = Locked(0)
    func id(_ number: Int) -> Counted { Counted(number: number, count: count) }
    let store = Store(
      initialState: List.State(rows: IdentifiedArray(uniqueElements: (0..<live).map { Row.State(id: id($0)) }))
    ) {
      List()
    }
    var tasks: [StoreTask] = []
    for number in 0..<live { tasks.append(store.send(.rows(.element(id: id(number), action: .start)))) }
    let operations = await operations(of: count) {
      for number in 0..<5 { store.send(.rows(.element(id: id(number), action: .stop))) }
      for number in 5..<10 { store.send(.remove(id(number))) }
    }
    #expect(operations < 2 * most)
    for (number, task) in tasks.enumerated() { #expect(task.isOver == (number < 10)) }
    for task in tasks { task.cancel() }
  }
}
