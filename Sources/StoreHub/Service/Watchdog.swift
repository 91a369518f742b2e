package import EventLoop

/// Feeds a service manager's watchdog: only after the loop has completed a whole turn, and only while the log's writer
/// comes on.
package final class Watchdog {
  private let log: Log
  private let period: Duration
  private let storing: () -> (isWaiting: Bool, last: UInt64)?
  private let feed: () -> Void
  private var timer: Timer?
  /// Whether the loop has begun the turn after which the watchdog is fed.
  private var isInTurn = false
  /// The last stored turn at the last check, if turns were waiting then.
  private var waitingAfter: UInt64?

  /// Begins to feed.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - interval: The time after which the service manager loses patience.
  ///   - log: The operator's log.
  ///   - storing: Whether turns wait to be stored, and the last one that was; nil without a log.
  ///   - feed: Tells the service manager that the hub is alive.
  package init(
    on loop: EventLoop, interval: Duration, log: Log, storing: @escaping () -> (isWaiting: Bool, last: UInt64)?,
    feed: @escaping () -> Void
  ) throws(UVError) {
    (self.log, self.storing, self.feed) = (log, storing, feed)
    period = interval / 2
    // Unowned and not weak, which would make every retain slower: the timer ends with this.
    timer = try Timer(on: loop) { [unowned self] in fired() }
    timer?.keepsLoopAlive(false)
    timer?.start(after: period)
  }

  private func fired() {
    isInTurn.toggle()
    guard !isInTurn else {
      // The loop polls and handles what is ready before this one fires.
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

  /// False if turns waited at the last check and none was stored since.
  private func isWriterAlive() -> Bool {
    guard let storing = storing(), storing.isWaiting else {
      waitingAfter = nil
      return true
    }
    defer { waitingAfter = storing.last }
    return waitingAfter != storing.last
  }
}
