internal import Dispatch
public import EventLoop
internal import Glibc
internal import ServiceManager
public import ServiceProcess

/// The lifecycle of a hub's process: notifications of the service manager, signals, the watchdog, and a time limit for
/// stopping.
///
/// ```swift
/// let life = try ServiceLifecycle(loop: loop, log: log)
/// let recording = try Recording.open(engine, directory: directory, log: log) { life.recovering($0, of: $1) }
/// try life.watchSignals()
/// let server = try HubServer(engine, loop: loop, path: path, recording: recording, log: log)
/// try life.serve(server, recording)
/// exit(life.run())
/// ```
///
/// SIGTERM and SIGINT stop the hub: it sends all pending output, says goodbye to all clients, and stores all turns. A
/// second signal ends the process immediately. SIGHUP reloads the configuration; a hub without one and without a
/// service manager stops, because its terminal has closed. SIGUSR1 logs a summary of the hub's activity. SIGUSR2 passes
/// the connections to the process that the service manager starts next, even if it arrives while the journal is read.
/// Other signals that would silently end the process are ignored, and most of them logged.
public final class ServiceLifecycle {
  /// Called for SIGHUP. Reloads the configuration and returns a summary for the log, or throws the reason why nothing
  /// was changed, which the service manager's status shows until the next reload.
  public var onReload: () throws -> String = { "there is no configuration file; options take effect at the next start" }
  /// The time limit for stopping, after which the process ends without having finished.
  public var stopLimit = Duration.seconds(10)

  private let loop: EventLoop
  private let log: Log
  private let manager = ServiceManager()
  private var server: HubServer?
  private var recording: Recording?
  private var watchdog: Watchdog?
  private var signals: [Int32: SignalWatch] = [:]
  private var stopTimer: Timer?
  private var isStopping = false
  /// The time at which the process must have ended; nil if it is not stopping.
  private var deadline: DispatchTime?
  /// The reason why the last reload has changed nothing.
  private var reloadFailure: String?
  /// True if the time limit for stopping has passed.
  private var hasTimedOut = false
  private var status: Int32 = 0
  private let abortWatch = AbortWatch()
  /// True if SIGHUP reloads the configuration.
  private let reloads: Bool

  /// Signals without a meaning for a hub whose default action ends the process.
  private static let ignored: [Int32] = [SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT]
  /// The time that ending the process may take in addition to `stopLimit`.
  private static let reserve = Duration.seconds(10)
  /// The time for which the end of the process waits for a service manager that does not read.
  static let lastMessages = Duration.seconds(1)
  /// The maximum time between two steps of a recovery's progress.
  private static let recoveryStep = Duration.seconds(60)

  /// Creates the lifecycle of a process with a loop.
  ///
  /// - Parameters:
  ///   - loop: The loop of the process.
  ///   - log: The log for the operator.
  ///   - reloads: True if there is a configuration that SIGHUP reloads. Under a service manager it always does.
  /// - Throws: The reason why SIGUSR2 cannot be watched.
  public init(loop: EventLoop, log: Log, reloads: Bool = false) throws(UVError) {
    (self.loop, self.log, self.reloads) = (loop, log, reloads || ServiceManager().isPresent)
    // The Swift runtime's handler would print a backtrace and continue.
    Glibc.signal(SIGQUIT, SIG_DFL)
    // Before there is a hub, these end the process. The parent may have blocked them, as a thread pool does for its
    // threads.
    var ending = sigset_t()
    sigemptyset(&ending)
    for number in [SIGQUIT, SIGTERM, SIGINT] { sigaddset(&ending, number) }
    pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    // Before there is a hub, these have no meaning.
    for number in [SIGUSR1, SIGXFSZ] + Self.ignored { Glibc.signal(number, SIG_IGN) }
    if self.reloads { Glibc.signal(SIGHUP, SIG_IGN) }
    // Real-time signals are never used.
    for number in 34...64 { Glibc.signal(Int32(number), SIG_IGN) }
    // The service manager sends it once for a restart and waits for the end of the process, so a signal that arrives
    // before there is a hub must not be lost. The loop calls back when it runs.
    try watch(SIGUSR2) { [weak self] in self?.handOver() }
  }

