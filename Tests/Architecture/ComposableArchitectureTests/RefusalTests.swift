import ComposableArchitecture
import Testing

/// Reducers that refuse actions, in a store of one process.
@MainActor @Suite struct RefusalTests {
  struct Door: Reducer {
    struct State: Equatable {
      var isOpen = true
      var attempts = 0
      var lock: Lock.State?
      var path = StackState<Lock.State>()
    }

    @CasePathable
    enum Action {
      case closeTapped(byOwner: Bool)
      case closeAtOnce
      case closeLater
      case run
      case lock(Lock.Action)
      case path(StackActionOf<Lock>)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.attempts += 1
        return .none
      }
      Reduce { state, action throws(Refusal) in
        switch action {
        case .closeTapped(let isOwner):
          state.isOpen = false
          guard isOwner else { throw Refusal("only the owner may close it") }
          return .none
        case .closeAtOnce: return .send(.closeTapped(byOwner: false))
        case .closeLater: return .run { await $0(.closeTapped(byOwner: false)) }
        case .run: return .run { _ in try await Task.never() }
        case .lock, .path: return .none
        }
      }
      .ifLet(\.lock, action: \.lock) { Lock() }
      .forEach(\.path, action: \.path) { Lock() }
    }
  }

  struct Lock: Reducer {
    struct State: Equatable { var turns = 0 }
    enum Action { case turn }

    var body: some ReducerOf<Self> {
      Reduce { state, _ throws(Refusal) in
        guard state.turns < 1 else { throw Refusal("it is turned") }
        state.turns += 1
        return .none
      }
    }
  }

  @Test func theStateStaysAndTheTaskThrowsTheReason() async throws {
    let store = Store(initialState: Door.State()) { Door() }
    let task = store.send(.closeTapped(byOwner: false))
    await #expect(throws: Refusal("only the owner may close it")) { try await task.taken() }
    #expect(task.isOver && store.withState { $0 } == Door.State())
    try await store.send(.closeTapped(byOwner: true)).taken()
    #expect(store.withState { !$0.isOpen && $0.attempts == 1 })
  }

  @Test func whatIsSentAtOnceBelongsToTheAction() async throws {
    let store = Store(initialState: Door.State()) { Door() }
    let task = store.send(.closeAtOnce)
    await #expect(throws: Refusal.self) { try await task.taken() }
    #expect(store.withState { $0 } == Door.State())
  }

  /// A reducer that sends to its own store.
  struct Relay: Reducer {
    @MainActor final class Target {
      weak var store: StoreOf<Relay>?
      var tasks: [StoreTask] = []

      /// Sends from a reducer, which the store runs on the main actor.
      nonisolated func sendAll(_ actions: [Action]) {
        MainActor.assumeIsolated { tasks = actions.compactMap { store?.send($0) } }
      }
    }

    enum Action: Sendable { case sendAll(refused: Bool), add(Int), addRefused, addAtOnce(Int) }

    struct State: Equatable { var numbers: [Int] = [] }

    let target: Target

    var body: some ReducerOf<Self> {
      Reduce { state, action throws(Refusal) in
        switch action {
        case .sendAll(let isRefused):
          target.sendAll([.add(1), .addRefused, .addAtOnce(2)])
          if isRefused { throw Refusal("no relay") }
        case .add(let number): state.numbers.append(number)
        case .addRefused:
          state.numbers.append(-1)
          throw Refusal("no number")
        case .addAtOnce(let number): return .send(.add(number))
        }
        return .none
      }
    }
  }

  @Test(arguments: [false, true])
  func anActionToTheReducersOwnStoreIsRefusedByItself(isRelayRefused: Bool) async throws {
    let target = Relay.Target()
    let store = Store(initialState: Relay.State()) { Relay(target: target) }
    target.store = store
    let task = store.send(.sendAll(refused: isRelayRefused))
    #expect(store.withState { $0.numbers } == [1, 2])
    try #require(target.tasks.count == 3)
    try await target.tasks[0].taken()
    await #expect(throws: Refusal("no number")) { try await target.tasks[1].taken() }
    try await target.tasks[2].taken()
    if isRelayRefused {
      await #expect(throws: Refusal("no relay")) { try await task.taken() }
    } else {
      try await task.taken()
    }
  }

  @Test func childrenRefuse() async throws {
    var state = Door.State(lock: Lock.State(turns: 1))
    state.path.append(Lock.State(turns: 1))
    let (before, id) = (state, try #require(state.path.ids.first))
    let store = Store(initialState: state) { Door() }
    for action in [Door.Action.lock(.turn), .path(.element(id: id, action: .turn))] {
      let task = store.send(action)
      await #expect(throws: Refusal("it is turned")) { try await task.taken() }
      #expect(store.withState { $0 } == before)
    }
  }

  /// Whatever is between the store and the reducer that refuses.
  @Test func theReducerIsFoundBehindOthers() {
    struct Wrapper<Base: Reducer>: Reducer {
      let base: Base
      func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        base.reduce(into: &state, action: action)
      }
    }
    let erased: any ReducerOf<Door> = Door()
    #expect(CompiledReducer(Door()).mayRefuse)
    #expect(CompiledReducer(Reduce(Door())).mayRefuse)
    #expect(CompiledReducer(Wrapper(base: Door())).mayRefuse)
    #expect(CompiledReducer(Wrapper(base: Reduce(Door()))).mayRefuse)
    #expect(CompiledReducer(Door().dependency(\.context, .test)._printChanges()).mayRefuse)
    #expect(CompiledReducer(CombineReducers { erased }.onChange(of: \.attempts) { _, _ in .none }).mayRefuse)
    #expect(CompiledReducer(inPlaceOfCreation: Door()).mayRefuse)
    #expect(!CompiledReducer(Reduce<Int, Int> { _, _ in .none }).mayRefuse)
  }

  struct Tree: Reducer {
    struct State: Identifiable {
      let id: Int
      var children: IdentifiedArrayOf<State> = []
    }

    @CasePathable
    indirect enum Action {
      case tapped
      case child(IdentifiedAction<Int, Action>)
    }

    let refuses: Bool

    var body: some ReducerOf<Self> {
      if refuses {
        Reduce { _, _ throws(Refusal) in throw Refusal("no") }
      }
      EmptyReducer().forEach(\.children, action: \.child) { Tree(refuses: refuses) }
    }
  }

  /// A feature within itself is looked at once.
  @Test func aFeatureWithinItselfIsSearched() {
    #expect(CompiledReducer(Tree(refuses: true)).mayRefuse)
    #expect(!CompiledReducer(Tree(refuses: false)).mayRefuse)
  }

  @Test func anEffectsActionThatIsRefusedIsAnIssue() async throws {
    let store = Store(initialState: Door.State()) { Door() }
    await withKnownIssue {
      await store.send(.closeLater).finish()
    } matching: {
      $0.description.contains("An action that an effect has sent to") && $0.description.contains("only the owner")
    }
    #expect(store.withState { $0.isOpen && $0.attempts == 1 })
  }

  /// It is made while reducing, so the state before the action is gone.
  @Test func aReducerThatIsFoundTooLateIsAnIssue() async throws {
    let store = Store(initialState: 0) {
      Reduce<Int, Bool> { state, _ in
        state += 1
        return .none
      }
      .onChange(of: { $0 }) { _, _ in Reduce { _, _ throws(Refusal) in throw Refusal("no") } }
    }
    withKnownIssue {
      store.send(true)
    } matching: {
      $0.description.contains("had not kept its state")
    }
    #expect(store.withState { $0 } == 1)
  }
}
