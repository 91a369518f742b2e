internal import CUV
internal import Synchronization

/// Lets any thread wake the loop, through libuv's async handle.
public struct WakeUp: ~Copyable {
  private final class Box: HandleBox {
    var onWake: (() -> Void)?
    var sender: Sender?

    override func forgetCallbacks() {
      // Here and not in the value's deinit: a loop that closes also closes the handles of values that still exist.
      sender?.detach()
      (onWake, sender) = (nil, nil)
    }
  }

  /// The part for other threads.
  public nonisolated final class Sender: Sendable {
    /// The handle, while it may be used.
    private let target: Mutex<Target?>

    // Sendable and safe: uv_async_send may be called on any thread, and the lock keeps the handle open during the call.
    @safe fileprivate struct Target: @unchecked Sendable {
      let async: UnsafeMutablePointer<uv_async_t>
    }

    fileprivate init(_ target: Target) {
      self.target = Mutex(target)
    }

    /// Wakes the loop. Several calls in quick succession cause one wake-up, so the callback must handle all pending
    /// work.
    public func send() {
      target.withLock { if let target = $0 { unsafe uv_async_send(target.async) } }
    }

    fileprivate func detach() {
      target.withLock { $0 = nil }
    }
  }

  private let box: Box
  /// Wakes the loop from other threads.
  public let sender: Sender

  /// Calls `onWake` on the loop after each wake-up, until the value is destroyed.
  public init(on loop: EventLoop, _ onWake: @escaping () -> Void) throws(UVError) {
    let box = Box(loop: loop, type: UV_ASYNC)
    box.onWake = onWake
    try unsafe box.open("create a wake-up") {
      unsafe uv_async_init(loop.pointer, $0.assumingMemoryBound(to: uv_async_t.self)) { handle in
        guard let handle = unsafe handle else { return }
        unsafe onLoop(UnsafeMutableRawPointer(handle)) { handle in
          let box = unsafe Box.of(handle)
          unsafe box.loop.activity.pointee = true
          box.onWake?()
        }
      }
    }
    self.box = box
    sender = unsafe Sender(Sender.Target(async: box.pointer(uv_async_t.self)))
    box.sender = sender
  }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
