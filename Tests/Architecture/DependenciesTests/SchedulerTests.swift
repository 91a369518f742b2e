import CombineSchedulers
import Dependencies
import Dispatch
import IssueReporting
import Testing

@Suite(.timeLimit(.minutes(30))) struct SchedulerTests {
  @Test func workRunsInTheOrderOfItsTime() {
    let (queue, log) = (DispatchQueue.test, LockIsolated<[String]>([]))
    func note(_ text: String) -> @Sendable () -> Void { { log.withValue { $0.append(text) } } }
    queue.schedule(after: queue.now.advanced(by: .seconds(2)), note("2 s"))
    queue.schedule(after: queue.now.advanced(by: .milliseconds(500)), note("500 ms"))
    queue.schedule(note("now"))
    let timer = queue.schedule(after: queue.now.advanced(by: 1), interval: 1, note("timer"))
    #expect(log.value == [])
    queue.advance()
    #expect(log.value == ["now"])
    queue.advance(by: .milliseconds(500))
    #expect(log.value == ["now", "500 ms"])
    queue.advance(by: 3)
    #expect(log.value.suffix(4) == ["timer", "2 s", "timer", "timer"])
    timer.cancel()
    queue.run()
    #expect(log.value.count == 6)
  }

  @MainActor @Test func tasksSleepOnAnErasedScheduler() async throws {
    let queue = DispatchQueue.test
    let erased = queue.eraseToAnyScheduler()
    let isAwake = LockIsolated(false)
    let task = Task {
      try await erased.sleep(for: .seconds(1))
      isAwake.setValue(true)
    }
    // On a busy machine the task may start to sleep late.
    while !isAwake.value { await queue.advance(by: .seconds(1)) }
    try await task.value
    let cancelled = Task { try await erased.sleep(for: .seconds(1)) }
    await queue.advance()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await queue.run()
  }

  @Test func anImmediateSchedulerDoesNotWait() async throws {
    let queue = AnySchedulerOf<DispatchQueue>.immediate
    try await queue.sleep(for: .seconds(3600))
    let ran = LockIsolated(0)
    queue.schedule(after: queue.now.advanced(by: .seconds(1))) { ran.withValue { $0 += 1 } }
    #expect(ran.value == 1)
  }

  @Test func theMainQueueIsUnimplementedInTests() {
    @Dependency(\.mainQueue) var mainQueue
    let issues = withExpectedIssue { mainQueue.schedule {} }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("mainQueue") == true)
    withDependencies {
      $0.mainQueue = .immediate
    } operation: {
      let ran = LockIsolated(false)
      mainQueue.schedule { ran.setValue(true) }
      #expect(ran.value)
    }
  }

  @Test func aQueueRunsWork() async throws {
    let queue = DispatchQueue(label: "test").eraseToAnyScheduler()
    let start = queue.now
    try await queue.sleep(for: .milliseconds(5))
    #expect(start.distance(to: queue.now) >= .milliseconds(5))
    var ticks = 0
    for await _ in queue.timer(interval: .milliseconds(1)) {
      ticks += 1
      if ticks == 3 { break }
    }
    await withCheckedContinuation { continuation in queue.schedule { continuation.resume() } }
  }

  @Test func durationsConvert() {
    typealias Stride = DispatchQueue.SchedulerTimeType.Stride
    #expect(Stride.seconds(1) == .milliseconds(1000) && Stride.seconds(0.5) == .milliseconds(500))
    #expect((1 as Stride) == .seconds(1) && Stride.microseconds(1) == .nanoseconds(1000))
    #expect(Stride.seconds(.max).magnitude == .max && Stride.seconds(1) + .seconds(2) == .seconds(3))
  }
}
