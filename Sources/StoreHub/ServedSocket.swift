internal import EventLoop
internal import Glibc

/// The socket that a hub serves: the claim on its path, the listener, and a watch over its file.
///
/// When the file is removed or renamed under a running hub, it logs a warning and listens at the path again. When
/// another server has taken the path, it reports that: clients that connect no longer reach this hub. A socket of the
/// service manager's is the service manager's to mend, so the hub only logs that it is gone.
final class ServedSocket {
  private let loop: EventLoop
  let path: String
  private let mode: UInt32
  /// Whether the file, and the claim on it, are the hub's.
  private let isOwn: Bool
  private let log: Log
  private let onConnection: (UVError?) -> Void
  private let onLost: (HubError) -> Void
  private var claim: SocketClaim?
  private var listener: PipeListener?
  private var watch: FileWatch?

  /// Claims a path and listens there.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive this.
  ///   - path: The path; a dead hub's socket there is replaced.
  ///   - inherited: The socket that the service manager passed, if it did.
  ///   - mode: The permissions of the socket.
  ///   - log: The log of the hub.
  ///   - onConnection: See `PipeListener`.
  ///   - onLost: Called when the path is another server's, or cannot be used any more. Nothing comes after it.
  init(
    on loop: EventLoop, path: String, mode: UInt32, inherited: Inheritance.Listener?, log: Log,
    onConnection: @escaping (UVError?) -> Void, onLost: @escaping (HubError) -> Void
  ) throws(HubError) {
    (self.loop, self.path, self.mode, self.log) = (loop, inherited?.path ?? path, mode, log)
    (self.onConnection, self.onLost) = (onConnection, onLost)
    isOwn = inherited?.isOwn ?? true
    guard let inherited else {
      claim = try SocketClaim.claiming(path)
      try listen()
      return
    }
    if inherited.isOwn { claim = try SocketClaim.claiming(inherited.path, isServing: true) }
    do {
      listener = try PipeListener(
        on: loop, adopting: inherited.descriptor, path: inherited.path, ownsFile: isOwn, onConnection: onConnection)
    } catch {
      throw .loop(error)
    }
    watchFile()
  }

  /// Takes the connection that `onConnection` was called for.
  func accept() throws(UVError) -> PipeStream? { try listener?.accept() }

  /// Accepts connections again at once; call it when a connection was closed.
  func resume() { listener?.resume() }

  /// Accepts no further connections; clients wait in the kernel's queue.
  func pause() { listener?.pause() }

  /// The socket, for the process that goes on with it; nil for one that the service manager has itself. Its file is left
  /// where it is.
  func handOver() -> CInt? {
    listener?.leaveFile()
    watch = nil
    return isOwn ? listener?.descriptor : nil
  }

  /// Stops listening and removes the socket; the claim is kept, so that no other hub starts before this one has ended.
  func stopListening() {
    watch = nil
    listener = nil
  }

  private func listen() throws(HubError) {
    do {
      // The file must never be open to more than its mode says, not even before a chmod.
      let mask = umask(~mode & 0o777)
      defer { umask(mask) }
      listener = try PipeListener(on: loop, path: path, onConnection: onConnection)
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
      return log.write(
        .error, "the socket \(path) was removed, so no client can connect: restart its socket unit",
        Log.Details(.socketLost, ["PATH": path]))
    }
    stopListening()
    do throws(HubError) {
      if claim?.isHeld == true {
        try claim?.removeDeadSocket(at: path)
      } else {
        // The lock's file was removed too, so another hub may have started.
        claim = nil
        claim = try SocketClaim.claiming(path)
      }
      try listen()
      log.write(
        .warning, cause: Log.Cause("removed sockets"),
        "the socket \(path) was removed or replaced by another program; the hub listens there again")
    } catch {
      onLost(error)
    }
  }
}
