import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct ForEachTests {
  static let line: UInt = #line + 27
  @Reducer struct Rows {
    @ObservableState struct State: Equatable {
      var rows: IdentifiedArrayOf<Step.State> = [Step.State(id: 1), Step.State(id: 2)]
      var log: [String] = []
      var removesWhatRuns = false
    }

    enum Action: Sendable {
      case rows(IdentifiedActionOf<Step>)
      case remove(Int)
      case change(@Sendable (inout State) -> Void)
      case cancel(Int)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .rows(.element(let id, .note("delete"))): state.rows.remove(id: id)
        case .rows(.element(let id, .run)) where state.removesWhatRuns: state.rows.remove(id: id)
        case .rows(.element(let id, _)): state.log.append("\(id) has \(state.rows[id: id]?.log.count ?? -1)")
        case .remove(let id): state.rows.remove(id: id)
        case .change(let change): change(&state)
        case .cancel(let id): return .cancel(id: id)
        }
        return .none
      }
      .forEach(\.rows, action: \.rows) { Step() }
    }
  }

  private func store() -> StoreOf<Rows> { Store(initialState: Rows.State()) { Rows() } }

  @Test func anElementRunsBeforeItsParent() {
    let store = store()
    store.send(.rows(.element(id: 2, action: .note("a"))))
    #expect(store.rows[id: 2]?.log == ["a"])
    #expect(store.rows[id: 1]?.log == [])
    #expect(store.log == ["2 has 1"])
  }

  @Test func anElementMayBeDeletedByItsOwnAction() {
    let store = store()
    store.send(.rows(.element(id: 2, action: .note("delete"))))
    #expect(store.rows.ids.elementsEqual([1]))
  }

  @Test func effectsComeBackToTheirElement() async {
    let store = store()
    let gates = [Gate(), Gate()]
    let tasks = (0...1).map { index in
      store.send(.rows(.element(id: index + 1, action: .run(.after(gates[index], .note("to \(index + 1)"))))))
    }
    store.send(.change { $0.rows.reverse() })
    for gate in gates { gate.open() }
    for task in tasks { await task.finish() }
    #expect(store.rows[id: 1]?.log == ["to 1"])
    #expect(store.rows[id: 2]?.log == ["to 2"])
  }

  @Test func effectsEndWithTheirElement() async {
    let store = store()
    let (cancelled, gate) = (Gate(), Gate())
    let removed = store.send(.rows(.element(id: 1, action: .run(.endless(cancelled)))))
    let kept = store.send(.rows(.element(id: 2, action: .run(.after(gate, .note("kept"))))))
    store.send(.remove(1))
    await cancelled.wait()
    await removed.finish()
    gate.open()
    await kept.finish()
    #expect(store.rows == [Step.State(id: 2, log: ["kept"])])
  }

  @Test func effectsEndWhenTheElementDeletesItself() async {
    let store = store()
    let cancelled = Gate()
    store.send(.rows(.element(id: 1, action: .run(.endless(cancelled)))))
    store.send(.rows(.element(id: 1, action: .note("delete"))))
    await cancelled.wait()
  }

  @Test func effectsEndWhenAllElementsAreReplaced() async {
    let store = store()
    let cancelled = [Gate(), Gate()]
    for index in 0...1 {
      store.send(.rows(.element(id: index + 1, action: .run(.endless(cancelled[index])))))
    }
    store.send(.change { $0.rows = [Step.State(id: 3)] })
    for gate in cancelled { await gate.wait() }
  }

  @Test func anElementThatReturnsHasNoneOfItsOldEffects() async {
    let store = store()
    let gate = Gate()
    let task = store.send(.rows(.element(id: 1, action: .run(.after(gate, .note("late"))))))
    store.send(.remove(1))
    store.send(.change { $0.rows.append(Step.State(id: 1)) })
    gate.open()
    await task.finish()
    #expect(store.rows[id: 1]?.log == [])
  }

  @Test func anEffectOfTheActionThatRemovesItsElementIsCancelled() {
    var core = ReducerCore(initialState: Rows.State(removesWhatRuns: true), reducer: Rows())
    core.send(.rows(.element(id: 1, action: .run(.endless(Gate())))))
    #expect(core.runningEffectCount == 0)
  }

  @Test func aRemovalCancelsTheEffectsOfTheElementAlone() {
    var core = ReducerCore(initialState: Rows.State(), reducer: Rows())
    for id in [1, 2, 2] { core.send(.rows(.element(id: id, action: .run(.endless(Gate()))))) }
    core.send(.remove(2))
    #expect(core.runningEffectCount == 1)
    core.send(.remove(1))
    #expect(core.runningEffectCount == 0)
  }

  @Test func aRollBackRestoresTheEffectsThatARemovalCancels() {
    var core = ReducerCore(initialState: Rows.State(), reducer: Rows())
    core.send(.rows(.element(id: 1, action: .run(.endless(Gate())))))
    var checkpoint = core.checkpoint()
    core.send(.remove(1))
    core.rollBack(to: checkpoint)
    #expect(core.runningEffectCount == 1)
    core.send(.remove(1))
    #expect(core.runningEffectCount == 0)

    checkpoint = core.checkpoint()
    core.send(.rows(.element(id: 2, action: .run(.endless(Gate())))))
    core.rollBack(to: checkpoint)
    core.send(.rows(.element(id: 2, action: .run(.endless(Gate())))))
    core.send(.remove(2))
    #expect(core.runningEffectCount == 0)
  }

  @Test func anElementCannotCancelItsSiblingsEffects() async {
    let store = store()
    let gate = Gate()
    let task = store.send(.rows(.element(id: 1, action: .run(.after(gate, .note("kept")).cancellable(id: 7)))))
    store.send(.rows(.element(id: 2, action: .run(.cancel(id: 7)))))
    store.send(.rows(.element(id: 2, action: .run(.endless(Gate()).cancellable(id: 7, cancelInFlight: true)))))
    gate.open()
    await task.finish()
    #expect(store.rows[id: 1]?.log == ["kept"])
  }

  @Test func aParentCancelsTheEffectsOfAllElements() async {
    let store = store()
    let cancelled = [Gate(), Gate()]
    for index in 0...1 {
      store.send(.rows(.element(id: index + 1, action: .run(.endless(cancelled[index]).cancellable(id: 7)))))
    }
    store.send(.cancel(7))
    for gate in cancelled { await gate.wait() }
  }

  @Test func anActionForAMissingElementIsReportedAndReachesTheParent() {
    let store = store()
    let issues = Issues.of { _ = store.send(.rows(.element(id: 9, action: .note("a")))) }
    #expect(issues.lines == [Self.line])
    #expect(
      issues.messages.first?.hasPrefix(
        "A \"forEach\" at \"ComposableArchitectureTests/ForEachTests.swift:\(Self.line)\" received an action for a "
          + "missing element. …") == true, "\(issues.messages)")
    #expect(store.log == ["9 has -1"])
  }

  @Test func anElementsActionIsNamedByItsID() {
    let action = Rows.Action.rows(.element(id: 2, action: .note("a")))
    #expect(action.is(\.rows))
    #expect(action[case: \.rows[id: 2].note] == "a")
    #expect(action[case: \.rows[id: 1].note] == nil)
  }
}

