import ComposableTesting
import Testing

/// A change of a shared value is a change, even to an equal value: a test may state it.
@MainActor
@Suite struct SharedWriteTests {
  @Reducer struct Child {
    @ObservableState struct State: Equatable { @Shared var n: Int }
    enum Action: Equatable, Sendable { case reset }
    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.$n.withLock { $0 = 0 }
        return .none
      }
    }
  }

  @Reducer struct Parent {
    @ObservableState struct State: Equatable {
      @Shared var n: Int
      @SharedReader var shown: Int
      var child: Child.State
      var count = 0

      init(n: Int = 0) {
        let shared = Shared(value: n)
        _n = shared
        _shown = SharedReader(shared)
        child = Child.State(n: shared)
      }
    }
    enum Action: Equatable, Sendable {
      case child(Child.Action)
      case resetTapped, resetTwice, reset, idle
      case count
    }
    var body: some ReducerOf<Self> {
      Scope(state: \.child, action: \.child) { Child() }
      Reduce { state, action in
        switch action {
        case .resetTapped, .reset:
          state.$n.withLock { $0 = 0 }
          return .none
        case .resetTwice: return .concatenate(.send(.reset), .send(.reset), .send(.idle))
        case .count:
          state.count += 1
          return .none
        case .idle, .child: return .none
        }
      }
    }
  }

  private func store(n: Int = 0) -> TestStoreOf<Parent> { TestStore(initialState: Parent.State(n: n)) { Parent() } }
  private static let noChange = "Expected state to change, but no change occurred."

  @Test func anEqualWriteIsStatedByTheSameLine() async {
    let store = store()
    await store.send(.resetTapped) { $0.$n.withLock { $0 = 0 } }
    await store.send(.resetTapped)
    await store.send(.resetTapped) { $0.$n.withLock { $0 = 0 } }
  }

  @Test func aWriteThatDidNotHappenIsStatedInVain() async {
    let store = store()
    #expect(await issue { await store.send(.idle) { $0.$n.withLock { $0 = 0 } } }.hasPrefix(Self.noChange))
    await store.send(.resetTapped)
    #expect(await issue { await store.send(.idle) { $0.$n.withLock { $0 = 0 } } }.hasPrefix(Self.noChange))
  }

  @Test func aDifferentValueIsAnIssueAsBefore() async {
    let store = store(n: 3)
    let text = await issue { await store.send(.resetTapped) { $0.$n.withLock { $0 = 1 } } }
    #expect(text.hasPrefix("A state change does not match expectation"))
  }

  @Test func eachReceivedActionHasItsOwnWrites() async {
    let store = store()
    await store.send(.resetTwice)
    await store.receive(.reset) { $0.$n.withLock { $0 = 0 } }
    await store.receive(.reset) { $0.$n.withLock { $0 = 0 } }
    #expect(await issue { await store.receive(.idle) { $0.$n.withLock { $0 = 0 } } }.hasPrefix(Self.noChange))
  }

  @Test func aWriteOfAChildIsStatedByParentAndChild() async {
    let store = store()
    await store.send(.child(.reset)) { $0.child.$n.withLock { $0 = 0 } }
    await store.send(.child(.reset)) { $0.$n.withLock { $0 = 0 } }
    await store.send(.child(.reset)) { $0.count = 0 }
  }

  @Test func aReaderOfTheValueChangesNothing() async {
    let store = store(n: 2)
    await store.send(.resetTapped) { $0.$n.withLock { $0 = 0 } }
    #expect(store.state.shown == 0)
    await store.send(.resetTapped) { $0.$n.withLock { $0 = 0 } }
  }

  @Test func otherChangesAreCheckedBesideIt() async {
    let store = store()
    let text = await issue { await store.send(.resetTapped) { $0.count = 1 } }
    #expect(text.hasPrefix("A state change does not match expectation"))
    await store.send(.count) { $0.count = 1 }
  }

  @Test(
    .skips(
      """
      2 received actions were skipped:

      [
        [0]: .reset,
        [1]: .reset
      ]
      """))
  func aTestThatIsNotExhaustiveStatesItAsWell() async {
    let store = store()
    store.exhaustivity = .off(showSkippedAssertions: true)
    await store.send(.resetTapped) { $0.$n.withLock { $0 = 0 } }
    await store.send(.resetTwice)
    await store.receive(.idle)
    store.exhaustivity = .on
    #expect(await issue { await store.send(.idle) { $0.$n.withLock { $0 = 0 } } }.hasPrefix(Self.noChange))
  }
}
