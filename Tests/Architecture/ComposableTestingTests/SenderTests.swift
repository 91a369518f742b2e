import ComposableTesting
import Testing

/// The sender of an action in a store of one process.
@MainActor
@Suite struct SenderTests {
  @Reducer
  struct Minutes {
    struct State: Equatable { var senders: [Sender] = [] }
    enum Action: Equatable { case noted, notedLater, notedAfter }

    @Dependency(\.sender) var sender

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.senders.append(sender)
        switch action {
        case .noted: return .none
        case .notedLater: return .run { send in await send(.noted) }
        case .notedAfter: return .concatenate(.run { _ in }, .send(.noted))
        }
      }
    }
  }

  private let alice = Sender.client(
    HubClient(connection: 3, name: "desk", user: SystemUser(id: 1000, name: "alice")))

  @Test func aTestSetsTheSenderAndEffectsAreTheirOwn() async {
    let store = TestStore(initialState: Minutes.State()) {
      Minutes()
    } withDependencies: {
      $0.sender = alice
    }
    await store.send(.noted) { $0.senders = [alice] }
    await store.send(.notedLater) { $0.senders = [alice, alice] }
    await store.receive(.noted) { $0.senders = [alice, alice, .effect] }
    store.dependencies.sender = .hub
    await store.send(.notedAfter) { $0.senders = [alice, alice, .effect, .hub] }
    await store.receive(.noted) { $0.senders = [alice, alice, .effect, .hub, .effect] }
  }

  @Test func withoutAnOverrideItIsALocalUserTheSameOnEachMachine() async {
    let store = TestStore(initialState: Minutes.State()) { Minutes() }
    let user = SystemUser(id: 1000, name: "test", groups: [1000])
    await store.send(.noted) { $0.senders = [.local(user)] }
  }

  @Test func aLiveStoreHasTheUserOfTheProcess() {
    let store = withDependencies {
      $0.context = .live
    } operation: {
      Store(initialState: Minutes.State()) { Minutes() }
    }
    store.send(.noted)
    #expect(store.withState(\.senders) == [.local(.current)])
  }

  @Test func anEffectThatReadsTheSenderIsToldThatItIsOne() async {
    let seen = LockIsolated<Sender?>(nil)
    let store = TestStore(initialState: 0) {
      Reduce<Int, Bool> { _, isSent in
        guard isSent else { return .none }
        return .run { _ in
          @Dependency(\.sender) var sender
          seen.setValue(sender)
        }
      }
    } withDependencies: {
      $0.sender = alice
    }
    await store.send(true).finish()
    #expect(seen.value == .effect)
  }
}
