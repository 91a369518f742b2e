import ComposableArchitecture
import Features
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct CounterTests {
  private func store(
    count: Int = 0, _ prepare: @escaping (inout DependencyValues) -> Void = { _ in }
  ) -> StoreOf<Counter> {
    Store(initialState: Counter.State(count: count), reducer: { Counter() }, withDependencies: prepare)
  }

  @Test func theNumberGoesUpAndDownAndTheFactGoesWithIt() async throws {
    let store = store { $0.numberFact.fetch = { "\($0) is a number" } }
    store.send(.incrementButtonTapped)
    await store.send(.numberFactButtonTapped).finish()
    #expect(store.numberFact == "1 is a number")
    store.send(.decrementButtonTapped)
    #expect(store.count == 0)
    #expect(store.numberFact == nil)
  }

  @Test func aFactOnItsWayIsShownAsSuch() async throws {
    let store = store { $0.numberFact.fetch = { "\($0) is a number" } }
    let task = store.send(.numberFactButtonTapped)
    #expect(store.isLoadingFact)
    await task.finish()
    #expect(!store.isLoadingFact)
  }

  @Test func aFailureBecomesAnAlertThatCanBeDismissed() async throws {
    let store = store { $0.numberFact.fetch = { _ in throw NumberFactError(message: "no facts today") } }
    await store.send(.numberFactButtonTapped).finish()
    #expect(store.factAlert == FactAlert(title: "no facts today"))
    #expect(!store.isLoadingFact && store.numberFact == nil)
    store.send(.factAlertDismissed)
    #expect(store.factAlert == nil)
  }

  @Test func theAnswerAboutAnOldNumberIsNotShown() async throws {
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    let store = store {
      $0.numberFact.fetch = { number in
        for await _ in gate {}
        return "\(number) is late"
      }
    }
    let task = store.send(.numberFactButtonTapped)
    store.send(.incrementButtonTapped)
    #expect(!store.isLoadingFact)
    opened.finish()
    await task.finish()
    #expect(store.numberFact == nil)
  }

  @Test func theTimerTicksEverySecondUntilItIsStopped() async throws {
    let clock = TestClock()
    let store = store { $0.continuousClock = clock }
    store.send(.toggleTimerButtonTapped)
    for tick in 1...3 {
      // The effect runs on another thread, so the clock must wait for its next sleep.
      while clock.sleeperCount == 0 { await Task.yield() }
      await clock.advance(by: .seconds(1))
      while store.count < tick { await Task.yield() }
      #expect(store.count == tick)
    }
    while clock.sleeperCount == 0 { await Task.yield() }
    store.send(.toggleTimerButtonTapped)
    while clock.sleeperCount > 0 { await Task.yield() }
    await clock.advance(by: .seconds(3))
    #expect(store.count == 3)
    #expect(!store.isTimerOn)
  }

  @Test func theTimerGoesOnAfterARestart() async throws {
    let clock = TestClock()
    let store = store { $0.continuousClock = clock }
    store.send(.hubStarted)
    #expect(store.count == 0)
    var state = Counter.State(count: 7)
    state.isTimerOn = true
    let restarted = Store(initialState: state, reducer: { Counter() }, withDependencies: { $0.continuousClock = clock })
    restarted.send(.hubStarted)
    while clock.sleeperCount == 0 { await Task.yield() }
    await clock.advance(by: .seconds(1))
    while restarted.count < 8 { await Task.yield() }
    #expect(restarted.count == 8)
  }

  @Test func askingAgainAsksOnlyForTheLatest() async throws {
    let (asked, asking) = AsyncStream.makeStream(of: Int.self)
    let store = store(count: 4) {
      $0.numberFact.fetch = { number in
        asking.yield(number)
        if number == 4 { try await Task.sleep(for: .seconds(3600)) }
        return "\(number) is asked about"
      }
    }
    let first = store.send(.numberFactButtonTapped)
    var questions = asked.makeAsyncIterator()
    #expect(await questions.next() == 4)
    store.send(.incrementButtonTapped)
    #expect(first.isOver)
    await store.send(.numberFactButtonTapped).finish()
    #expect(store.numberFact == "5 is asked about")
  }

  @Test func askingForAFactTakesTheLastOneAndItsAlertAway() async throws {
    let store = store { $0.numberFact.fetch = { _ in throw NumberFactError(message: "no") } }
    store.send(.numberFactResponse(.success("0 is old")))
    store.send(.numberFactResponse(.failure(NumberFactError(message: "an old alert"))))
    let task = store.send(.numberFactButtonTapped)
    #expect(store.numberFact == nil && store.factAlert == nil)
    await task.finish()
    #expect(store.factAlert?.title == "no")
  }

  /// Otherwise nobody could read a fact while the timer counts.
  @Test func aTickLeavesTheFactAndTheFetchOfOne() async throws {
    let (gate, opened) = AsyncStream.makeStream(of: Void.self)
    let store = store {
      $0.numberFact.fetch = { number in
        for await _ in gate {}
        return "\(number) is a number"
      }
    }
    let task = store.send(.numberFactButtonTapped)
    store.send(.timerTicked)
    #expect(store.count == 1 && store.isLoadingFact)
    opened.finish()
    await task.finish()
    #expect(store.numberFact == "0 is a number" && !store.isLoadingFact)
    store.send(.timerTicked)
    #expect(store.count == 2 && store.numberFact == "0 is a number")
    store.send(.incrementButtonTapped)
    #expect(store.count == 3 && store.numberFact == nil)
  }

  @Test func theNumberStaysAtTheEndsOfItsRange() {
    let top = store(count: .max)
    top.send(.incrementButtonTapped)
    top.send(.timerTicked)
    #expect(top.count == .max)
    let bottom = store(count: .min)
    bottom.send(.decrementButtonTapped)
    #expect(bottom.count == .min)
  }
}
