internal import CUV
internal import Glibc

/// A listening Unix socket at a path.
///
/// The file appears with the permissions of the process's umask. It is removed when the listener goes away.
/// When the process has no descriptors left, libuv accepts and closes waiting connections rather than spinning on
/// them, and `onConnection` is not called for those.
public struct PipeListener: ~Copyable {
  private final class Box: HandleBox {
    var onConnection: ((UVError?) -> Void)?
    override func forgetCallbacks() { onConnection = nil }
  }

  private let box: Box

  /// Binds and listens.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - path: Where; nothing may be there yet.
  ///   - backlog: How many connections may wait to be accepted; the kernel caps it (listen(2)).
  ///   - onConnection: Called for each connection, to `accept` it; with an error when there was one but it could
  ///     not be taken.
  /// - Throws: `addressInUse` when something is at the path, `nameTooLong`, `noSuchFile` for a missing folder,
  ///   `permissionDenied`.
  public init(
    on loop: EventLoop, path: String, backlog: Int = 4096, onConnection: @escaping (UVError?) -> Void
  ) throws(UVError) {
    box = Box(loop: loop, type: UV_NAMED_PIPE)
    box.onConnection = onConnection
    try checkSocketPath(path)
    try box.open("create a socket") { uv_pipe_init(loop.pointer, $0.assumingMemoryBound(to: uv_pipe_t.self), 0) }
    try check(uv_pipe_bind(box.pointer(uv_pipe_t.self), path), "bind a socket to", path)
    let code = uv_listen(box.pointer(uv_stream_t.self), CInt(clamping: backlog)) { stream, status in
      guard let stream else { return }
      onLoop((UnsafeMutableRawPointer(stream), status)) { stream, status in
        Box.of(stream).onConnection?(
          status < 0 ? UVError(operation: "take a connection", code: status) : nil)
      }
    }
    try check(code, "listen on", path)
  }

  /// Takes the connection that `onConnection` was called for.
  public func accept() throws(UVError) -> PipeStream {
    let stream = try PipeStream(on: box.loop)
    try check(uv_accept(box.pointer(uv_stream_t.self), stream.streamPointer), "take a connection")
    return stream
  }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}

/// How many bytes of path a socket address holds: `sun_path` less its final zero (unix(7)).
public nonisolated var socketPathLimit: Int { 107 }

/// libuv 1.44 silently cuts a longer path, so it is refused before libuv sees it.
func checkSocketPath(_ path: String) throws(UVError) {
  guard path.utf8.count <= socketPathLimit else {
    throw UVError(
      operation: "use a socket path of more than \(socketPathLimit) bytes,", subject: path,
      code: UVError.Code.nameTooLong)
  }
}
