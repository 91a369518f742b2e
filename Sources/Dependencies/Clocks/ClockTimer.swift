extension Clock where Duration == Swift.Duration {
  /// A tick at every multiple of `interval` from now on.
  ///
  /// Ticks do not drift: each is due at a fixed instant, whatever time handling the one before took; ticks that
  /// were missed altogether are passed over. Ends when the task that iterates it is cancelled.
  public func timer(interval: Duration, tolerance: Duration? = nil) -> AsyncStream<Instant> {
    let clock = self
    return AsyncStream { continuation in
      let task = Task {
        var due = clock.now.advanced(by: interval)
        while !Task.isCancelled {
          do { try await clock.sleep(until: due, tolerance: tolerance) } catch { break }
          continuation.yield(due)
          let now = clock.now
          repeat { due = due.advanced(by: interval) } while due < now
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }
}
