internal import Glibc
internal import Synchronization

/// Tells whether code runs on the thread of a loop that runs.
nonisolated final class LoopThread: Sendable {
  private let id = Atomic<UInt>(0)

  /// True within `EventLoop.run` on the same thread.
  var isCurrent: Bool { id.load(ordering: .relaxed) == pthread_self() }

  /// Notes that the loop runs on this thread, while `body` runs.
  func run<Result>(_ body: () -> Result) -> Result {
    let outer = id.exchange(pthread_self(), ordering: .relaxed)
    defer { id.store(outer, ordering: .relaxed) }
    return body()
  }
}
