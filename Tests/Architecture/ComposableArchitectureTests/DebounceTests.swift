import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct DebounceTests {
  private typealias Action = Script.Action

  private func store() -> Store<Script.State, Script.Action> { Store(initialState: Script.State()) { Script() } }

  private func note(_ text: String) -> Effect<Script.Action> { .send(.note(text)) }

  /// Advances a clock once a task sleeps on it.
  private func advance(_ clock: TestClock<Duration>, _ milliseconds: Int) async {
    await sleeper(on: clock)
    await clock.advance(by: .milliseconds(milliseconds))
  }

  /// Waits until a task sleeps on a clock.
  private func sleeper(on clock: TestClock<Duration>) async {
    while clock.sleeperCount == 0 { await Task.yield() }
  }

  @Test func onlyTheLastOfManyIsBegun() async {
    let (store, clock) = (store(), TestClock())
    func debounced(_ text: String) -> StoreTask {
      store.send(
        .run(.merge(note(text), .run { await $0(.note("\(text)!")) }).debounce(id: 1, for: .seconds(1), clock: clock)))
    }
    let first = debounced("a")
    await advance(clock, 900)
    let second = debounced("b")
    await first.finish()
    await advance(clock, 900)
    #expect(store.log == [])
    await advance(clock, 100)
    await second.finish()
    #expect(store.log == ["b", "b!"])
  }

  @Test func debouncedWorkThatRunsIsCancelledByTheNext() async {
    let (store, clock, began, cancelled) = (store(), TestClock(), Gate(), Gate())
    let work = Effect<Script.Action>.run { _ in
      let never = Gate()
      await withTaskCancellationHandler {
        began.open()
        await never.wait()
      } onCancel: {
        cancelled.open()
      }
    }
    let first = store.send(.run(work.debounce(id: 1, for: .seconds(1), clock: clock)))
    await advance(clock, 1000)
    await began.wait()
    let second = store.send(.run(note("b").debounce(id: 1, for: .seconds(1), clock: clock)))
    await cancelled.wait()
    await first.finish()
    await advance(clock, 1000)
    await second.finish()
    #expect(store.log == ["b"])
  }

  @Test func debouncingIsCancelledByItsName() async {
    let (store, clock) = (store(), TestClock())
    let task = store.send(.run(note("a").debounce(id: 1, for: .seconds(1), clock: clock)))
    await sleeper(on: clock)
    store.send(.run(.cancel(id: 1)))
    await task.finish()
    await clock.advance(by: .seconds(2))
    #expect(store.log == [])
  }

  @Test func differentNamesAreDebouncedApart() async {
    let store = store()
    let clock = ImmediateClock()
    let tasks = ["a", "b"].map { store.send(.run(note($0).debounce(id: $0, for: .seconds(1), clock: clock))) }
    for task in tasks { await task.finish() }
    #expect(Set(store.log) == ["a", "b"])
  }

  @Test(arguments: [true, false])
  func oneActionOfEachIntervalGoesThrough(latest: Bool) async {
    let (store, clock) = (store(), TestClock())
    func throttled(_ text: String) -> StoreTask {
      store.send(.run(note(text).throttle(id: 1, for: .seconds(1), clock: clock, latest: latest)))
    }
    await throttled("a").finish()
    #expect(store.log == ["a"])

    var tasks: [StoreTask] = []
    for text in ["b", "c", "d"] {
      await clock.advance(by: .milliseconds(200))
      let task = throttled(text)
      // The last one cancels the previous one and sleeps; others after the first end immediately.
      if latest || tasks.isEmpty { await sleeper(on: clock) } else { await task.finish() }
      tasks.append(task)
    }
    #expect(store.log == ["a"])
    await advance(clock, 400)
    for task in tasks { await task.finish() }
    #expect(store.log == ["a", latest ? "d" : "b"])

    // That one started a new interval.
    await clock.advance(by: .milliseconds(900))
    let next = throttled("e")
    await sleeper(on: clock)
    #expect(store.log.count == 2)
    await advance(clock, 100)
    await next.finish()
    #expect(store.log.last == "e")

    await clock.advance(by: .milliseconds(1000))
    await throttled("f").finish()
    #expect(store.log.last == "f")
  }

  @Test(arguments: [true, false])
  func theActionsOfOneEffectAreThrottled(latest: Bool) async {
    let (store, clock) = (store(), TestClock())
    let task = store.send(
      .run(
        Effect<Action>.run { send in
          for text in ["a", "b", "c"] { await send(.note(text)) }
        }.throttle(id: 1, for: .seconds(1), clock: clock, latest: latest)))
    await advance(clock, 1000)
    await task.finish()
    #expect(store.log == ["a", latest ? "c" : "b"])
  }

  @Test(arguments: [true, false])
  func cancellingDropsWhatIsHeldBack(latest: Bool) async {
    let (store, clock) = (store(), TestClock())
    func throttled(_ text: String) -> StoreTask {
      store.send(.run(note(text).throttle(id: 1, for: .seconds(1), clock: clock, latest: latest)))
    }
    await throttled("a").finish()
    let held = throttled("b")
    await advance(clock, 500)
    store.send(.run(.cancel(id: 1)))
    await held.finish()
    await clock.advance(by: .seconds(1))
    #expect(store.log == ["a"])
    await throttled("c").finish()
    #expect(store.log == ["a", "c"])
  }

  @Test func intervalsThatHaveEndedAreReleased() async throws {
    let (store, clock) = (store(), TestClock())
    let core = try #require(store.core as? RootCore<Script.State, Action>)
    for round in 0..<100 {
      let throttled = (0..<100).map {
        note("").throttle(id: [round, $0], for: .seconds(1), clock: clock, latest: true)
      }
      await store.send(.run(.merge(throttled))).finish()
      #expect((100..<300).contains(core.throttleCount))
      await clock.advance(by: .seconds(1))
    }
    #expect(store.log.count == 10_000)
  }

  @Test func intervalsOfStoresAreTheirOwn() async {
    let clock = TestClock()
    for _ in 0..<2 {
      let store = store()
      await store.send(.run(note("a").throttle(id: 1, for: .seconds(1), clock: clock, latest: true))).finish()
      #expect(store.log == ["a"])
    }
  }
}
