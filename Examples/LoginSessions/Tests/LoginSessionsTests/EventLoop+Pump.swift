import Dispatch
import EventLoop

extension EventLoop {
  /// Runs the loop from an asynchronous test, whose main thread belongs to libdispatch and not to this loop.
  ///
  /// - Returns: True if `condition` became true within 30 s.
  func pump(until condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now.advanced(by: .seconds(30))
    while !condition() {
      guard ContinuousClock.now < deadline else { return false }
      run(.noWait)
      // Tasks of the main actor run in between; a program's loop drains the main queue itself.
      await withCheckedContinuation { continuation in
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
      }
    }
    return true
  }
}
