internal import Dispatch

extension EventLoop {
  /// Runs the loop from an asynchronous test, whose main thread belongs to libdispatch and not to this loop.
  ///
  /// It polls, because the main queue cannot be drained from within itself; programs call `run`. Between polls it waits
  /// on the main queue and not in a task: a task's sleep uses the global pool, which other tests may keep busy for
  /// seconds.
  /// - Returns: True if `condition` became true within `timeout`, which is long: tests that compute on the main thread may
  ///   leave few polls to others.
  package func pump(until condition: () -> Bool, timeout: Duration = .seconds(600)) async -> Bool {
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
