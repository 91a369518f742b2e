internal import CUV
internal import Glibc

/// Calls a function when a descriptor without a libuv handle type becomes readable or writable.
public struct Poll: ~Copyable {
  /// The readiness of a descriptor.
  public struct Events: OptionSet, Sendable {
    public let rawValue: CInt

    /// Creates events from libuv's bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// Bytes can be read, or the peer has closed its end.
    public static let readable = Events(rawValue: CInt(bitPattern: UV_READABLE.rawValue))
    /// Bytes can be written.
    public static let writable = Events(rawValue: CInt(bitPattern: UV_WRITABLE.rawValue))
    /// The peer has closed its end; for the writing end of a pipe, this is reported as an error.
    public static let disconnected = Events(rawValue: CInt(bitPattern: UV_DISCONNECT.rawValue))
  }

  private final class Box: HandleBox {
    var onEvents: ((Result<Events, UVError>) -> Void)?
    override func forgetCallbacks() { onEvents = nil }
  }

  private let box: Box

  /// Creates an inactive poll. The caller closes the descriptor, after this value is destroyed.
  ///
  /// The descriptor stays as blocking as it was. libuv makes it non-blocking, also for all other processes that share
  /// it, such as the shell that started this one.
  public init(
    on loop: EventLoop, descriptor: CInt, _ onEvents: @escaping (Result<Events, UVError>) -> Void
  ) throws(UVError) {
    box = Box(loop: loop, type: UV_POLL)
    box.onEvents = onEvents
    let flags = fcntl(descriptor, F_GETFL)
    defer { if flags >= 0, flags & O_NONBLOCK == 0 { _ = fcntl(descriptor, F_SETFL, flags) } }
    try unsafe box.open("poll a descriptor") {
      unsafe uv_poll_init(loop.pointer, $0.assumingMemoryBound(to: uv_poll_t.self), descriptor)
    }
  }

  /// Starts watching for these events only.
  public func start(_ events: Events) throws(UVError) {
    let code = unsafe uv_poll_start(
      box.pointer(uv_poll_t.self), events.rawValue,
      { poll, status, events in
        guard let poll = unsafe poll else { return }
        unsafe onLoop((UnsafeMutableRawPointer(poll), status, events)) { poll, status, events in
          let result: Result<Events, UVError> =
            status < 0
            ? .failure(UVError(operation: "poll a descriptor", code: status))
            : .success(Events(rawValue: events))
          let box = unsafe Box.of(poll)
          unsafe box.loop.activity.pointee = true
          box.onEvents?(result)
        }
      })
    try check(code, "poll a descriptor")
  }

  /// Stops watching.
  public func stop() {
    unsafe uv_poll_stop(box.pointer(uv_poll_t.self))
  }

  /// Sets whether the poll keeps the loop alive.
  public func keepsLoopAlive(_ keeps: Bool) { box.keepsLoopAlive(keeps) }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
