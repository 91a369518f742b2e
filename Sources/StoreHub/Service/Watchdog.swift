internal import EventLoop
internal import ServiceManager

/// Tells the service manager that the hub is alive: only after the loop has completed a whole turn, and only while the
/// log's writer comes on.
final class Watchdog {
  private let server: HubServer
  private let manager: ServiceManager
  private let log: Log
  private let period: Duration
  private var timer: Timer?
  /// Whether the loop has begun the turn after which the service manager is told.
  private var isInTurn = false
  /// The last stored turn when turns were waiting at the last check.
  private var waitingAfter: UInt64?

  init(on loop: EventLoop, interval: Duration, server: HubServer, manager: ServiceManager, log: Log) throws(UVError) {
    (self.server, self.manager, self.log) = (server, manager, log)
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
        "turns wait to be stored for \(period) and none was: the watchdog is not told that the hub is alive",
        Log.Details(.writerStuck))
    }
    manager.notify(.watchdog, .status(server.summary))
  }

  /// False if turns waited at the last check and none was stored since.
  private func isWriterAlive() -> Bool {
    guard let storing = server.storing, storing.isWaiting else {
      waitingAfter = nil
      return true
    }
    defer { waitingAfter = storing.last }
    return waitingAfter != storing.last
  }
}
