internal import EventLoop
internal import Glibc

/// The socket that a hub serves: the claim on its path, the listener, and a watch over its file.
///
/// When the file is removed or renamed under a running hub, it logs a warning and listens at the path again. When
/// another server has taken the path, it reports that: clients that connect no longer reach this hub.
final class ServedSocket {
  private let loop: EventLoop
  private let path: String
  private let mode: UInt32
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
  ///   - mode: The permissions of the socket.
  ///   - log: The log of the hub.
  ///   - onConnection: See `PipeListener`.
  ///   - onLost: Called when the path is another server's, or cannot be used any more. Nothing comes after it.
  init(
    on loop: EventLoop, path: String, mode: UInt32, log: Log, onConnection: @escaping (UVError?) -> Void,
    onLost: @escaping (HubError) -> Void
  ) throws(HubError) {
    (self.loop, self.path, self.mode, self.log) = (loop, path, mode, log)
    (self.onConnection, self.onLost) = (onConnection, onLost)
    claim = try SocketClaim.claiming(path)
    try listen()
  }

  /// Takes the connection that `onConnection` was called for.
  func accept() throws(UVError) -> PipeStream? { try listener?.accept() }

  /// Accepts connections again at once; call it when a connection was closed.
  func resume() { listener?.resume() }

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
    do throws(UVError) {
      watch = try FileWatch(on: loop, path: path) { [weak self] in self?.fileChanged() }
    } catch {
      log.write(.warning, "the hub will not notice if its socket is removed: \(error)")
    }
  }

  private func fileChanged() {
    guard listener != nil, listener?.file != FileIdentity(path: path) else { return }
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
