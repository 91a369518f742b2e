import Dependencies
import Testing

@Suite(.timeLimit(.minutes(30))) struct TimerTests {
  private func sleepers(_ count: Int, on clock: TestClock<Duration>) async {
    while clock.sleeperCount != count { await Task.yield() }
  }

  @Test func aTimerTicksAtMultiplesOfItsInterval() async {
    let clock = TestClock()
    let start = AnyClock(clock).now
    let ticks = LockIsolated<[Duration]>([])
    let task = Task {
      for await instant in (clock as any Clock<Duration>).timer(interval: .seconds(2)) {
        ticks.withValue { $0.append(start.duration(to: instant)) }
      }
    }
    for tick in 1...3 {
      await sleepers(1, on: clock)
      await clock.advance(by: .seconds(2))
      while ticks.value.count < tick { await Task.yield() }
    }
    #expect(ticks.value == [.seconds(2), .seconds(4), .seconds(6)])
    await sleepers(1, on: clock)
    task.cancel()
    await task.value
    #expect(clock.sleeperCount == 0)
  }

  @Test func missedTicksArePassedOverAndTheRestDoNotDrift() async {
    let clock = TestClock()
    let start = clock.now
    var ticks = AsyncTimerSequence(interval: .seconds(2), clock: clock).makeAsyncIterator()
    await clock.advance(by: .seconds(5))
    async let tick = ticks.next()
    await sleepers(1, on: clock)
    await clock.advance(by: .seconds(1))
    let instant = await tick
    #expect(instant.map { start.duration(to: $0) } == .seconds(6))
  }

  @Test func aTickThatIsDueNowWaitsForTheClock() async {
    let clock = TestClock()
    let start = clock.now
    var ticks = AsyncTimerSequence(interval: .seconds(2), clock: clock).makeAsyncIterator()
    await clock.advance(by: .seconds(2))
    async let tick = ticks.next()
    await sleepers(1, on: clock)
    await clock.advance()
    let instant = await tick
    #expect(instant.map { start.duration(to: $0) } == .seconds(2))
  }

  @Test func anIntervalIsPositive() async {
    await #expect(processExitsWith: .failure) { _ = TestClock().timer(interval: .zero) }
  }
}
