internal import Dispatch
internal import Synchronization

/// Runs effects on the main thread, in turns with the main actor and in the order in which they are resumed.
///
/// So what a test sees does not depend on how busy the machine is: when nothing is left in the queue, every effect has
/// come as far as it can.
final class TestExecutor: TaskExecutor {
  private let count = Atomic<UInt64>(0)
  private let waiting = Atomic<Int>(0)

  /// How many pieces of work were handed over so far.
  var enqueuedCount: UInt64 { count.load(ordering: .acquiring) }

  /// Whether no piece of work waits.
  var isIdle: Bool { waiting.load(ordering: .acquiring) == 0 }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    count.wrappingAdd(1, ordering: .releasing)
    waiting.wrappingAdd(1, ordering: .releasing)
    DispatchQueue.main.async { [self] in
      waiting.wrappingSubtract(1, ordering: .releasing)
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Lets everything run until nothing moves any more: what is left sleeps, or waits for something outside.
  ///
  /// The main queue is first in, first out: going to its end twice without new work means that there is none. Work
  /// that never rests is left alone after many rounds.
  @MainActor
  func settle() async {
    var quietRounds = 0
    for _ in 0..<10_000 where quietRounds < 3 {
      let before = enqueuedCount
      await Task.yield()
      quietRounds = enqueuedCount == before && isIdle ? quietRounds + 1 : 0
    }
  }
}
