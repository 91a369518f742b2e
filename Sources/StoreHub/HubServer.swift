internal import Dependencies
public import EventLoop
public import HubCore
internal import ServiceManager
public import ServiceProcess
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
/// All work is done on the loop's thread. Input is reduced as it arrives, and output is written at the end of each turn
/// of the loop. If the server is released without `stop`, all connections are closed immediately.
@MainActor
public final class HubServer {
  let shell: HubShell

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - engine: The feature.
  ///   - limits: The limits for peers.
  ///   - policy: The users and groups that may use the hub. By default the permissions of the socket decide.
  ///   - region: The calendar, the time zone and the locale that reducers read.
  ///   - name: The hub's name for clients.
  ///   - loop: The loop of the server, which must outlive it.
  ///   - path: The socket's path. The socket of a dead hub is replaced.
  ///   - mode: The socket's permissions.
  ///   - recording: The storage of the hub's turns; nil for a hub that loses its state when it stops.
  ///   - inheritance: The descriptors from the service manager. A listening socket is used instead of `path`, and the
  ///     connections of the previous process are taken over if possible.
  ///   - log: The operator's log.
  /// - Throws: `alreadyServed`, `notASocket`, `unreadableInitialState`, `unknownRegion`, or the reason why
  ///   the path cannot be used.
  public init<State, Action>(
    _ engine: FeatureEngine<State, Action>, limits: HubLimits = HubLimits(), policy: AccessPolicy = .open,
    region: RegionalSettings = .standard, name: String = "", loop: EventLoop, path: String, mode: UInt32 = 0o600,
    recording: Recording? = nil,
    inheritance: Inheritance = Inheritance(), log: Log
  ) throws(HubError) {
    var inheritance = inheritance
    let history = inheritance.settle(engine, recording?.history, log: log)
    do throws(WireError) { try engine.readBack() } catch { throw .unreadableInitialState("\(error.problem)") }
    var core = HubCore(
      engine, limits: limits, policy: policy, name: name, history: history,
      durability: recording?.durability ?? .sync)
    core.journalPlace = recording?.place
    core.userNumbers = recording?.userNumbers ?? .shared
    do throws(UnknownRegion) { try core.setRegion(region) } catch { throw .unknownRegion(error.description) }
    shell = try HubShell(
      core: core, loop: loop, path: path, mode: mode, recording: recording, inheritance: inheritance, log: log)
  }

  isolated deinit { shell.abandon() }

  /// Called when new clients can no longer reach this hub because another program has taken over its path. Connected
  /// clients are still served; the program should stop the hub.
  public var onSocketLost: ((HubError) -> Void)? {
    get { shell.onSocketLost }
    set { shell.onSocketLost = newValue }
  }

  /// Called when the log has failed. No further action is acknowledged, and every connection is closed; the program
  /// should stop with an error.
  public var onLogFailed: ((LogError) -> Void)? {
    get { shell.onLogFailed }
    set { shell.onLogFailed = newValue }
  }

  /// Replaces the policy for new and open connections.
  ///
  /// A connection that the new policy refuses, or that has attached a part that it may no longer read, is closed with
  /// `notPermitted`; other clients are not affected. Further actions are checked against the new policy.
  public func reload(_ policy: AccessPolicy) { shell.reload(policy) }

  /// The hub's current metrics.
  public var metrics: HubMetrics { shell.metrics }

  /// The condition of the hub, as its health check answers.
  var health: MetricsEndpoint.Health { shell.health }

  /// The number of open connections.
  public var connectionCount: Int { shell.connectionCount }

  /// The path of the socket that the hub listens on.
  public var path: String { shell.path }

  /// A summary of the hub's activity for the operator.
  public var summary: String { shell.summary }

  /// True if turns wait to be stored, and the position of the last stored turn. A watchdog detects a stuck writer by
  /// them; nil without a recording.
  var storing: (isWaiting: Bool, last: UInt64)? { shell.storing }

  /// Returns the names of the actions that were read last, on any thread; see `AbortWatch`.
  var lastActions: @Sendable () -> [String] {
    let (buffer, schema) = (shell.loop.readBuffer, shell.core.featureSchema)
    return { buffer.withLastRead { HubCore.names(ofActionsIn: $0, from: $1, schema: schema) } }
  }

  /// Stops serving and passes all connections to the next process through the service manager. Then calls `onStopped`,
  /// with false if the service manager did not take them and they were closed.
  func handOver(to manager: ServiceManager, onStopped: @escaping (Bool) -> Void) {
    guard !shell.isReplicated else {
      // Another node may lead when the next process begins.
      return shell.stop(reason: "the hub starts again") { onStopped(false) }
    }
    shell.handOver(to: manager, onStopped: onStopped)
  }

  /// Gives connections at rest to a service manager while the hub runs, so that they survive a crash. A hub gives none
  /// if it has no log or sends output before the log has stored it (`Durability.async`).
  func keepConnections(in manager: ServiceManager) { shell.keepConnections(in: manager) }

  /// Closes everything immediately.
  func abandon() { shell.abandon() }

  /// Sends *goodbye* to all clients and closes; calls `onStopped` when the last connection has ended.
  ///
  /// All pending output is sent first. A client that does not read is closed after `HubLimits.closeTimeout`.
  public func stop(reason: String, onStopped: @escaping () -> Void) {
    shell.stop(reason: reason, onStopped: onStopped)
  }
}