  /// Reports the progress of a recovery, so that the service manager waits for it.
  ///
  /// - Parameters:
  ///   - done: The number of turns that were read; 0 at the beginning.
  ///   - total: The number of all turns.
  public func recovering(_ done: UInt64 = 0, of total: UInt64 = 0) {
    let percent = total > 0 ? ": \(done * 100 / total) %" : ""
    manager.notify(.status("reading the journal\(percent)"), .extendTimeout(Self.recoveryStep))
  }

  /// Reports that the hub waits for the other machines of its cluster, so that the service manager waits, too.
  ///
  /// - Parameter obstacle: The reason why it takes longer, if there is one.
  func joining(obstacle: String? = nil) {
    let reason = obstacle.map { ": \($0)" } ?? ""
    manager.notify(.status("waiting for the log of the cluster\(reason)"), .extendTimeout(Self.recoveryStep))
  }

  /// Calls a function with the reason when SIGTERM or SIGINT arrives, while the hub waits for its cluster and the loop
  /// runs. A second signal ends the process immediately.
  func watchEnd(_ onEnd: @escaping (_ reason: String) -> Void) throws(UVError) {
    for (number, name) in [(SIGTERM, "SIGTERM"), (SIGINT, "SIGINT")] {
      try watch(number) { [weak self] in
        self?.forgetEnd()
        onEnd("received \(name)")
      }
    }
  }

  /// Ends what `watchEnd` has begun.
  func forgetEnd() { for number in [SIGTERM, SIGINT] { signals[number] = nil } }

  /// Closes the recording of a hub that ends before it has served, and returns the exit status.
  func endBeforeServing(_ recording: Recording, reason: String) -> Int32 {
    log.write(.info, "stopping: \(reason)", Log.Details(.stopping, ["REASON": reason]))
    manager.notify(.stopping, .status("stopping: \(reason)"), .extendTimeout(stopLimit + Self.reserve))
    close(recording)
    return end()
  }

  private func close(_ recording: Recording?) {
    guard let error = recording?.close() else { return }
    log.write(.error, "the journal was not closed in order: \(error)")
    status = max(status, 1)
  }

  /// Starts to watch signals. Call it before the socket exists, since a program that sees the socket may send one.
  public func watchSignals() throws(UVError) {
    try watch(SIGTERM) { [weak self] in self?.stop(reason: "received SIGTERM") }
    try watch(SIGINT) { [weak self] in self?.stop(reason: "received SIGINT") }
    try watchHangup()
    try watch(SIGUSR1) { [weak self] in self?.logSummary() }
    for number in Self.ignored {
      try watch(number) { [log] in
        log.write(
          .warning, cause: Log.Cause("ignored signals"),
          "signal \(number) has no meaning for a hub and is ignored",
          Log.Details(.signalIgnored, ["SIGNAL": "\(number)"])
        )
      }
    }
  }

