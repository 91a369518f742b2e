import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct StoreTests {
  @Test func observersAreToldOncePerOutermostSend() {
    let store = Store(initialState: Script.State()) { Script() }
    var lengths: [Int] = []
    let subscription = store.subscribe { lengths.append($0.log.count) }
    store.send(.run(.merge(.send(.note("a")), .send(.note("b")), .send(.note("c")))))
    store.send(.note("d"))
    #expect(lengths == [0, 3, 4])
    subscription.cancel()
    store.send(.note("e"))
    #expect(lengths == [0, 3, 4])
  }

  @Test func aPropertysObserverIsToldOfChangesOnly() {
    let store = Store(initialState: Script.State()) { Script() }
    var firsts: [String?] = []
    let subscription = store.subscribe(\.log.first) { firsts.append($0) }
    store.send(.note("a"))
    store.send(.note("b"))
    #expect(firsts == [nil, "a"])
    subscription.cancel()
  }

  @Test func whatAnObserverSendsWaitsItsTurn() {
    let store = Store(initialState: Script.State()) { Script() }
    var seen: [[String]] = []
    let subscription = store.subscribe { state in
      seen.append(state.log)
      if state.log == ["a"] { store.send(.note("b")) }
    }
    store.send(.note("a"))
    #expect(store.log == ["a", "b"])
    #expect(seen.last == ["a", "b"])
    subscription.cancel()
  }

  @Test func whatAnObserverSendsInItsFirstCallIsAnnounced() {
    let store = Store(initialState: Script.State()) { Script() }
    var (states, counts): ([[String]], [Int]) = ([], [])
    let subscription = store.subscribe { state in
      states.append(state.log)
      if state.log.isEmpty { store.send(.note("a")) }
    }
    let other = store.subscribe(\.log.count) { count in
      counts.append(count)
      if count == 1 { store.send(.note("b")) }
    }
    #expect(states == [[], ["a"], ["a", "b"]])
    #expect(counts == [1, 2])
    subscription.cancel()
    other.cancel()
  }

  @Test func aWaitForWorkThatCannotBeCancelledEndsWithItsTask() async {
    let completion = StoreTask.Completion()
    let task = StoreTask(completion: completion, onCancel: nil)
    let waiting = Task { try await task.taken() }
    let other = Task { try await task.taken() }
    while completion.waitCount < 2 { await Task.yield() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    #expect(!task.isOver)
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await task.taken()
    }
    await #expect(throws: CancellationError.self) { try await late.value }
    completion.complete(.success(()))
    await #expect(throws: Never.self) { try await other.value }
  }

  @Test func anEffectsActionsComeBackAndTheTaskEndsWithIt() async throws {
    let store = Store(initialState: Script.State()) { Script() }
    let task = store.send(
      .run(
        .run { send in
          await send(.note("a"))
          await send(.run(.run { send in await send(.note("b")) }))
        }))
    #expect(!task.isOver)
    await task.finish()
    #expect(task.isOver)
    #expect(store.log == ["a", "b"])
    await store.send(.note("c")).finish()
  }

  @Test func aCancelledTaskDeliversNothingMore() async throws {
    let store = Store(initialState: Script.State()) { Script() }
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let task = store.send(.run(.run { send in for await text in stream { await send(.note(text)) } }))
    task.cancel()
    continuation.yield("late")
    continuation.finish()
    await task.finish()
    #expect(store.log == [])
  }

  @Test func effectsEndWithTheirStore() async {
    let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
    var store: Store<Script.State, Script.Action>? = Store(initialState: Script.State()) { Script() }
    store?.send(
      .run(
        .run { _ in
          while !Task.isCancelled { await Task.yield() }
          continuation.finish()
        }))
    store = nil
    for await _ in ended {}
  }

  @Test func anUnhandledErrorGoesToItsHandler() async throws {
    struct Failure: Error {}
    let store = Store(initialState: Script.State()) { Script() }
    await store.send(
      .run(
        .run { _ in
          throw Failure()
        } catch: { error, send in
          await send(.note("\(error is Failure)"))
        })
    ).finish()
    #expect(store.log == ["true"])
  }

  @Test func aScopedStoreIsAWindowOnItsParent() {
    let parent = Store(initialState: ReducerTests.Parent.State()) { ReducerTests.Parent() }
    let child = parent.scope(state: \.child, action: \.child)
    #expect(parent.scope(state: \.child, action: \.child) === child)
    var counts: [Int] = []
    let subscription = child.subscribe(\.count) { counts.append($0) }
    child.send(.add(2))
    parent.send(.child(.add(3)))
    parent.send(.other)
    #expect(child.count == 5)
    #expect(counts == [0, 2, 5])
    subscription.cancel()
  }

  @Test func dependenciesReachTheEffects() async throws {
    struct Dated: Reducer {
      @Dependency(\.continuousClock) var clock
      var body: some Reducer<Int, Int> {
        Reduce { state, action in
          state += action
          guard action == 1 else { return .none }
          return .run { [clock] send in
            try await clock.sleep(for: .seconds(3600))
            await send(10)
          }
        }
      }
    }
    let store = Store(initialState: 0) {
      Dated()
    } withDependencies: {
      $0.continuousClock = ImmediateClock()
    }
    await store.send(1).finish()
    #expect(store.state == 11)
  }

  @Test func aTaskCancelsItsOwnEffectsOnly() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let store = Store(initialState: Script.State()) { Script() }
    let first = store.send(.run(.run { _ in try await Task.sleep(for: .seconds(3600)) }))
    let second = store.send(.run(.run { send in for await text in stream { await send(.note(text)) } }))
    first.cancel()
    #expect(first.isOver && !second.isOver)
    continuation.yield("a")
    continuation.finish()
    await second.finish()
    #expect(store.log == ["a"])
  }

  /// An owner of effects, which it cancels without waiting.
  @MainActor private final class Owner {
    var task: StoreTask?
    func stop() { task?.cancel() }
    deinit { task?.cancel() }
  }

  @Test func aTaskIsCancelledWithoutWaiting() async {
    let store = Store(initialState: Script.State()) { Script() }
    let (first, second) = (Gate(), Gate())
    var owner: Owner? = Owner()
    owner?.task = store.send(.run(.endless(first)))
    #expect(owner?.task?.isCancelled == false)
    owner?.stop()
    #expect(owner?.task?.isCancelled == true && owner?.task?.isOver == true)
    await first.wait()
    owner?.task = store.send(.run(.endless(second)))
    owner = nil
    await second.wait()
  }

  @Test func aTaskIsCancelledOnAnyThread() async {
    let store = Store(initialState: Script.State()) { Script() }
    let cancelled = Gate()
    let task = store.send(.run(.endless(cancelled)))
    await Task.detached { task.cancel() }.value
    #expect(task.isCancelled)
    await cancelled.wait()
    await task.finish()
    #expect(task.isOver)
  }

  @Test func tasksAreEqualIfTheyAreCopies() {
    let store = Store(initialState: Script.State()) { Script() }
    let (first, second) = (store.send(.run(.endless(Gate()))), store.send(.run(.endless(Gate()))))
    let copy = first
    #expect(Set([first, second, copy]).count == 2)
    #expect(store.send(.note("a")) == store.send(.note("b")))
  }

  @Test func anObserverMayEndItsOwnSubscription() {
    let store = Store(initialState: Script.State()) { Script() }
    var calls = 0
    var subscription: StoreSubscription?
    subscription = store.subscribe { state in
      calls += 1
      if state.log.count == 1 { subscription?.cancel() }
    }
    store.send(.note("a"))
    store.send(.note("b"))
    #expect(calls == 2)
  }

  @Test func aSubscriptionEndsWhenNobodyKeepsIt() {
    let store = Store(initialState: Script.State()) { Script() }
    var calls = 0
    var subscription: StoreSubscription? = store.subscribe { _ in calls += 1 }
    #expect(subscription != nil)
    subscription = nil
    store.send(.note("a"))
    #expect(calls == 1)
  }

  @Test func waitingForAStoreThatGoesAwayEnds() async throws {
    var store: Store<Script.State, Script.Action>? = Store(initialState: Script.State()) { Script() }
    let task = store?.send(.run(.run { _ in try await Task.sleep(for: .seconds(3600)) }))
    store = nil
    await task?.finish()
    #expect(task?.isOver == true)
  }
}
