internal import ComposableArchitecture
public import EventLoop
internal import Glibc
public import HubCore
public import Wire

/// Serves a hub on a Unix socket: gives `HubCore` its bytes and its time, and carries out its commands.
///
/// ```swift
/// let core = HubCore(initialState: AppFeature.State(), reducer: AppFeature())
/// let server = try HubServer(core: core, loop: loop, path: "/run/user/1000/storehub/hub.sock", log: log)
/// loop.run()
/// ```
///
/// All of it happens on the loop's thread. What one turn of the loop brings in is reduced as it comes; what it sends
/// out goes at the turn's end.
public final class HubServer<State: Replicated, Action: WireValue> {
  private var core: HubCore<State, Action>
  private let loop: EventLoop
  private let log: Log
  private var claim: SocketClaim?
  private var listener: PipeListener?
  private var hooks: TurnHooks?
  private var deadlineTimer: Timer?
  private var armedDeadline: Duration?
  private var nextTurn: Timer?
  private var connections: [Connection?] = []
  private var runner: EffectRunner<Action>?
  private var onStopped: (() -> Void)?

  /// One open socket.
  private final class Connection {
    let id: ConnectionID
    let stream: PipeStream

    init(id: ConnectionID, stream: consuming PipeStream) {
      self.id = id
      self.stream = stream
    }
  }

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - core: The hub.
  ///   - loop: The loop to live on, which must outlive the server.
  ///   - path: The socket's path; a dead hub's socket there is replaced.
  ///   - mode: The socket's permissions.
  ///   - log: Where to tell the operator.
  /// - Throws: `alreadyServed`, `notASocket`, or why the path cannot be used.
  public init(
    core: consuming HubCore<State, Action>, loop: EventLoop, path: String, mode: UInt32 = 0o600, log: Log
  ) throws(HubError) {
    self.core = core
    self.loop = loop
    self.log = log
    claim = try SocketClaim.claiming(path)
    do {
      // The file must never be open to more than its mode says, not even before a chmod.
      let mask = umask(~mode & 0o777)
      defer { umask(mask) }
      listener = try PipeListener(on: loop, path: path) { [weak self] in self?.connectionArrived($0) }
      hooks = try TurnHooks(on: loop) { [weak self] in self?.endTurn() }
      deadlineTimer = try Timer(on: loop) { [weak self] in self?.deadlinePassed() }
      nextTurn = try Timer(on: loop) {}
    } catch {
      throw .loop(error)
    }
    runner = EffectRunner(requests: EffectRunner.Requests { [weak self] in self?.core.change($0) ?? false })
  }

  /// The authoritative state.
  public var state: State { core.state }

  /// How many connections are open.
  public var connectionCount: Int { core.connectionCount }

  /// Says goodbye to all clients and closes; calls `onStopped` when the last of them is gone.
  ///
  /// What clients were owed goes out first. One that does not read is given `HubLimits.linger`.
  public func stop(reason: String, onStopped: @escaping () -> Void) {
    guard listener != nil else { return }
    self.onStopped = onStopped
    listener = nil
    runner?.cancelAll()
    core.shutDown(reason: reason, at: loop.now)
    endTurn()
    finishIfStopped()
  }

  // MARK: Events

  private func connectionArrived(_ error: UVError?) {
    if let error { return log.write(.warning, "\(error)") }
    do throws(UVError) {
      let stream = try listener?.accept()
      guard let stream = consume stream else { return }
      try open(stream)
    } catch {
      log.write(.warning, "\(error)")
    }
  }

  private func open(_ stream: consuming PipeStream) throws(UVError) {
    let credentials = try stream.peerCredentials()
    let peer = Peer(process: credentials.process, user: credentials.user, group: credentials.group)
    let id = core.connected(peer, at: loop.now)
    let connection = Connection(id: id, stream: stream)
    while connections.count <= id.slot { connections.append(nil) }
    connections[id.slot] = connection
    connection.stream.onDrained { [weak self] in self?.core.drained(id) }
    do throws(UVError) {
      try connection.stream.startReading(
        onBytes: { [weak self] bytes in
          guard let self else { return }
          core.received(bytes, on: id, at: loop.now)
        },
        onEnd: { [weak self] error in self?.readingEnded(id, error) })
    } catch {
      drop(id)
      throw error
    }
  }

  private func readingEnded(_ id: ConnectionID, _ error: UVError?) {
    if let error { log.write(.debug, "connection \(id.slot): \(error)") }
    // A peer that has said all it wants may still read: it gets what this turn owes it.
    endTurn()
    drop(id)
  }

  private func deadlinePassed() {
    armedDeadline = nil
    core.expire(at: loop.now)
  }

  // MARK: Commands

  private func endTurn() {
    guard core.endTurn(at: loop.now) else { return }
    var next = 0
    // Carrying out a command may add more.
    while next < core.commands.count {
      perform(core.commands[next])
      next += 1
    }
    if next > 0 { core.clear() }
    if core.hasEffectCommands { runner?.execute(core.takeEffectCommands()) }
    armDeadline()
    // A snapshot goes on as soon as what else there is to do was done.
    if core.hasMoreToWrite { nextTurn?.start(after: .zero) }
  }

  private func perform(_ command: HubCommand) {
    switch command {
    case .write(let id, let pieces):
      guard let connection = connections[id.slot], connection.id == id else { return }
      do throws(UVError) {
        let isOut = try connection.stream.write(core.output.span, pieces: core.pieces[pieces])
        if !isOut { core.isBusy(id) }
      } catch {
        log.write(.debug, "connection \(id.slot): \(error)")
        drop(id)
      }
    case .close(let id):
      guard let connection = connections[id.slot], connection.id == id else { return }
      connection.stream.stopReading()
      connection.stream.finishWriting { [weak self] in self?.drop(id) }
    case .abort(let id):
      drop(id)
    case .report(let report):
      log.write(report.level, report.text)
    }
  }

  private func drop(_ id: ConnectionID) {
    guard connections.indices.contains(id.slot), connections[id.slot]?.id == id else { return }
    connections[id.slot] = nil
    core.ended(id)
    finishIfStopped()
  }

  private func finishIfStopped() {
    guard core.connectionCount == 0, let onStopped else { return }
    self.onStopped = nil
    hooks = nil
    deadlineTimer = nil
    nextTurn = nil
    claim = nil
    onStopped()
  }

  private func armDeadline() {
    guard let deadline = core.deadline, deadline != armedDeadline else { return }
    armedDeadline = deadline
    deadlineTimer?.start(after: deadline - loop.now)
  }
}
