internal import CUV

/// Calls a function when a descriptor that libuv has no handle type for can be read or written.
public struct Poll: ~Copyable {
  /// What a descriptor is ready for.
  public struct Events: OptionSet, Sendable {
    public let rawValue: CInt

    /// Creates events from libuv's bits.
    public init(rawValue: CInt) { self.rawValue = rawValue }

    /// There is something to read, or the other end closed.
    public static let readable = Events(rawValue: CInt(bitPattern: UV_READABLE.rawValue))
    /// There is room to write.
    public static let writable = Events(rawValue: CInt(bitPattern: UV_WRITABLE.rawValue))
    /// The other end has gone; for a pipe that is written to, it comes as an error.
    public static let disconnected = Events(rawValue: CInt(bitPattern: UV_DISCONNECT.rawValue))
  }

  private final class Box: HandleBox {
    var onEvents: ((Result<Events, UVError>) -> Void)?
    override func forgetCallbacks() { onEvents = nil }
  }

  private let box: Box

  /// Creates a poll that does not watch yet. The descriptor stays the caller's to close, after this value is gone.
  public init(
    on loop: EventLoop, descriptor: CInt, _ onEvents: @escaping (Result<Events, UVError>) -> Void
  ) throws(UVError) {
    box = Box(loop: loop, type: UV_POLL)
    box.onEvents = onEvents
    try box.open("poll a descriptor") {
      uv_poll_init(loop.pointer, $0.assumingMemoryBound(to: uv_poll_t.self), descriptor)
    }
  }

  /// Watches for these events, and no longer for others.
  public func start(_ events: Events) throws(UVError) {
    let code = uv_poll_start(
      box.pointer(uv_poll_t.self), events.rawValue,
      { poll, status, events in
        guard let poll else { return }
        onLoop((UnsafeMutableRawPointer(poll), status, events)) { poll, status, events in
          let result: Result<Events, UVError> =
            status < 0
            ? .failure(UVError(operation: "poll a descriptor", code: status))
            : .success(Events(rawValue: events))
          Box.of(poll).onEvents?(result)
        }
      })
    try check(code, "poll a descriptor")
  }

  /// Stops watching.
  public func stop() {
    uv_poll_stop(box.pointer(uv_poll_t.self))
  }

  /// Whether the poll keeps the loop from being idle.
  public func keepsLoopAlive(_ keeps: Bool) { box.keepsLoopAlive(keeps) }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
