internal import EventLoop
internal import Glibc
internal import HubCore
internal import ServiceProcess

/// The socket that a hub serves: the claim on its path, the listener, and a watch on its file.
///
/// If the file is removed, renamed or replaced by a symbolic link while the hub runs, the hub logs a warning and
/// listens at the path again. If the path cannot be used, for example because it is a directory now, the hub tries
/// again every second. If another server has taken the path, the hub reports that new clients no longer reach it. If
/// the socket came from the service manager, the hub only logs that it is gone, since only the service manager can
/// restore it.
final class ServedSocket {
  private let loop: EventLoop
  let path: String
  private let mode: UInt32
  /// True if the hub itself created the file and holds the claim on it.
  private let isOwn: Bool
  private let log: Log
  private let onConnection: (UVError?) -> Void
  private let onLost: (HubError) -> Void
  private var claim: SocketClaim?
  private var listener: PipeListener?
  private var watch: FileWatch?
  /// The reason why new clients cannot connect; nil if they can.
  private(set) var problem: String?
  /// Runs while the path cannot be used.
  private var retryTimer: Timer?
  private static let retryInterval = Duration.seconds(1)

  /// Claims a path and listens on it.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - path: The path. The socket of a dead hub is replaced.
  ///   - inherited: The socket that the service manager passed, if any. One of its own keeps its path and permissions; one
  ///     that a previous hub has bound gets these.
  ///   - mode: The permissions of the socket.
  ///   - log: The log of the hub.
  ///   - onConnection: See `PipeListener`.
  ///   - onLost: Called when another server has taken the path. There are no calls after it.
  init(
    on loop: EventLoop, path: String, mode: UInt32, inherited: Inheritance.Listener?, log: Log,
    onConnection: @escaping (UVError?) -> Void, onLost: @escaping (HubError) -> Void
  ) throws(HubError) {
    // The hub's own socket may have another path now.
    let isMoved = inherited.map { $0.isOwn && $0.path != path } ?? false
    (self.loop, self.path, self.mode, self.log) = (loop, isMoved ? path : inherited?.path ?? path, mode, log)
    (self.onConnection, self.onLost) = (onConnection, onLost)
    isOwn = inherited?.isOwn ?? true
    if let inherited {
      try adopt(inherited)
      guard isMoved else {
        watchFile()
        return
      }
      // Removes the file at the old path, which may be the same one by another name.
      stopListening()
      claim = nil
      log.write(.info, "the socket has moved from \(inherited.path) to \(path)")
    }
    claim = try SocketClaim.claiming(path)
    try listen()
  }

  private func adopt(_ inherited: Inheritance.Listener) throws(HubError) {
    if inherited.isOwn { claim = try SocketClaim.claiming(inherited.path, isServing: true) }
    do {
      listener = try PipeListener(
        on: loop, adopting: inherited.descriptor, path: inherited.path, ownsFile: isOwn, onConnection: onConnection)
      listener?.acceptAtMost(TurnScheduler.acceptLimit)
    } catch {
      throw .loop(error)
    }
    // The mode may have changed too.
    if isOwn { chmod(inherited.path, mode & 0o777) }
  }

  /// Takes the connection for which `onConnection` was called.
  func takeDescriptor() -> CInt? { listener?.takeDescriptor() }

  /// Limits the connections accepted in one turn.
  func acceptAtMost(_ count: Int) { listener?.acceptAtMost(count) }

  /// Accepts connections again immediately. Call it when a connection was closed.
  func resume() { listener?.resume() }

  /// Accepts no further connections; clients wait in the kernel's queue.
  func pause() { listener?.pause() }

  /// Returns the socket, for the next process; nil if the service manager has the socket itself. Its file is kept.
  func handOver() -> CInt? {
    listener?.leaveFile()
    watch = nil
    retryTimer = nil
    return isOwn ? listener?.descriptor : nil
  }

  /// Stops listening and removes the socket. The claim is kept, so that no other hub starts before this one has ended.
  func stopListening() {
    retryTimer = nil
    watch = nil
    listener = nil
  }

  private func listen() throws(HubError) {
    do {
      // The file must never be accessible beyond its mode, not even until a chmod.
      let mask = umask(~mode & 0o777)
      defer { umask(mask) }
      listener = try PipeListener(on: loop, path: path, onConnection: onConnection)
      listener?.acceptAtMost(TurnScheduler.acceptLimit)
    } catch {
      throw .loop(error)
    }
    watchFile()
  }

  private func watchFile() {
    do throws(UVError) {
      watch = try FileWatch(on: loop, path: path) { [weak self] in self?.fileChanged() }
    } catch {
      log.write(.warning, "the hub will not notice if its socket is removed: \(error)")
    }
  }

  private func fileChanged() {
    guard listener != nil, listener?.file != FileIdentity(path: path) else { return }
    guard isOwn else {
      watch = nil
      let problem = "the socket \(path) was removed, so no client can connect: restart its socket unit"
      self.problem = problem
      return log.write(.error, problem, Log.Details(.socketLost, ["PATH": path]))
    }
    // Otherwise a program that is being started, which still has a copy of the socket, would count as another hub.
    if let descriptor = listener?.descriptor { shutdown(descriptor, CInt(SHUT_RDWR)) }
    stopListening()
    listenAgain()
  }

  private func listenAgain() {
    do throws(HubError) {
      if claim?.isHeld == true {
        try claim?.removeDeadSocket(at: path, removesLinks: true)
      } else {
        // The lock file was removed too, so another hub may have started.
        claim = nil
        claim = try SocketClaim.claiming(path, removesLinks: true)
      }
      try listen()
      problem = nil
      log.write(
        .warning, cause: Log.Cause("removed sockets"),
        "the socket \(path) was removed or replaced by another program; the hub listens there again")
    } catch .alreadyServed(let path) {
      onLost(.alreadyServed(path: path))
    } catch {
      // Connected clients are served, and the operator may remove the obstacle.
      problem = "new clients cannot connect: \(error)"
      log.write(
        .error, cause: Log.Cause("a socket that cannot be restored"),
        "new clients cannot connect: \(error); the hub tries again every second",
        Log.Details(.socketLost, ["PATH": path, "REASON": "\(error)"]))
      retry()
    }
  }

  private func retry() {
    do throws(UVError) {
      retryTimer = try Timer(on: loop) { [weak self] in
        self?.retryTimer = nil
        self?.listenAgain()
      }
      retryTimer?.keepsLoopAlive(false)
      retryTimer?.start(after: Self.retryInterval)
    } catch { onLost(.loop(error)) }
  }
}
