import Dependencies
import IssueReporting
import Testing

@Suite(.timeLimit(.minutes(30))) struct ClockTests {
  /// Waits until a number of tasks sleep, since they run on other threads.
  private func sleepers(_ count: Int, on clock: TestClock<Duration>) async {
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
      #expect(clock.sleeperCount == 3 - seconds)
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
    try await clock.sleep(for: .seconds(-1))
    #expect(clock.sleeperCount == 0)
  }

  @Test func sleepingUntilNowWaitsForTheClock() async throws {
    let clock = TestClock()
    for wake in [{ await clock.advance() }, { await clock.run() }] {
      let isAwake = LockIsolated(false)
      let task = Task {
        try await clock.sleep(until: clock.now)
        isAwake.setValue(true)
      }
      await sleepers(1, on: clock)
      #expect(!isAwake.value)
      await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
      await wake()
      try await task.value
    }
  }

  @Test func endlessSleepsAreCancelledAfterTheReport() async {
    let clock = TestClock()
    let task = Task { while true { try await clock.sleep(for: .seconds(1)) } }
    await sleepers(1, on: clock)
    await withExpectedIssue { await clock.run(timeout: .milliseconds(1)) }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func theResolutionOfAnUnimplementedClockIsReported() {
    let issues = withExpectedIssue { _ = UnimplementedClock().minimumResolution }
    #expect(issues.count == 1)
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

  /// Runs in a separate process, whose tasks run serially.
  @Test func advancingPassesEveryDeadlineOnItsWay() async {
    await #expect(processExitsWith: .success) {
      try await withMainSerialExecutor {
        let clock = TestClock()
        let wakes = LockIsolated<[TestClock<Duration>.Instant]>([])
        let start = clock.now
        let task = Task {
          for seconds in 1...3 {
            try await clock.sleep(for: .seconds(seconds))
            wakes.withValue { $0.append(clock.now) }
          }
        }
        await clock.advance(to: start.advanced(by: .seconds(10)))
        precondition(wakes.value.map { start.duration(to: $0) } == [.seconds(1), .seconds(3), .seconds(6)])
        precondition(start.duration(to: clock.now) == .seconds(10))
        try await task.value
      }
    }
  }

  @Test func runningTakesABusyMachineForWhatItIsAndReportsEndlessWork() async {
    let clock = TestClock()
    await withTaskGroup(of: Void.self) { group in
      for seconds in 1...103 { group.addTask { try? await clock.sleep(for: .seconds(seconds)) } }
      await sleepers(103, on: clock)
      let issues = await withExpectedIssue { await clock.run(timeout: .zero) }
      #expect(issues.count == 1)
      #expect(issues.first?.hasPrefix("Expected all sleeps to finish, but 3 still wait after 0.0 seconds") == true)
      group.cancelAll()
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test func aSuspensionIsFoundWhileSomebodySleeps() async throws {
    let clock = TestClock()
    try await clock.checkSuspension()
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await sleepers(1, on: clock)
    await #expect(throws: SuspensionError.self) { try await clock.checkSuspension() }
    await clock.advance(by: .seconds(1))
    try await clock.checkSuspension()
    try await task.value
  }

  @Test func anErasedClockKeepsItsTimeAndSleeps() async throws {
    let base = TestClock()
    let clock = AnyClock(base)
    let start = clock.now
    let task = Task { try await clock.sleep(for: .seconds(2)) }
    await sleepers(1, on: base)
    await base.advance(by: .seconds(2))
    try await task.value
    #expect(start.duration(to: clock.now) == .seconds(2))
    #expect(start < clock.now && start.advanced(by: .seconds(2)) == clock.now)
    #expect(Set([start, clock.now, start.advanced(by: .seconds(2))]).count == 2)
    #expect(clock.minimumResolution == .zero)
  }

  @Test func anUnimplementedClockReportsEachUseAndWorks() async {
    let base = TestClock()
    let line: UInt = #line + 1
    let clock = UnimplementedClock(base, name: "Feature.clock")
    let recorder = Recorder()
    await withIssueReporters([recorder]) {
      let start = clock.now
      async let sleep: Void? = try? clock.sleep(until: start.advanced(by: .seconds(1)))
      await sleepers(1, on: base)
      await base.advance(by: .seconds(1))
      await sleep
    }
    #expect(recorder.messages == ["Unimplemented: Feature.clock.now …", "Unimplemented: Feature.clock.sleep …"])
    #expect(recorder.lines == [line, line])
  }

  @Test func anImmediateClockMovesInsteadOfSleeping() async throws {
    let clock = ImmediateClock()
    let start = clock.now
    try await clock.sleep(for: .seconds(3600))
    try await clock.sleep(for: .seconds(1))
    #expect(start.duration(to: clock.now) == .seconds(3601))
  }

  @Test func aParameterForAnyClockTakesTheShortNames() async throws {
    func sleepAMinute(on clock: some Clock<Duration>) async throws -> Duration {
      let start = clock.now
      try await clock.sleep(for: .seconds(60))
      return start.duration(to: clock.now)
    }
    #expect(try await sleepAMinute(on: .immediate) == .seconds(60))
    func resolution(of clock: some Clock<Duration>) -> Duration { clock.minimumResolution }
    let issues = withExpectedIssue {
      _ = resolution(of: .unimplemented)
      _ = resolution(of: .unimplemented())
    }
    #expect(issues.count == 2)
  }

  @Test func theResolutionOfATestsClockCanBeSet() {
    let (test, immediate) = (TestClock(), ImmediateClock())
    #expect(test.minimumResolution == .zero && immediate.minimumResolution == .zero)
    test.minimumResolution = .seconds(1)
    immediate.minimumResolution = .milliseconds(1)
    #expect(test.minimumResolution == .seconds(1) && immediate.minimumResolution == .milliseconds(1))
  }

  @Test func anUnimplementedClockCanBeginAtAnInstant() async {
    let start = ImmediateClock<Duration>.Instant(offset: .seconds(5))
    let clock = UnimplementedClock(name: "Feature.clock", now: start)
    let issues = await withExpectedIssue {
      try await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
    }
    #expect(issues == ["Unimplemented: Feature.clock.now …", "Unimplemented: Feature.clock.sleep …"])
  }
}
