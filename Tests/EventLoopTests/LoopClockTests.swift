import EventLoop
import Foundation
import Synchronization
import Testing

/// The clocks of a loop.
@Suite(.serialized, .timeLimit(.minutes(30))) struct LoopClockTests {
  private let loop: EventLoop
  private let tasks: LoopTasks
  private let clocks: LoopClocks
  private let notes = Notes()

  init() throws {
    loop = try EventLoop()
    tasks = try LoopTasks(on: loop) { _, _ in }
    clocks = try LoopClocks(on: loop)
  }

  @Test(arguments: [true, false])
  func sleepersDoNotWakeBeforeTheirTimes(isContinuous: Bool) throws {
    let clock: any Clock<Duration> = isContinuous ? clocks.continuous : clocks.suspending
    let delays = (0..<500).map { _ in Int.random(in: 0...30_000) }
    let start = ContinuousClock.now
    for delay in delays {
      Task(executorPreference: tasks.executor { "" }) { [notes] in
        try await clock.sleep(for: .microseconds(delay))
        notes.add("\(delay) \(ContinuousClock.now - start >= .microseconds(delay))")
      }
    }
    run { notes.all.count == delays.count }
    #expect(notes.all.allSatisfy { $0.hasSuffix("true") })
    loop.close()
  }

  @Test func deadlinesOfOneClockAreKeptInOrder() throws {
    let clock = clocks.continuous
    let delays = (1...200).shuffled()
    print("delays: \(delays)")
    var (isBegun, found) = (false, [] as ArraySlice<String>)
    // If this thread is paused, the first deadlines pass before the last task sleeps.
    for wait in [500, 2_000, 20_000, 60_000] where !isBegun {
      let (start, before) = (clock.now + .milliseconds(wait), notes.all.count)
      for delay in delays {
        Task(executorPreference: tasks.executor { "" }) { [notes] in
          try await clock.sleep(until: start + .microseconds(delay))
          notes.add("\(delay)")
        }
      }
      run {
        if clocks.sleeperCount == delays.count, clock.now < start { isBegun = true }
        return notes.all.count == before + delays.count
      }
      found = notes.all.suffix(delays.count)
    }
    let isInOrder = isBegun && found.elementsEqual((1...200).map(String.init))
    #expect(isInOrder)
    loop.close()
  }

  @Test func aCancelledSleepEndsAtOnce() throws {
    let clock = clocks.continuous
    let sleeping = (0..<3).map { number in
      Task(executorPreference: tasks.executor { "" }) { [notes] in
        notes.add("begins")
        do {
          try await clock.sleep(for: .seconds(3600))
        } catch is CancellationError {
          notes.add("cancelled \(number)")
        }
      }
    }
    // Before it begins.
    sleeping[0].cancel()
    run { notes.all.count == 4 }
    #expect(notes.all.contains("cancelled 0"))
    sleeping[2].cancel()
    run { notes.all.count == 5 }
    // On another thread.
    let task = sleeping[1]
    Thread.detachNewThread { task.cancel() }
    run { notes.all.count == 6 }
    #expect(notes.all[4...] == ["cancelled 2", "cancelled 1"])
    loop.close()
  }

  @Test func anyDeadlineIsOne() throws {
    let clock = clocks.continuous
    let farthest = Duration.seconds(Int64.max)
    let sleeping = Task(executorPreference: tasks.executor { "" }) { [notes] in
      notes.add("begins")
      try await clock.sleep(until: clock.now + farthest + farthest)
    }
    Task(executorPreference: tasks.executor { "" }) { [notes] in
      try await clock.sleep(until: clock.now - farthest - farthest)
      notes.add("ends")
    }
    run { notes.all.count == 2 && clocks.sleeperCount == 1 }
    sleeping.cancel()
    loop.close()
  }

  @Test func cancelledSleepsAreForgotten() throws {
    let clock = clocks.continuous
    let last = Task(executorPreference: tasks.executor { "" }) { try? await clock.sleep(for: .seconds(3600)) }
    for round in 1...10 {
      let sleeping = (0..<500).map { _ in
        Task(executorPreference: tasks.executor { "" }) { [notes] in
          notes.add("begins")
          try? await clock.sleep(for: .seconds(3600))
        }
      }
      run { notes.all.count == 500 * round }
      for task in sleeping { task.cancel() }
    }
    run { clocks.sleeperCount <= 1000 }
    last.cancel()
    loop.close()
  }

  @Test func sleepsEndWithTheirLoop() async throws {
    let clock = clocks.suspending
    let loop = try EventLoop()
    var clocks = try LoopClocks(on: loop) as LoopClocks?
    let ending = try #require(clocks).continuous
    let sleeping = Task.detached { [notes] in
      notes.add("begins")
      try await ending.sleep(for: .seconds(3600))
    }
    while notes.all.isEmpty { loop.run(.noWait) }
    clocks = nil
    await #expect(throws: CancellationError.self) { try await sleeping.value }
    await #expect(throws: CancellationError.self) { try await ending.sleep(for: .seconds(3600)) }
    loop.close()
    // Other loops have their own clocks.
    Task.detached { [notes] in
      try await clock.sleep(for: .milliseconds(1))
      notes.add("wakes")
    }
    run { notes.all.count == 2 }
    self.loop.close()
  }

  @Test func functionsAreCalledAtTheirTimeUnlessPrevented() throws {
    let now = DispatchTime.now().uptimeNanoseconds
    let prevent = clocks.suspending.call(at: now + 1_000_000) { [notes] in notes.add("prevented") }
    _ = clocks.suspending.call(at: now + 3_000_000) { [notes] in
      notes.add("\(DispatchTime.now().uptimeNanoseconds >= now + 3_000_000)")
    }
    prevent()
    run { notes.all == ["true"] }
    loop.close()
  }

  private func run(until condition: () -> Bool) {
    let end = ContinuousClock.now + .seconds(120)
    while !condition(), ContinuousClock.now < end { loop.run(.noWait) }
    #expect(condition())
  }
}
