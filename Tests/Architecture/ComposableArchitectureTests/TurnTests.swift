import ComposableArchitecture
import Testing

/// The work of a store in one turn: an outermost `send` and everything that follows synchronously.
@MainActor @Suite(.timeLimit(.minutes(30))) struct TurnTests {
  private struct Countdown: Reducer {
    struct State { var (count, reduced) = (0, 0) }
    var body: some Reducer<State, Int> {
      Reduce { state, action in
        state.count = action
        state.reduced += 1
        return action > 0 ? .send(action - 1) : .none
      }
    }
  }

  @Test func aHundredThousandActionsAreOneTurn() {
    let store = Store(initialState: Countdown.State()) { Countdown() }
    var announced = 0
    let subscription = store.subscribe { _ in announced += 1 }
    store.send(100_000)
    #expect(store.count == 0)
    #expect(store.reduced == 100_001)
    #expect(announced == 2)
    subscription.cancel()
  }

  /// A reducer that sends actions to its own store.
  private final class Holder {
    weak var store: Store<[Int], Int>?
  }

  @Test func aSendWithinAReducerWaitsItsTurn() {
    let holder = Holder()
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        if action == 1 {
          holder.store?.send(2)
          holder.store?.send(3)
        }
        if action == 2 { holder.store?.send(4) }
        state.append(action)
        return action == 1 ? .send(10) : .none
      }
    }
    holder.store = store
    var announced: [[Int]] = []
    let subscription = store.subscribe { announced.append($0) }
    let task = store.send(1)
    #expect(store.state == [1, 2, 3, 10, 4])
    #expect(announced == [[], [1, 2, 3, 10, 4]])
    #expect(task.isOver)
    subscription.cancel()
  }

  @Test func aReducerCancelsTheEffectsOfAnEarlierSend() async {
    final class Tasks {
      var first: StoreTask?
    }
    let (tasks, cancelled) = (Tasks(), Gate())
    let store = Store(initialState: 0) {
      Reduce<Int, Bool> { _, starts in
        if starts { return .endless(cancelled) }
        tasks.first?.cancel()
        return .none
      }
    }
    tasks.first = store.send(true)
    store.send(false)
    #expect(tasks.first?.isOver == true)
    await cancelled.wait()
  }

  @Test func aReadWithinAReducerStopsTheProgramWithAMessage() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await MainActor.run {
        let holder = Holder()
        let store = Store(initialState: [Int]()) {
          Reduce<[Int], Int> { state, action in
            state = (holder.store?.state ?? []) + [action]
            return .none
          }
        }
        holder.store = store
        store.send(1)
      }
    }
    let output = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(output.contains("The state of Store<[Int], Int> was read while its reducer was running."), "\(output)")
  }

  /// A reducer that sends actions to another store.
  @Test func anObserverOfAnotherStoreReadsTheStoreAfterItsTurn() {
    let other = Store(initialState: 0) {
      Reduce<Int, Int> { state, action in
        state += action
        return .none
      }
    }
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        other.send(action)
        state.append(action)
        return .none
      }
    }
    var seen: [[Int]] = []
    let subscription = other.subscribe { seen.append([$0] + store.state) }
    let tracking = observe { _ = (other.state, store.state) }
    store.send(1)
    store.send(2)
    #expect(seen == [[0], [1, 1], [3, 1, 2]])
    subscription.cancel()
    tracking.cancel()
  }

  @Test func manySendsWithinAReducerDoNotGrowTheStack() {
    let holder = Holder()
    let store = Store(initialState: [Int]()) {
      Reduce<[Int], Int> { state, action in
        state = [action]
        if action > 0 { holder.store?.send(action - 1) }
        return .none
      }
    }
    holder.store = store
    store.send(100_000)
    #expect(store.state == [0])
  }

  @Test func anEffectThatAnswersManyTimesIsManyTurns() async {
    let store = Store(initialState: Script.State()) { Script() }
    var announced: [Int] = []
    let subscription = store.subscribe { announced.append($0.log.count) }
    await store.send(
      .run(
        .run { send in
          await send(.note("a"))
          await send(.run(.merge(.send(.note("b")), .send(.note("c")))))
        })
    ).finish()
    #expect(announced == [0, 0, 1, 3])
    subscription.cancel()
  }

  @Test func aTaskWaitsForTheCascade() async {
    let store = Store(initialState: Script.State()) { Script() }
    let task = store.send(
      .run(
        .run { send in
          await send(
            .run(
              .run { send in
                await send(.run(.run { await $0(.note("third")) }))
                await send(.note("second"))
              }))
          await send(.note("first"))
        }))
    await task.finish()
    #expect(Set(store.log) == ["first", "second", "third"])
    #expect(!task.isCancelled)
  }

  @Test func waitingInACancelledTaskCancelsTheEffects() async {
    let store = Store(initialState: Script.State()) { Script() }
    let cancelled = Gate()
    let waiting = Task { await store.send(.run(.endless(cancelled))).finish() }
    await Task.yield()
    waiting.cancel()
    await cancelled.wait()
    await waiting.value
  }

  @Test func aTaskWithoutEffectsIsOver() async {
    let store = Store(initialState: Script.State()) { Script() }
    let task = store.send(.note("a"))
    #expect(task.isOver)
    #expect(task.isCancelled)
    task.cancel()
    await task.finish()
  }

  @Test func effectsEndWithTheLastReferenceToTheirStore() async {
    let cancelled = Gate()
    do {
      let store = Store(initialState: Script.State()) { Script() }
      let subscription = store.subscribe(\.log.count) { _ in }
      store.send(.run(.endless(cancelled)))
      subscription.cancel()
    }
    await cancelled.wait()
  }

  @Test func effectsEndThoughAnObserverReadsTheStore() async {
    let cancelled = Gate()
    do {
      let store = Store(initialState: Step.State()) { Step() }
      let subscription = observe { [weak store] in _ = store?.log }
      store.send(.run(.endless(cancelled)))
      withExtendedLifetime(subscription) {}
    }
    await cancelled.wait()
  }

  @Test func actionsOfAStoreThatIsGoneAreDropped() async {
    let (gate, over) = (Gate(), Gate())
    do {
      let store = Store(initialState: Script.State()) { Script() }
      store.send(
        .run(
          .run { send in
            await Task.detached { await gate.wait() }.value
            await send(.note("late"))
            over.open()
          }))
    }
    gate.open()
    await over.wait()
  }

  @Test func stateIsReadInManyWays() {
    let store = Store(initialState: Step.State(id: 3)) { Step() }
    #expect(store.state == Step.State(id: 3))
    #expect(store.withState(\.id) == 3)
    #expect(store[dynamicMember: \.log] == [])
  }
}
