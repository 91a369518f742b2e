internal import Dispatch

extension EventLoop {
  /// Drives the loop from an asynchronous test, whose main thread belongs to libdispatch and not to this loop.
  ///
  /// Polls, because the main queue cannot be drained from inside itself; programs call `run`.
  /// - Returns: Whether `condition` came true within `timeout`.
  package func pump(until condition: () -> Bool, timeout: Duration = .seconds(30)) async -> Bool {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    while !condition() {
      guard ContinuousClock.now < deadline else { return false }
      run(.noWait)
      await Task.yield()
      if !condition() { try? await Task.sleep(for: .milliseconds(1)) }
    }
    return true
  }
}
