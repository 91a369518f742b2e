import ComposableTesting
import Testing

@Reducer
private struct Detail {
  @ObservableState struct State: Equatable, Identifiable {
    var id: Int
    var isEdited = false
  }
  enum Action { case closeTapped, editTapped, openTapped, delegate(Delegate) }
  @CasePathable enum Delegate { case open(Int) }

  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .closeTapped: return .run { _ in await dismiss() }
      case .editTapped:
        state.isEdited = true
        return .none
      case .openTapped: return .send(.delegate(.open(state.id + 1)))
      case .delegate: return .none
      }
    }
  }
}

@Reducer
private struct Root {
  @Reducer enum Path { case detail(Detail) }

  @ObservableState struct State: Equatable {
    var path = StackState<Path.State>()
    @Shared(.inMemory("visits")) var visits = 0
  }

  enum Action {
    case openTapped(Int)
    case path(StackActionOf<Path>)
    case visitTapped
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .openTapped(let id), .path(.element(_, .detail(.delegate(.open(let id))))):
        state.path.append(.detail(Detail.State(id: id)))
        return .none
      case .path: return .none
      case .visitTapped:
        state.$visits.withLock { $0 += 1 }
        return .none
      }
    }
    .forEach(\.path, action: \.path)
  }
}

extension Root.Path.State: Equatable {}

@Reducer
private struct Element {
  struct State: Equatable {
    @Shared var element: Detail.State
    var removals = 0
  }

  enum Action { case removeTapped }

  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      @Shared(.inMemory("list of sharing tests")) var list: IdentifiedArrayOf<Detail.State> = []
      if $list.withLock({ $0.remove(id: state.element.id) }) == nil { state.removals = 2 }
      return .none
    }
  }
}

