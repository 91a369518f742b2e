public import EventLoop
public import HubCore
internal import ServiceManager
public import TurnLog
public import Wire

/// Serves a hub on a Unix socket.
///
/// ```swift
/// let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
/// let server = try HubServer(engine, loop: loop, path: "/run/user/1000/storehub/hub.sock", log: log)
/// loop.run()
/// ```
///
/// Everything happens on the loop's thread. What one turn of the loop brings in is reduced as it comes; what it sends
/// goes out at the turn's end. When the value goes away without `stop`, all connections are closed at once.
@MainActor
public final class HubServer {
  private let shell: HubShell

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - engine: The feature.
  ///   - limits: The limits of peers.
  ///   - policy: Who may use the hub, and for what. Without one the permissions of the socket decide.
  ///   - name: The name by which the hub introduces itself to clients.
  ///   - loop: The loop to live on, which must outlive the server.
  ///   - path: The socket's path; a dead hub's socket there is replaced.
  ///   - mode: The socket's permissions.
  ///   - recording: Where the hub's turns are stored; nil for a hub that forgets everything when it stops.
  ///   - inheritance: What the service manager has passed: a socket is used instead of `path`, and the clients of the
  ///     process before are served on if they can be.
  ///   - log: The operator's log.
  /// - Throws: `alreadyServed`, `notASocket`, or why the path cannot be used.
  public init<State, Action>(
    _ engine: FeatureEngine<State, Action>, limits: HubLimits = HubLimits(), policy: AccessPolicy = .open,
    name: String = "", loop: EventLoop, path: String, mode: UInt32 = 0o600, recording: Recording? = nil,
    inheritance: Inheritance = Inheritance(), log: Log
  ) throws(HubError) {
    var inheritance = inheritance
    let history = inheritance.settle(engine, recording?.history, log: log)
    let core = HubCore(
      engine, limits: limits, policy: policy, name: name, history: history,
      durability: recording?.durability ?? .sync)
    shell = try HubShell(
      core: core, loop: loop, path: path, mode: mode, recording: recording, inheritance: inheritance, log: log)
  }

  isolated deinit { shell.abandon() }

  /// Called when new clients no longer reach this hub, because another program has taken over its path. Clients that are
  /// connected are still served; the program should stop the hub.
  public var onSocketLost: ((HubError) -> Void)? {
    get { shell.onSocketLost }
    set { shell.onSocketLost = newValue }
  }

  /// Called when the log takes no more turns. Nothing is acknowledged from here on, and every connection is closed; the
  /// program should stop with an error.
  public var onLogFailed: ((LogError) -> Void)? {
    get { shell.onLogFailed }
    set { shell.onLogFailed = newValue }
  }

  /// Replaces the policy: for new connections, and for those that are open.
  ///
  /// Connections that the new policy refuses, or that have attached what they may not read any more, are closed with
  /// `notPermitted`; the others notice nothing. Actions are checked by the new policy from here on.
  public func reload(_ policy: AccessPolicy) { shell.reload(policy) }

  /// The hub's figures as they are now.
  public var metrics: HubMetrics { shell.metrics }

  /// How many connections are being served.
  public var connectionCount: Int { shell.connectionCount }

  /// The path of the socket that the hub listens on.
  public var path: String { shell.path }

  /// What the hub is doing, for the operator.
  public var summary: String { shell.summary }

  /// Whether turns wait to be stored, and the last one that was, by which a watchdog sees whether the writer comes on; nil
  /// without a recording.
  var storing: (isWaiting: Bool, last: UInt64)? { shell.storing }

  /// Stops serving and leaves all connections to the next process, by the service manager. Calls `onStopped` when that is
  /// done; false if nobody took them, and they were closed.
  func handOver(to manager: ServiceManager, onStopped: @escaping (Bool) -> Void) {
    shell.handOver(to: manager, onStopped: onStopped)
  }

  /// Ends everything at once.
  func abandon() { shell.abandon() }

  /// Says goodbye to all clients and closes; calls `onStopped` when the last connection has ended.
  ///
  /// Everything that clients have pending is sent first. A client that does not read is given `HubLimits.closeTimeout`.
  public func stop(reason: String, onStopped: @escaping () -> Void) {
    shell.stop(reason: reason, onStopped: onStopped)
  }
}