  private func watchHangup() throws(UVError) {
    guard !reloads else { return try watch(SIGHUP) { [weak self] in self?.reload() } }
    // nohup(1) starts a program with the signal ignored, so that it survives its terminal.
    var action = sigaction()
    guard sigaction(SIGHUP, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    try watch(SIGHUP) { [weak self] in self?.stop(reason: "received SIGHUP, because its terminal was closed") }
  }

  private func watch(_ number: Int32, _ action: @escaping () -> Void) throws(UVError) {
    signals[number] = try SignalWatch(on: loop, number, action)
  }

  /// Notifies the service manager that the hub is ready, and feeds its watchdog from now on.
  public func serve(_ server: HubServer, _ recording: Recording?) throws(UVError) {
    (self.server, self.recording) = (server, recording)
    stopTimer = try Timer(on: loop) { [weak self] in self?.giveUp() }
    stopTimer?.keepsLoopAlive(false)
    abortWatch.name(server.lastActions)
    if let interval = manager.watchdogInterval {
      watchdog = try Watchdog(on: loop, interval: interval, log: log) {
        server.storing
      } feed: { [weak self] in
        guard let self else { return }
        manager.notify(.watchdog, .status(summary))
      }
    }
    server.keepConnections(in: manager)
    log.write(.info, "listening on \(server.path)", Log.Details(.ready, ["PATH": server.path]))
    manager.notify(.ready, .status(summary))
  }

  /// The line for `systemctl status`.
  private var summary: String {
    [server?.summary, reloadFailure].compactMap(\.self).joined(separator: "; ")
  }

  /// Runs the loop until the hub has stopped, and closes the recording. Returns the exit status.
  public func run() -> Int32 {
    loop.run()
    let watched = signals.keys
    signals = [:]
    // Only a second SIGTERM or SIGINT may end the process before the journal is closed.
    for number in watched where ![SIGTERM, SIGINT].contains(number) { Glibc.signal(number, SIG_IGN) }
    guard !hasTimedOut else { return end() }
    // The log may wait for a disk that does not respond; nothing else would end the process then.
    let limit = stopLimit
    // Sendable, since a closure of the main actor traps on another queue.
    let backstop = DispatchWorkItem { @Sendable in
      let line = "the hub could not stop and close the journal within \(limit); the process ends\n"
      _ = write(2, line, line.utf8.count)
      _exit(1)
    }
    DispatchQueue.global().asyncAfter(deadline: deadline ?? endOfLimit, execute: backstop)
    close(recording)
    backstop.cancel()
    return end()
  }

  private func end() -> Int32 {
    log.write(.info, "stopped")
    log.flush()
    manager.flush(within: Self.lastMessages)
    return status
  }

  // MARK: Stopping

  /// The time at which a stop that begins now must have ended.
  private var endOfLimit: DispatchTime { DispatchTime.now() + .milliseconds(Int(clamping: stopLimit.milliseconds)) }

  /// Says goodbye to all clients and ends `run`, within `stopLimit`.
  ///
  /// - Parameters:
  ///   - reason: The reason, for clients and the log.
  ///   - status: The result of `run`.
  ///   - error: The errno of the failure, for the service manager.
  public func stop(reason: String, status: Int32 = 0, error: Int32? = nil) {
    self.status = max(self.status, status)
    if let error { manager.notify(.error(error)) }
    guard beginStopping(reason) else { return }
    guard let server else { return loop.stop() }
    server.stop(reason: "the hub stops: \(reason)") { [loop] in loop.stop() }
  }

  private func handOver() {
    guard manager.isPresent else {
      return log.write(
        .warning, cause: Log.Cause("ignored signals"),
        "SIGUSR2 leaves the connections to the next process, but no service manager keeps them; it is ignored",
        Log.Details(.signalIgnored, ["SIGNAL": "\(SIGUSR2)"]))
    }
    guard let server, beginStopping("received SIGUSR2; the connections are left to the next process") else { return }
    server.handOver(to: manager) { [self] isTaken in
      if !isTaken { log.write(.warning, "the service manager did not take the connections, so they are closed") }
      loop.stop()
    }
  }

  /// Starts to stop; returns false if the hub is stopping already.
  private func beginStopping(_ reason: String) -> Bool {
    guard !isStopping else { return false }
    isStopping = true
    deadline = endOfLimit
    // From now on another signal ends the process immediately, even if the loop is blocked.
    forgetEnd()
    watchdog = nil
    log.write(.info, "stopping: \(reason)", Log.Details(.stopping, ["REASON": reason]))
    manager.notify(
      .stopping, .status("stopping: \(reason)"), .watchdog, .extendTimeout(stopLimit + Self.reserve))
    stopTimer?.keepsLoopAlive(true)
    stopTimer?.start(after: stopLimit)
    return true
  }

  /// Ends the process after the time limit.
  private func giveUp() {
    guard isStopping, let server else { return }
    hasTimedOut = true
    status = 1
    log.write(
      .error, "the hub could not stop within \(stopLimit) and ends now: \(server.summary)",
      Log.Details(.stopTimedOut, ["REASON": server.summary]))
    server.abandon()
    loop.stop()
  }

  // MARK: Other signals

  private func reload() {
    manager.notify(.reloading)
    do {
      let outcome = try onReload()
      reloadFailure = nil
      log.write(.info, "reloaded: \(outcome)", Log.Details(.reloaded, ["REASON": outcome]))
    } catch {
      // In one line, as for `systemctl status`.
      let failure = "the configuration is unchanged: \("\(error)".replacing("\n", with: "; "))"
      reloadFailure = failure
      log.write(.error, failure, Log.Details(.reloadFailed, ["REASON": "\(error)"]))
    }
    manager.notify(.ready, .status(summary))
  }

  private func logSummary() {
    if let server { log.write(.info, server.summary) }
  }
}

extension Duration {
  /// The duration in whole milliseconds.
  fileprivate nonisolated var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