@MainActor
@Suite struct NavigationTests {
  @Test func elementsArePushedAndPopThemselves() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    await store.send(\.openTapped, 5) { $0.path.append(.detail(Detail.State(id: 5))) }
    await store.send(\.path[id: 0].detail.editTapped) { $0.path[id: 0, case: \.detail]?.isEdited = true }
    await store.send(\.path[id: 0].detail.openTapped)
    await store.receive(\.path[id: 0].detail.delegate.open, 6) { $0.path.append(.detail(Detail.State(id: 6))) }
    #expect(Array(store.state.path.ids) == [0, 1])
    await store.send(\.path[id: 1].detail.closeTapped)
    await store.receive(\.path.popFrom) { $0.path.pop(from: 1) }
    await store.send(.path(.popFrom(id: 0))) { $0.path = StackState() }
  }

  @Test func statesArePushedUnderAnID() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    await store.send(.path(.push(id: 0, state: .detail(Detail.State(id: 1))))) {
      $0.path.append(.detail(Detail.State(id: 1)))
    }
  }

  @Test func aFeatureAloneAsksTheTestToDismissIt() async {
    let store = TestStore(initialState: Detail.State(id: 1)) { Detail() }
    #expect(!store.isDismissed)
    await store.send(\.closeTapped)
    #expect(store.isDismissed)
  }

  @Test func aReplacedDismissalDismissesTheStoreAsWell() async {
    let calls = LockIsolated(0)
    let store = TestStore(initialState: Detail.State(id: 1)) {
      Detail()
    } withDependencies: {
      $0.dismiss = DismissEffect { calls.withValue { $0 += 1 } }
    }
    await store.send(\.closeTapped)
    #expect(store.isDismissed && calls.value == 1)
  }

  @Test func aDismissedStoreTakesNoActions() async {
    let store = TestStore(initialState: Detail.State(id: 1)) { Detail() }
    await store.send(\.closeTapped)
    let text = await issue { await store.send(\.editTapped) }
    #expect(text == "Can't send action to dismissed test store.")
    #expect(!store.state.isEdited)
  }

  @Test func aReplacedDismissalDoesNotApplyToChildren() async {
    let store = TestStore(initialState: Root.State()) {
      Root()
    } withDependencies: {
      $0.dismiss = DismissEffect { reportIssue("The root was dismissed.") }
    }
    await store.send(\.openTapped, 5) { $0.path.append(.detail(Detail.State(id: 5))) }
    await store.send(\.path[id: 0].detail.closeTapped)
    await store.receive(\.path.popFrom) { $0.path.pop(from: 0) }
  }

  @Test func theStoreKeepsItsOwnDependenciesIfAllAreReplaced() async {
    let detail = TestStore(initialState: Detail.State(id: 1)) {
      Detail()
    } withDependencies: {
      $0 = .test
    }
    await detail.send(\.closeTapped)
    #expect(detail.isDismissed)
    let root = TestStore(initialState: Root.State()) {
      Root()
    } withDependencies: {
      $0 = .test
    }
    await root.send(\.visitTapped) { $0.$visits.withLock { $0 = 1 } }
  }

  @Test func aDismissalCancelsTheEffectsOfTheFeature() async {
    let store = TestStore(initialState: Detail.State(id: 1)) {
      CombineReducers {
        Reduce<Detail.State, Detail.Action> { _, action in
          guard case .editTapped = action else { return .none }
          return .run { _ in try await Task.never() }
        }
        Detail()
      }
    }
    await store.send(\.editTapped) { $0.isEdited = true }
    await store.send(\.closeTapped)
    await store.finish(timeout: .zero)
  }

  @Test func sharedStateIsAlsoAssertedWithoutExhaustivity() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    store.exhaustivity = .off
    await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 1 } }
    await store.send(\.visitTapped)
    let text = await issue { await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 8 } } }
    #expect(text.contains("−   _visits: #1 8") && text.contains("+   _visits: #1 3"))
    await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 4 } }
  }

  @Test func changesOfSharedStateThatNobodyAssertedAreShownInTheState() async {
    let text = await issue {
      let store = TestStore(initialState: Root.State()) { Root() }
      store.exhaustivity = .off
      await store.send(\.visitTapped)
      store.exhaustivity = .on
      store.state.$visits.withLock { $0 = 5 }
      let tracker = store.dependencies.sharedChangeTrackers[0]
      tracker.track { store.state.$visits.withLock { $0 = 7 } }
    }
    #expect(text.hasPrefix("Test store finished before asserting against changes to shared state: …"))
    #expect(text.contains("−   _visits: #1 5") && text.contains("+   _visits: #1 7"))
  }

  @Test func sharedStateIsAsserted() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 1 } }
    await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 2 } }
    #expect(store.state.visits == 2)
  }

  @Test func anUnstatedChangeOfSharedStateIsAnIssue() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    let issues = await withExpectedIssue { await store.send(\.visitTapped) }
    #expect(issues.count == 1)
    #expect(
      issues.first == """
        State was not expected to change, but a change occurred: …

              Root.State(
                _path: [:],
            −   _visits: #1 0
            +   _visits: #1 1
              )

        (Expected: −, Actual: +)
        """)
    store.exhaustivity = .off
  }

  /// Changes that a non-exhaustive test skips are not part of later assertions.
  @Test func aSkippedChangeOfSharedStateIsNotAssertedLater() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    await store.withExhaustivity(.off) { await store.send(.visitTapped) }
    await store.send(.openTapped(5)) { $0.path[id: 0] = .detail(Detail.State(id: 5)) }
    await store.send(.visitTapped) { $0.$visits.withLock { $0 = 2 } }
  }

  /// A feature whose state shares one element removes it from the list, which is not part of its state.
  @Test(arguments: [Exhaustivity.on, .off]) func changesOfValuesThatTheStateDoesNotShareNeedNoAssertion(
    exhaustivity: Exhaustivity
  ) async throws {
    @Shared(.inMemory("list of sharing tests")) var list: IdentifiedArrayOf<Detail.State> = [
      .init(id: 1), .init(id: 2),
    ]
    let element = try #require(Shared($list[id: 2]))
    let store = TestStore(initialState: Element.State(element: element)) { Element() }
    store.exhaustivity = exhaustivity
    await store.send(.removeTapped)
    await store.send(.removeTapped) { $0.removals = 2 }
    await store.finish()
    #expect(list.map(\.id) == [1])
  }

  @Test func aWrongChangeOfSharedStateIsAnIssue() async {
    let store = TestStore(initialState: Root.State()) { Root() }
    let issues = await withExpectedIssue { await store.send(\.visitTapped) { $0.$visits.withLock { $0 = 7 } } }
    #expect(
      issues == [
        """
        A state change does not match expectation: …

              Root.State(
                _path: [:],
            −   _visits: #1 7
            +   _visits: #1 1
              )

        (Expected: −, Actual: +)
        """
      ])
    store.exhaustivity = .off
  }
}