/// Elements that are reached through a computed collection, whose setter changes another collection as well.
@Reducer
private struct Filtered {
  @ObservableState struct Row: Equatable, Identifiable {
    var id = 0
    var count = 0
  }

  @ObservableState struct Entry: Equatable, Identifiable { var id = 0 }

  @ObservableState struct State: Equatable {
    var rows: IdentifiedArrayOf<Row> = [Row(id: 1), Row(id: 2)]
    var log: IdentifiedArrayOf<Entry> = []
    var archive: IdentifiedArrayOf<Row> = []

    var visible: IdentifiedArrayOf<Row> {
      get { rows.filter { $0.id == 1 } }
      set {
        for row in newValue { rows[id: row.id] = row }
        log.append(Entry(id: log.count))
        archive.append(Row(id: archive.count))
      }
    }
  }

  @CasePathable enum Action { case visible(IdentifiedAction<Int, Never?>) }

  @Reducer struct Counting {
    func reduce(into state: inout Row, action: Never?) -> Effect<Never?> {
      state.count += 1
      return .none
    }
  }

  var body: some ReducerOf<Self> {
    EmptyReducer().forEach(\.visible, action: \.visible) { Counting() }
  }
}

@MainActor @Suite struct ComputedElementsTests {
  @Test func aSetterThatChangesAnotherCollectionNotifiesItsObservers() {
    let store = Store(initialState: Filtered.State()) { Filtered() }
    var counts: [Int] = []
    let subscription = observe { counts.append(store.log.count + store.archive.count) }
    store.send(.visible(.element(id: 1, action: nil)))
    #expect(store.rows[id: 1]?.count == 1)
    #expect(counts == [0, 2])
    subscription.cancel()
  }
}
