import ConcurrencyExtras
import Testing

@Suite(.timeLimit(.minutes(30))) struct TaskTests {
  @Test func neverEndsOnlyWhenItIsCancelled() async {
    let isOver = LockIsolated(false)
    let task = Task {
      defer { isOver.setValue(true) }
      try await Task.never()
    }
    await Task.megaYield()
    #expect(!isOver.value)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func cancellingTheWaiterCancelsTheTask() async {
    let (started, isStarted) = AsyncStream.makeStream(of: Void.self)
    let inner = Task {
      isStarted.yield()
      try await Task.never()
    }
    let patient = Task { @Sendable () -> Bool in
      isStarted.yield()
      try? await Task.never()
      return Task.isCancelled
    }
    let outer = Task { try await inner.cancellableValue }
    let patientOuter = Task { await patient.cancellableValue }
    var iterator = started.makeAsyncIterator()
    for _ in 0..<2 { await iterator.next() }
    outer.cancel()
    patientOuter.cancel()
    await #expect(throws: CancellationError.self) { try await outer.value }
    #expect(inner.isCancelled)
    #expect(await patientOuter.value)
  }

  @Test func cancellableValuesPassValuesOn() async throws {
    #expect(await Task { 1 }.cancellableValue == 1)
    #expect(try await Task { () async throws -> Int in 2 }.cancellableValue == 2)
  }

  @Test func aMegaYieldLetsOthersRun() async {
    let hasRun = LockIsolated(false)
    Task { hasRun.setValue(true) }
    // One mega-yield is usually enough; the time limit detects a hang.
    while !hasRun.value { await Task.megaYield(count: 5) }
  }
}

/// Run in separate processes, since the executor is global and other tests may block the main actor.
@Suite(.timeLimit(.minutes(30))) struct MainSerialExecutorTests {
  @Test func tasksRunInTheOrderInWhichTheyWereStarted() async {
    await #expect(processExitsWith: .success) {
      // Fifty rounds: without the executor, some round is out of order.
      for _ in 0..<50 {
        let order = LockIsolated<[Int]>([])
        await withMainSerialExecutor {
          await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
              group.addTask {
                order.withValue { $0.append(number) }
                await Task.yield()
                order.withValue { $0.append(number + 40) }
              }
            }
          }
        }
        precondition(order.value == Array(0..<80))
      }
    }
  }

  @Test func aYieldRunsWhatWasStartedBefore() async {
    await #expect(processExitsWith: .success) { @MainActor in
      await withMainSerialExecutor {
        let hasRun = LockIsolated(false)
        Task.detached { hasRun.setValue(true) }
        precondition(!hasRun.value)
        await Task.yield()
        precondition(hasRun.value)
      }
    }
  }

  @Test func nestedUsesEndWithTheOutermost() async {
    await #expect(processExitsWith: .success) {
      withMainSerialExecutor {
        withMainSerialExecutor { precondition(uncheckedUseMainSerialExecutor) }
        precondition(uncheckedUseMainSerialExecutor)
      }
      precondition(!uncheckedUseMainSerialExecutor)
      uncheckedUseMainSerialExecutor = true
      precondition(uncheckedUseMainSerialExecutor)
      uncheckedUseMainSerialExecutor = false
      precondition(!uncheckedUseMainSerialExecutor)
    }
  }
}
