internal import ConcurrencyExtras
internal import Dispatch
internal import Synchronization

/// Runs effects on the main thread, interleaved with the main actor and in the order in which they are resumed.
///
/// The result of a test therefore does not depend on the load of the machine. When the queue is empty, no effect can
/// make further progress.
final class TestExecutor: TaskExecutor {
  private let count = Atomic<UInt64>(0)
  private let waiting = Atomic<Int>(0)

  /// The number of jobs that were enqueued.
  var enqueuedCount: UInt64 { count.load(ordering: .acquiring) }

  /// Returns true if no job is queued.
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

  /// Runs jobs until all remaining effects sleep or wait for something outside the process.
  ///
  /// The main queue is first in, first out. If several rounds to its end find no new job, there is none. `Task.yield()`
  /// in an effect goes through the global pool, so while effects run, a round also goes there. An effect in
  /// `Task.megaYield()`, for example on an `ImmediateClock`, advances by one step in a round. The method gives up after
  /// many rounds if the work never comes to rest.
  ///
  /// - Parameter isBusy: Returns true while effects run.
  @MainActor
  func settle(isBusy: () -> Bool) async {
    var quietRounds = 0
    for _ in 0..<10_000 where quietRounds < 6 {
      let before = enqueuedCount
      if quietRounds >= 3 {
        guard isBusy() else { return }
        if MegaYields.areRunning(on: asUnownedTaskExecutor()) {
          await MegaYields.step()
          quietRounds = 0
          continue
        }
        await Task.yield()
      } else {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      }
      quietRounds = enqueuedCount == before && isIdle ? quietRounds + 1 : 0
    }
  }
}
