internal import CUV
internal import Glibc

/// A listening Unix socket at a path.
///
/// The file gets the permissions of the process's umask. It is removed with the listener, unless another file has
/// replaced it.
///
/// At most 64 connections are accepted in one turn of the loop, so that clients that connect repeatedly do not block
/// the others. If accepting fails, for example for lack of descriptors or memory, the listener pauses and clients wait
/// in the kernel's queue. It tries again every 100 ms, and when `resume` is called.
public struct PipeListener: ~Copyable {
  private let acceptor: Acceptor

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the listener.
  ///   - path: The path of the socket, which must not exist yet.
  ///   - backlog: The number of connections that may wait to be accepted; the kernel limits it (listen(2)).
  ///   - onConnection: Called with nil for each connection, and must then call `accept`; otherwise the connection is
  ///     closed. Called with an error, such as `tooManyOpenFiles`, if accepting fails, once until it succeeds again.
  /// - Throws: `addressInUse` if the path exists, `invalid` for an empty path or one with a zero byte, `nameTooLong`,
  ///   `noSuchFile` for a missing directory, `permissionDenied`.
  public init(
    on loop: EventLoop, path: String, backlog: Int = 4096, onConnection: @escaping (UVError?) -> Void
  ) throws(UVError) {
    acceptor = try Acceptor(loop: loop, path: path, backlog: CInt(clamping: backlog), onConnection: onConnection)
  }

  /// Accepts connections on a listening socket, such as one from a service manager.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the listener.
  ///   - descriptor: The socket; the listener closes it, even if this throws.
  ///   - path: The path to which the socket is bound.
  ///   - ownsFile: True to remove the file with the listener.
  ///   - onConnection: See `init(on:path:backlog:onConnection:)`.
  package init(
    on loop: EventLoop, adopting descriptor: CInt, path: String, ownsFile: Bool,
    onConnection: @escaping (UVError?) -> Void
  ) throws(UVError) {
    acceptor = try Acceptor(
      loop: loop, adopting: descriptor, path: path, ownsFile: ownsFile, onConnection: onConnection)
  }

  /// The socket, which the listener still owns.
  package var descriptor: CInt { acceptor.descriptor }

  /// Keeps the socket's file when the listener is destroyed, because another process continues to use it.
  package func leaveFile() { acceptor.ownsFile = false }

  /// The identity of the socket's file, to distinguish it from a file that has replaced it.
  public var file: FileIdentity? { acceptor.file }

  /// Takes the connection for which `onConnection` was called.
  ///
  /// - Throws: `wouldBlock` if there is none, or the error of adding it to the loop.
  public func accept() throws(UVError) -> PipeStream { try acceptor.accept() }

  /// Takes the connection as a descriptor that is not on the loop yet; nil if there is none. The caller closes it.
  package func takeDescriptor() -> CInt? { acceptor.takeDescriptor() }

  /// Limits the connections accepted in one turn; the default is 64.
  package func acceptAtMost(_ count: Int) { acceptor.connectionsPerTurn = count }

  /// Stops accepting until `resume` is called; clients wait in the kernel's queue.
  public func pause() { acceptor.pause() }

  /// Accepts connections again after `pause`, or immediately after a failure. Call it when a descriptor was closed.
  public func resume() { acceptor.resume() }

  deinit {
    let acceptor = acceptor
    MainActor.assumeIsolated { acceptor.close() }
  }
}

/// Returns the user of the process at the other end of a connected Unix socket; nil if the kernel does not report it.
package nonisolated func peerUser(of descriptor: CInt) -> UInt32? {
  var credentials = cuv_credentials()
  return unsafe cuv_peer_credentials(descriptor, &credentials) == 0 ? credentials.user : nil
}

/// Accepts connections with accept4(2), because uv_listen(3) does not suffice: libuv 1.44 accepts until the queue is
/// empty, and without free descriptors it silently accepts and closes waiting connections.
private final class Acceptor {
  var connectionsPerTurn = 64
  private static let retryInterval = Duration.milliseconds(100)

