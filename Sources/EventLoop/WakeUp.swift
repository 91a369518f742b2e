internal import CUV
internal import Synchronization

/// Lets any thread wake the loop: libuv's async handle.
public struct WakeUp: ~Copyable {
  private final class Box: HandleBox {
    var onWake: (() -> Void)?
    var sender: Sender?

    override func forgetCallbacks() {
      // Here and not in the value's deinit: a loop that closes takes the handle away under a value that is left.
      sender?.detach()
      (onWake, sender) = (nil, nil)
    }
  }

  /// What other threads hold.
  public nonisolated final class Sender: Sendable {
    /// The handle, for as long as it may be used.
    private let target: Mutex<Target?>

    // Sendable: uv_async_send may be called from any thread, and the lock around it keeps the handle open meanwhile.
    fileprivate struct Target: @unchecked Sendable {
      let async: UnsafeMutablePointer<uv_async_t>
    }

    fileprivate init(_ target: Target) {
      self.target = Mutex(target)
    }

    /// Wakes the loop. Several calls before it gets there are one wake-up, so its callback does all there is to do.
    public func send() {
      target.withLock { if let target = $0 { uv_async_send(target.async) } }
    }

    fileprivate func detach() {
      target.withLock { $0 = nil }
    }
  }

  private let box: Box
  /// What other threads wake the loop with.
  public let sender: Sender

  /// Calls `onWake` on the loop after each wake-up, until the value goes away.
  public init(on loop: EventLoop, _ onWake: @escaping () -> Void) throws(UVError) {
    let box = Box(loop: loop, type: UV_ASYNC)
    box.onWake = onWake
    try box.open("create a wake-up") {
      uv_async_init(loop.pointer, $0.assumingMemoryBound(to: uv_async_t.self)) { handle in
        guard let handle else { return }
        onLoop(UnsafeMutableRawPointer(handle)) { Box.of($0).onWake?() }
      }
    }
    self.box = box
    sender = Sender(Sender.Target(async: box.pointer(uv_async_t.self)))
    box.sender = sender
  }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
