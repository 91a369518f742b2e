import EventLoop
import Foundation
import Synchronization
import Testing

/// Tasks on the thread of a loop.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LoopTaskTests {
  private let loop: EventLoop
  private let notes = Notes()

  init() throws { loop = try EventLoop() }

  @Test func tasksRunOnTheLoopsThreadInTheirOrder() throws {
    let tasks = try LoopTasks(on: loop) { _, _ in }
    // On the loop's own thread, where nobody is woken.
    let timer = try Timer(on: loop) { [notes] in
      for name in ["a", "b", "c"] {
        _ = Task(executorPreference: tasks.executor { name }) {
          for turn in 1...3 {
            notes.add("\(name)\(turn) \(currentThread())")
            await Task.yield()
          }
        }
      }
    }
    timer.start(after: .zero)
    run { notes.all.count == 9 }
    let here = currentThread()
    #expect(notes.all == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"].map { "\($0) \(here)" })
    loop.close()
  }

  @Test func aTaskGoesOnOnTheLoopAfterOtherThreads() throws {
    let tasks = try LoopTasks(on: loop) { _, _ in }
    Task(executorPreference: tasks.executor { "" }) { [notes] in
      notes.add(currentThread())
      notes.add(await Task.detached { currentThread() }.value)
      notes.add(currentThread())
      async let child = currentThread()
      notes.add(await child)
    }
    run { notes.all.count == 4 }
    let here = currentThread()
    #expect(notes.all.map { $0 == here } == [true, false, true, true])
    loop.close()
  }

  @Test func aTaskThatGoesOnForeverDoesNotKeepTheLoopFromOtherWork() throws {
    let tasks = try LoopTasks(on: loop) { _, _ in }
    var fired = 0
    let timer = try Timer(on: loop) { fired += 1 }
    let task = Task(executorPreference: tasks.executor { "" }) { [notes] in
      while !Task.isCancelled { await Task.yield() }
      notes.add("cancelled")
    }
    timer.start(after: .milliseconds(1), repeating: .milliseconds(1))
    // A delayed loop may call it several times in succession.
    run { fired >= 20 }
    #expect(notes.all == [])
    task.cancel()
    run { notes.all == ["cancelled"] }
    loop.close()
  }

  /// A pause of this thread looks like work that blocks, so it is tried again.
  @Test func workThatBlocksIsNamed() throws {
    var reports: [(name: String, time: Duration)] = []
    let tasks = try LoopTasks(on: loop) { reports.append(($0, $1)) }
    for number in 1...20 {
      reports = []
      Task(executorPreference: tasks.executor { "quick" }) { [notes] in notes.add("quick") }
      Task(executorPreference: tasks.executor { "slow" }) { [notes] in
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .nanoseconds(Int64(LoopTasks.blocking)) {}
        await Task.yield()
        notes.add("slow")
      }
      run { notes.all.count == 2 * number }
      #expect(reports.contains { $0.name == "slow" } && reports.allSatisfy { $0.time >= .milliseconds(100) })
      if reports.map(\.name) == ["slow"] { break }
    }
    #expect(reports.map(\.name) == ["slow"])
    loop.close()
  }

  @Test func tasksGoOnElsewhereWhenTheLoopHasNoMoreTasks() async throws {
    var tasks = try LoopTasks(on: loop) { _, _ in } as LoopTasks?
    let executor = try #require(tasks).executor { "" }
    // Enqueued, and not run before the end.
    let waiting = Task(executorPreference: executor) { currentThread() }
    tasks = nil
    loop.run(.noWait)
    let here = currentThread()
    #expect(await waiting.value != here)
    #expect(await Task(executorPreference: executor) { true }.value)
    loop.close()
  }

  @Test func aClosedLoopRunsNoTasks() async throws {
    let tasks = try LoopTasks(on: loop) { _, _ in }
    loop.close()
    #expect(await Task(executorPreference: tasks.executor { "" }) { true }.value)
    withExtendedLifetime(tasks) {}
  }

  private func run(until condition: () -> Bool) {
    let end = ContinuousClock.now + .seconds(120)
    while !condition(), ContinuousClock.now < end { loop.run(.noWait) }
    #expect(condition())
  }
}

/// Lines that any thread adds.
nonisolated final class Notes: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }
  func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// The name of the calling thread.
private nonisolated func currentThread() -> String { "\(pthread_self())" }
