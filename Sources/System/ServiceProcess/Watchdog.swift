package import EventLoop

/// Feeds a service manager's watchdog, but only after the loop has completed a whole turn, and only while the log's
/// writer makes progress.
package final class Watchdog {
  private let log: Log
  private let period: Duration
  private let storing: () -> (isWaiting: Bool, last: UInt64)?
  private let feed: () -> Void
  private var timer: Timer?
  /// True if the loop has begun the turn after which the watchdog is fed.
  private var isInTurn = false
  /// The last stored turn at the last check, if turns were waiting then.
  private var waitingAfter: UInt64?

  /// Starts to feed the watchdog.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - interval: The timeout of the service manager.
  ///   - log: The operator's log.
  ///   - storing: Returns true if turns wait to be stored, and the last stored turn; nil without a log.
  ///   - feed: Notifies the service manager that the hub is alive.
  package init(
    on loop: EventLoop, interval: Duration, log: Log, storing: @escaping () -> (isWaiting: Bool, last: UInt64)?,
    feed: @escaping () -> Void
  ) throws(UVError) {
    (self.log, self.storing, self.feed) = (log, storing, feed)
    period = interval / 2
    // Unowned, because a weak reference would make every retain slower; the timer ends with this object.
    timer = try Timer(on: loop) { [unowned self] in fired() }
    timer?.keepsLoopAlive(false)
    timer?.start(after: period)
  }

  private func fired() {
    isInTurn.toggle()
    guard !isInTurn else {
      // The loop polls and handles all events before this timer fires.
      timer?.start(after: .milliseconds(1))
      return
    }
    timer?.start(after: period)
    guard isWriterAlive() else {
      return log.write(
        .error, cause: Log.Cause("turns without end"),
        "turns wait to be stored for \(period) and none was: the watchdog is not fed", Log.Details(.writerStuck))
    }
    feed()
  }

  /// Returns false if turns waited at the last check and none was stored since.
  private func isWriterAlive() -> Bool {
    guard let storing = storing(), storing.isWaiting else {
      waitingAfter = nil
      return true
    }
    defer { waitingAfter = storing.last }
    return waitingAfter != storing.last
  }
}
