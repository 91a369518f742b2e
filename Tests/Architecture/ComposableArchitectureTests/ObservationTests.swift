import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct ObservationTests {
  @Reducer struct Feature {
    @ObservableState struct State: Equatable {
      var count = 0
      var name = ""
      var child = Child()
      var optional: Child?
      var rows: IdentifiedArrayOf<Child> = []
      var choice = Choice.first(Child())
      @Presents var presented: Child?
      var path = StackState<Child>()
      var double: Int { count * 2 }
      @ObservationStateIgnored var ignored = 0
    }

    @ObservableState struct Child: Equatable, Identifiable, Sendable {
      var id = 0
      var value = 0
      var text = ""
    }

    @CasePathable @dynamicMemberLookup
    @ObservableState enum Choice: Equatable {
      case first(Child)
      case second(Child)
    }

    enum Action: Sendable {
      case change(@Sendable (inout State) -> Void)
      case rows(IdentifiedAction<Int, ChildAction>)
      case optional(ChildAction)
      case path(StackAction<Child, ChildAction>)
    }

    @CasePathable enum ChildAction: Sendable {
      case change(@Sendable (inout Child) -> Void)
    }

    struct ChildFeature: Reducer {
      typealias State = Child
      typealias Action = ChildAction
      func reduce(into state: inout Child, action: ChildAction) -> Effect<ChildAction> {
        switch action {
        case .change(let change): change(&state)
        }
        return .none
      }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .change(let change) = action { change(&state) }
        return .none
      }
      .forEach(\.rows, action: \.rows) { ChildFeature() }
      .ifLet(\.optional, action: \.optional) { ChildFeature() }
      .forEach(\.path, action: \.path) { ChildFeature() }
    }
  }

  private func store(_ change: (inout Feature.State) -> Void = { _ in }) -> StoreOf<Feature> {
    var state = Feature.State()
    change(&state)
    return Store(initialState: state) { Feature() }
  }

  /// The number of notifications for the properties that `read` reads while a change is made.
  private func notifications(
    _ store: StoreOf<Feature>, reading read: @escaping @MainActor (StoreOf<Feature>) -> Void,
    _ changes: (@Sendable (inout Feature.State) -> Void)...
  ) -> [Int] {
    var calls = 0
    let subscription = observe {
      calls += 1
      read(store)
    }
    defer { subscription.cancel() }
    return changes.map {
      let before = calls
      store.send(.change($0))
      return calls - before
    }
  }

  @Test func fieldsAreObservedOneByOne() {
    let told = notifications(
      store(), reading: { _ = $0.count }, { $0.count = 1 }, { $0.name = "a" }, { $0.child.value = 1 },
      { $0.ignored = 1 }, { $0.optional = Feature.Child() }, { $0.count += 1 }, { _ in })
    #expect(told == [1, 0, 0, 0, 0, 1, 0])
  }

  @Test func whatIsComputedIsObservedThroughItsFields() {
    let told = notifications(store(), reading: { _ = $0.double }, { $0.count = 1 }, { $0.name = "a" })
    #expect(told == [1, 0])
  }

  @Test func ignoredFieldsAreNotObserved() {
    #expect(notifications(store(), reading: { _ = $0.ignored }, { $0.ignored = 1 }) == [0])
  }

  @Test func oneRunForAllThatATurnChanges() {
    let told = notifications(
      store(),
      reading: {
        _ = $0.count
        _ = $0.name
        _ = $0.child.value
      },
      {
        $0.count = 1
        $0.name = "a"
        $0.child.value = 2
        $0.count = 3
      })
    #expect(told == [1])
  }

  @Test func aNestedChildIsObservedByItsOwnFields() {
    let told = notifications(
      store(), reading: { _ = $0.child.value }, { $0.child.value = 1 }, { $0.child.text = "a" },
      { $0.child = Feature.Child() }, { $0.count = 1 })
    #expect(told == [1, 0, 1, 0])
  }

  @Test func aStateThatIsReplacedAsAWholeTellsEveryone() {
    let told = notifications(
      store(), reading: { _ = $0.count }, { $0 = Feature.State() },
      { $0.count = 1 },
      {
        let old = $0
        $0.count = 2
        $0 = old
      })
    #expect(told == [1, 1, 1])
  }

  @Test func copiesThatAreKeptChangeNothing() {
    // Keeping versions of the state, as a printer of changes does, causes no further notifications.
    let kept = Locked<[Feature.State]>([])
    let store = store {
      $0.rows = [Feature.Child(id: 1), Feature.Child(id: 2)]
      $0.optional = Feature.Child()
    }
    var calls: [String: Int] = [:]
    let subscriptions: [StoreSubscription] = [
      observe {
        calls["count", default: 0] += 1
        _ = store.count
      },
      observe {
        calls["row", default: 0] += 1
        _ = store.rows[id: 1]?.value
      },
      observe {
        calls["optional", default: 0] += 1
        _ = store.optional?.value
      },
    ]
    let changes: [@Sendable (inout Feature.State) -> Void] = [
      { $0.name = "a" }, { $0.rows[id: 2]?.value = 1 }, { $0.optional?.text = "a" }, { $0.count = 1 },
      { $0.rows[id: 1]?.value = 1 }, { $0.optional?.value = 1 }, { $0.name = "b" }, { $0.count = 2 },
    ]
    for change in changes {
      let state = store.state
      kept.change { $0.append(state) }
      store.send(.change(change))
    }
    #expect(calls == ["count": 3, "row": 2, "optional": 2])
    #expect(kept.value.map(\.count) == [0, 0, 0, 0, 1, 1, 1, 1])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func aStateThatGoesBackTellsEveryone() {
    // Undo: an earlier version of the state replaces the current one.
    let store = store()
    let kept = Locked<Feature.State?>(nil)
    var seen: [Int] = []
    let subscription = observe { seen.append(store.count) }
    store.send(.change { state in kept.change { [state] in $0 = state } })
    store.send(.change { $0.count = 1 })
    store.send(.change { $0 = kept.value ?? $0 })
    store.send(.change { $0.count = 2 })
    #expect(seen.last == 2)
    #expect(seen.filter { $0 == 1 }.count == 1)
    #expect(seen.contains(0))
    subscription.cancel()
  }

  @Test func anOptionalChildIsMutatedOrReplaced() {
    let presence = notifications(
      store(), reading: { _ = $0.optional == nil },
      { $0.optional = Feature.Child() }, { $0.optional?.value = 1 }, { $0.optional = Feature.Child() },
      { $0.optional = nil }, { $0.optional = nil })
    // A comparison with nil reads the optional but nothing in it.
    #expect(presence == [1, 0, 1, 1, 0])

    let value = notifications(
      store { $0.optional = Feature.Child() }, reading: { _ = $0.optional?.value },
      { $0.optional?.value = 1 }, { $0.optional?.text = "a" }, { $0.optional = Feature.Child() }, { $0.optional = nil })
    #expect(value == [1, 0, 1, 1])
  }

  @Test func aPresentedChildIsMutatedOrReplaced() {
    let presence = notifications(
      store(), reading: { _ = $0.presented == nil },
      { $0.presented = Feature.Child() }, { $0.presented?.value = 1 }, { $0.presented = Feature.Child() },
      { $0.$presented.wrappedValue?.value = 2 },
      {
        var presentation = $0.$presented
        presentation.wrappedValue?.value = 3
        $0.$presented = presentation
      }, { $0.presented = nil })
    #expect(presence.prefix(4) == [1, 0, 1, 0])
    #expect(presence.last == 1)
  }

  @Test func rowsAreObservedOneByOne() {
    func rows(_ state: inout Feature.State) { state.rows = [Feature.Child(id: 1), Feature.Child(id: 2)] }
    let ids = notifications(
      store(rows), reading: { _ = $0.rows.ids.map { $0 } },
      { $0.rows[id: 1]?.value = 1 }, { $0.rows.append(Feature.Child(id: 3)) }, { $0.rows[1].text = "a" },
      { $0.rows.swapAt(0, 2) }, { $0.rows.remove(id: 2) }, { $0.count = 1 })
    #expect(ids == [0, 1, 0, 1, 1, 0])

    let row = notifications(
      store(rows), reading: { _ = $0.rows[id: 1]?.value },
      { $0.rows[id: 1]?.value = 1 }, { $0.rows[id: 2]?.value = 1 }, { $0.rows[id: 1]?.text = "a" },
      { $0.rows[id: 1] = Feature.Child(id: 1, value: 7) }, { $0.rows[id: 1]?.value = 8 })
    #expect(row == [1, 0, 0, 1, 1])
  }

  @Test func storesOfRowsAreObservedOneByOne() {
    let store = store { $0.rows = [Feature.Child(id: 1), Feature.Child(id: 2)] }
    var calls = [0, 0]
    let subscriptions = store.scope(state: \.rows, action: \.rows).enumerated().map { index, row in
      observe {
        calls[index] += 1
        _ = row.value
      }
    }
    store.send(.rows(.element(id: 1, action: .change { $0.value = 1 })))
    #expect(calls == [2, 1])
    store.send(.rows(.element(id: 2, action: .change { $0.text = "a" })))
    #expect(calls == [2, 1])
    store.send(.rows(.element(id: 2, action: .change { $0.value = 1 })))
    #expect(calls == [2, 2])
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func elementsOfAStackAreObservedOneByOne() {
    func push(_ state: inout Feature.State) { state.path = StackState([Feature.Child(id: 1), Feature.Child(id: 2)]) }
    let count = notifications(
      store(push), reading: { _ = $0.path.count },
      { $0.path[0].value = 1 }, { $0.path.append(Feature.Child(id: 3)) }, { $0.path.removeLast() },
      { if let id = $0.path.ids.first { $0.path[id: id]?.value = 5 } })
    #expect(count == [0, 1, 1, 0])
    let value = notifications(
      store(push), reading: { _ = $0.path.first?.value },
      { $0.path[0].value = 1 }, { $0.path[1].value = 1 }, { $0.path[0] = Feature.Child(value: 9) })
    #expect(value == [1, 0, 1])
  }

  @Test func anEnumIsObservedByItsCaseAndPayload() {
    let choice = notifications(
      store(), reading: { _ = $0.choice.is(\.first) },
      { $0.choice.modify(\.first) { $0.value = 1 } }, { $0.choice = .second(Feature.Child()) },
      { $0.choice = .first(Feature.Child()) }, { $0.count = 1 })
    #expect(choice.dropFirst() == [1, 1, 0])

    let value = notifications(
      store(), reading: { _ = $0.choice.first?.value },
      { $0.choice.modify(\.first) { $0.value = 1 } }, { $0.choice = .second(Feature.Child()) },
      { $0.choice = .first(Feature.Child()) })
    #expect(value == [1, 1, 1])
  }

  @Test func copiesShareTheirIdentityUntilTheyChange() {
    let child = Feature.Child()
    var copy = child
    #expect(copy._$id == child._$id)
    copy.value = 1
    #expect(copy._$id != child._$id)
    let identity = copy._$id
    copy.value = 2
    #expect(copy._$id == identity)
    #expect(Feature.Child()._$id != Feature.Child()._$id)
    #expect(Feature.Child() == Feature.Child())

    let choice = Feature.Choice.first(child)
    #expect(choice._$id != Feature.Choice.second(child)._$id)
    #expect(choice._$id == Feature.Choice.first(child)._$id)
  }

  @Test func aCopyTellsNobodyOfTheOriginal() {
    let store = store()
    let told = notifications(
      store, reading: { _ = $0.child.value }, { $0.optional = $0.child }, { $0.optional?.value = 9 },
      { $0.optional?.value = 10 }, { $0.child.value = 11 }, { $0.optional?.value = 12 })
    // The first change after a copy may cause a notification, since the original cannot be known.
    #expect(told.first == 0)
    #expect(told.dropFirst(2) == [0, 1, 0])
  }

  @Test func trackingWorksWithoutOurHelp() {
    let store = store()
    let calls = Locked(0)
    func track() {
      withObservationTracking {
        _ = store.count
      } onChange: {
        calls.change { $0 += 1 }
      }
    }
    track()
    store.send(.change { $0.name = "a" })
    #expect(calls.value == 0)
    store.send(.change { $0.count = 1 })
    store.send(.change { $0.count = 2 })
    #expect(calls.value == 1)
    track()
    store.send(.change { $0.count = 3 })
    #expect(calls.value == 2)
  }

  @Test func aPlainStateTellsOfEachTurn() {
    let store = Store(initialState: Script.State()) { Script() }
    var counts: [Int] = []
    let subscription = observe { counts.append(store.log.count) }
    store.send(.note("a"))
    store.send(.run(.none))
    store.send(.note("b"))
    #expect(counts.first == 0 && counts.last == 2)
    subscription.cancel()
    store.send(.note("c"))
    #expect(counts.last == 2)
  }

  @Test func aScopedStoreIsObservedByItsFields() {
    let store = store { $0.optional = Feature.Child() }
    guard let child = store.scope(state: \.optional, action: \.optional) else {
      Issue.record("no child")
      return
    }
    var values: [Int] = []
    let subscription = observe { values.append(child.value) }
    store.send(.optional(.change { $0.text = "a" }))
    store.send(.change { $0.count = 1 })
    #expect(values == [0])
    child.send(.change { $0.value = 1 })
    #expect(values == [0, 1])
    subscription.cancel()
  }

  @Test func anObserverSeesWhatTheWholeTurnHasDone() {
    let store = store()
    var seen: [String] = []
    let subscription = observe { seen.append("\(store.count) \(store.name)") }
    store.send(
      .change {
        $0.count = 1
        $0.name = "a"
      })
    #expect(seen == ["0 ", "1 a"])
    subscription.cancel()
  }

  @Test func aSubscriberMaySend() {
    let store = store()
    var seen: [Int] = []
    let subscription = store.subscribe(\.count) { count in
      seen.append(count)
      if count < 3 { store.send(.change { $0.count += 1 }) }
    }
    #expect(store.count == 3)
    #expect(seen == [0, 1, 2, 3])
    store.send(.change { $0.count = 1 })
    #expect(store.count == 3)
    subscription.cancel()
  }

  @Test func subscribersToAPropertyAreToldOfNewValuesOnly() {
    let store = store()
    var names: [String] = []
    let subscription = store.subscribe(\.name) { names.append($0) }
    store.send(.change { $0.name = "a" })
    store.send(.change { $0.count = 1 })
    store.send(.change { $0.name = "a" })
    store.send(.change { $0.name = "b" })
    #expect(names == ["", "a", "b"])
    subscription.cancel()
    store.send(.change { $0.name = "c" })
    #expect(names == ["", "a", "b"])
  }

  @Test func valuesComeAsASequence() async {
    let store = store()
    var iterator = store.values(of: \.count).makeAsyncIterator()
    #expect(await iterator.next() == 0)
    store.send(.change { $0.name = "a" })
    store.send(.change { $0.count = 1 })
    #expect(await iterator.next() == 1)
    store.send(.change { $0.count = 2 })
    store.send(.change { $0.count = 3 })
    #expect(await iterator.next() == 3)
  }

  @Observable final class Model {
    var number = 0
  }

  @Test func otherObservablesAreObservedToo() async {
    let (store, model) = (store(), Model())
    let (seen, continuation) = AsyncStream.makeStream(of: String.self)
    let subscription = observe { continuation.yield("\(store.count) \(model.number)") }
    var iterator = seen.makeAsyncIterator()
    #expect(await iterator.next() == "0 0")
    model.number = 1
    #expect(await iterator.next() == "0 1")
    store.send(.change { $0.count = 1 })
    #expect(await iterator.next() == "1 1")
    model.number = 2
    #expect(await iterator.next() == "1 2")
    subscription.cancel()
  }

  @Test func aSharedValueThatAReducerChangesIsReadAfterItsTurn() {
    let shared = Shared(value: 0)
    let store = store()
    var seen: [String] = []
    let subscription = observe { seen.append("\(store.count) \(shared.wrappedValue)") }
    store.send(
      .change {
        shared.withLock { $0 = 1 }
        $0.count = 1
      })
    store.send(.change { _ in shared.withLock { $0 = 2 } })
    #expect(seen == ["0 0", "1 1", "1 2"])
    subscription.cancel()
  }

  @Test func aSharedValueThatAReducerChangesIsObservedWithoutItsStore() {
    let shared = Shared(value: 0)
    let store = store()
    var seen: [Int] = []
    let subscription = observe { seen.append(shared.wrappedValue) }
    store.send(.change { _ in shared.withLock { $0 = 1 } })
    store.send(.change { _ in shared.withLock { $0 = 2 } })
    #expect(seen == [0, 1, 2])
    subscription.cancel()
  }

  @Test func aSharedValueThatAnotherThreadChangesIsObserved() async {
    let shared = Shared(value: 0)
    let (seen, continuation) = AsyncStream.makeStream(of: Int.self)
    let subscription = observe { continuation.yield(shared.wrappedValue) }
    var iterator = seen.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    await Task.detached { shared.withLock { $0 = 1 } }.value
    #expect(await iterator.next() == 1)
    subscription.cancel()
  }

  @Test func whatReducersReadIsNobodysObservation() {
    let store = store()
    var calls = 0
    let subscription = observe {
      calls += 1
      // The action's reducer reads `name` inside this closure.
      if calls == 1 { store.send(.change { $0.count = $0.name.count + 1 }) }
    }
    store.send(.change { $0.name = "a" })
    #expect(calls == 1)
    subscription.cancel()
  }
}