  private let loop: EventLoop
  private let path: String
  let file: FileIdentity?
  /// True if the file is removed with the listener.
  var ownsFile = true
  private(set) var descriptor: CInt
  private var onConnection: ((UVError?) -> Void)?
  private var poll: Poll?
  private var retry: Timer?
  /// The descriptor for the next `accept`.
  private var accepted: CInt?
  private var isPaused = false
  /// True if accepting failed and has not succeeded since.
  private var hasFailed = false

  init(
    loop: EventLoop, path: String, backlog: CInt, onConnection: @escaping (UVError?) -> Void
  ) throws(UVError) {
    try checkSocketPath(path)
    (self.loop, self.path, self.onConnection) = (loop, path, onConnection)
    descriptor = socket(
      AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw UVError(operation: "create a socket", code: -errno) }
    do throws(UVError) {
      try Self.bind(descriptor, to: path)
      file = FileIdentity(path: path)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    guard listen(descriptor, backlog) == 0 else {
      let error = UVError(operation: "listen on", subject: path, code: -errno)
      close()
      throw error
    }
    try start()
  }

  init(
    loop: EventLoop, adopting descriptor: CInt, path: String, ownsFile: Bool, onConnection: @escaping (UVError?) -> Void
  ) throws(UVError) {
    (self.loop, self.path, self.descriptor, self.ownsFile) = (loop, path, descriptor, ownsFile)
    self.onConnection = onConnection
    file = FileIdentity(path: path)
    // A socket that was passed to the process may be a blocking one.
    guard cuv_make_nonblocking(descriptor) == 0 else {
      let error = UVError(operation: "use the passed socket", subject: path, code: -errno)
      close()
      throw error
    }
    try start()
  }

  private func start() throws(UVError) {
    do throws(UVError) {
      retry = try Timer(on: loop) { [weak self] in self?.resume() }
      poll = try Poll(on: loop, descriptor: descriptor) { [weak self] _ in self?.acceptWaiting() }
      try poll?.start(.readable)
    } catch {
      close()
      throw error
    }
  }

  private static func bind(_ descriptor: CInt, to path: String) throws(UVError) {
    guard bindSocket(descriptor, to: path) == 0 else {
      throw UVError(operation: "bind a socket to", subject: path, code: -errno)
    }
  }

  private func acceptWaiting() {
    for _ in 0..<connectionsPerTurn {
      guard poll != nil, !isPaused else { return }
      let connection = cuv_accept(descriptor)
      guard connection >= 0 else {
        switch errno {
        case EAGAIN: return
        // The client disconnected before it was accepted, or a signal arrived.
        case ECONNABORTED, EINTR: continue
        case let code: return failed(code)
        }
      }
      hasFailed = false
      accepted = connection
      onConnection?(nil)
      closeAccepted()
    }
  }

  private func failed(_ code: CInt) {
    poll?.stop()
    retry?.start(after: Self.retryInterval)
    guard !hasFailed else { return }
    hasFailed = true
    onConnection?(UVError(operation: "accept a connection", code: -code))
  }

  func accept() throws(UVError) -> PipeStream {
    guard let connection = accepted else {
      throw UVError(operation: "accept a connection", code: UVError.Code.wouldBlock)
    }
    let stream = try PipeStream.adopting(connection, on: loop)
    accepted = nil
    return stream
  }

  func takeDescriptor() -> CInt? { accepted.take() }

  private func closeAccepted() {
    if let connection = accepted.take() { Glibc.close(connection) }
  }

  func pause() {
    isPaused = true
    poll?.stop()
    retry?.stop()
  }

  func resume() {
    guard isPaused || hasFailed else { return }
    isPaused = false
    retry?.stop()
    // Starting a poll of an open descriptor that is not polled yet cannot fail.
    try? poll?.start(.readable)
  }

  func close() {
    guard poll != nil || descriptor >= 0 else { return }
    poll = nil
    retry = nil
    onConnection = nil
    closeAccepted()
    if ownsFile, file != nil, file == FileIdentity(path: path) { unsafe unlink(path) }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
