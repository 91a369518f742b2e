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
  /// The main queue is first in, first out: going to its end several times without new work means that there is none.
  /// `Task.yield()` in an effect goes through the global pool, so while effects run, that is waited for too. Work that
  /// never rests is left alone after many rounds.
  ///
  /// - Parameter isBusy: Whether effects run.
  @MainActor
  func settle(isBusy: () -> Bool) async {
    var quietRounds = 0
    for _ in 0..<10_000 where quietRounds < 6 {
      let before = enqueuedCount
      if quietRounds >= 3 {
        guard isBusy() else { return }
        await Task.yield()
      } else {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      }
      quietRounds = enqueuedCount == before && isIdle ? quietRounds + 1 : 0
    }
  }
}
