internal import Dispatch

extension EventLoop {
  /// Drives the loop from an asynchronous test, whose main thread belongs to libdispatch and not to this loop.
  ///
  /// Polls, because the main queue cannot be drained from inside itself; programs call `run`. In between it waits on the main
  /// queue and not in a task: a task's sleep goes through the global pool, which other tests may keep busy for seconds.
  /// - Returns: Whether `condition` came true within `timeout`.
  package func pump(until condition: () -> Bool, timeout: Duration = .seconds(30)) async -> Bool {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while !condition() {
      guard ContinuousClock.now < deadline else { return false }
      run(.noWait)
      await withCheckedContinuation { continuation in
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
      }
    }
    return true
  }
}
