import Dependencies
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClockTests {
  /// Waits until so many tasks sleep: they run on other threads.
  private func sleepers(_ count: Int, on clock: TestClock) async {
    while clock.sleeperCount != count { await Task.yield() }
  }

  @Test func timeStandsStillUntilItIsAdvanced() async {
    let clock = TestClock()
    let start = clock.now
    await clock.advance(by: .seconds(2))
    #expect(start.duration(to: clock.now) == .seconds(2))
  }

  @Test func sleepersWakeInTheOrderOfTheirDeadlines() async throws {
    let clock = TestClock()
    let (woken, continuation) = AsyncStream.makeStream(of: Int.self)
    let tasks = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        continuation.yield(seconds)
      }
    }
    await sleepers(3, on: clock)
    var iterator = woken.makeAsyncIterator()
    for seconds in 1...3 {
      await clock.advance(by: .seconds(1))
      #expect(await iterator.next() == seconds)
      await sleepers(3 - seconds, on: clock)
    }
    for task in tasks { try await task.value }
  }

  @Test func aSleeperWakesAtItsDeadlineAndNotBefore() async throws {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    await sleepers(1, on: clock)
    await clock.advance(by: .milliseconds(1999))
    #expect(clock.sleeperCount == 1)
    await clock.advance(by: .milliseconds(1))
    #expect(clock.sleeperCount == 0)
    try await task.value
  }

  @Test func aCancelledSleepThrowsAndIsForgotten() async {
    let clock = TestClock()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await sleepers(1, on: clock)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func aTaskThatIsCancelledAlreadyDoesNotSleep() async {
    for clock in [TestClock(), ImmediateClock()] as [any Clock<Duration>] {
      let task = Task {
        while !Task.isCancelled { await Task.yield() }
        try await clock.sleep(for: .seconds(1))
      }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func sleepingUntilThePastIsOverAtOnce() async throws {
    let clock = TestClock()
    await clock.advance(by: .seconds(1))
    try await clock.sleep(until: clock.now)
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.sleeperCount == 0)
  }

  @Test func runningGoesOnUntilNobodySleeps() async throws {
    let clock = TestClock()
    let start = clock.now
    let task = Task { try await clock.sleep(for: .seconds(60)) }
    await sleepers(1, on: clock)
    await clock.run()
    try await task.value
    #expect(start.duration(to: clock.now) == .seconds(60))
  }

  @Test func anImmediateClockMovesInsteadOfSleeping() async throws {
    let clock = ImmediateClock()
    let start = clock.now
    try await clock.sleep(for: .seconds(3600))
    try await clock.sleep(for: .seconds(1))
    #expect(start.duration(to: clock.now) == .seconds(3601))
  }

  @Test func aTimerTicksAtMultiplesOfItsIntervalFromWhenItWasMade() async {
    let clock = TestClock()
    let start = clock.now
    let timer = clock.timer(interval: .seconds(2))
    var ticks = timer.makeAsyncIterator()
    for tick in 1...3 {
      await sleepers(1, on: clock)
      await clock.advance(by: .seconds(2))
      let instant = await ticks.next()
      #expect(instant.map { start.duration(to: $0) } == .seconds(2 * tick))
    }
  }

  @Test func aTimerEndsWithTheTaskThatReadsIt() async {
    let clock = TestClock()
    let task = Task {
      for await _ in clock.timer(interval: .seconds(1)) {}
    }
    await sleepers(1, on: clock)
    task.cancel()
    await task.value
    await sleepers(0, on: clock)
  }
}
