import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct SchedulerTests {
  private func store() -> Store<Script.State, Script.Action> { Store(initialState: Script.State()) { Script() } }

  /// Advances a scheduler until effects have sent a number of actions, since they may sleep late on a busy machine.
  private func advance(
    _ queue: TestSchedulerOf<DispatchQueue>, until store: Store<Script.State, Script.Action>, has count: Int
  ) async {
    while store.log.count < count { await queue.advance(by: .seconds(1)) }
  }

  @Test func debounceWaitsOnAScheduler() async {
    let (store, queue) = (store(), DispatchQueue.test)
    func debounced(_ text: String) {
      store.send(.run(.send(.note(text)).debounce(id: 1, for: 1, scheduler: queue)))
    }
    debounced("a")
    await queue.advance(by: .milliseconds(900))
    debounced("b")
    await queue.advance(by: .milliseconds(900))
    #expect(store.log == [])
    await advance(queue, until: store, has: 1)
    #expect(store.log == ["b"])
  }

  @Test func throttleWaitsOnAScheduler() async {
    let (store, queue) = (store(), DispatchQueue.test)
    func throttled(_ text: String) -> StoreTask {
      store.send(
        .run(.run { await $0(.note(text)) }.throttle(id: 1, for: .seconds(1), scheduler: queue, latest: false)))
    }
    await throttled("a").finish()
    #expect(store.log == ["a"])
    let held = throttled("b")
    await advance(queue, until: store, has: 2)
    await held.finish()
    #expect(store.log == ["a", "b"])
  }

  @Test func anErasedSchedulerIsADependencyOfEffects() async {
    let queue = DispatchQueue.test
    let store = store()
    let effect = withDependencies {
      $0.mainQueue = queue.eraseToAnyScheduler()
    } operation: {
      Effect<Script.Action>.run { send in
        @Dependency(\.mainQueue) var mainQueue
        try await mainQueue.sleep(for: .seconds(1))
        await send(.note("slept"))
        for await _ in mainQueue.timer(interval: .seconds(1)).prefix(2) { await send(.note("tick")) }
      }
    }
    let task = store.send(.run(effect))
    await advance(queue, until: store, has: 3)
    await task.finish()
    #expect(store.log == ["slept", "tick", "tick"])
  }

  @Test func animationsAreAccepted() async {
    let store = store()
    store.send(.note("a"), animation: .default)
    store.send(.note("b"), transaction: Transaction(animation: .easeInOut(duration: 1)))
    await store.send(
      .run(
        .run { send in
          await send(.note("c"), animation: .spring())
          await send(.note("d"), transaction: Transaction())
        }
        .animation()
        .transaction(Transaction()))
    ).finish()
    store.send(.run(.send(.note("e"), animation: .bouncy)))
    #expect(store.log == ["a", "b", "c", "d", "e"])
  }
}
