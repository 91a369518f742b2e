internal import CUV

/// A request for another turn of the loop before it waits: a function is called at the turn's beginning.
///
/// It costs no system call, and does not keep the loop alive.
final class TurnRequest: HandleBox {
  private let onTurn: (TurnRequest) -> Void
  private let onClosed: () -> Void

  /// - Parameters:
  ///   - loop: The loop.
  ///   - onTurn: Called at the beginning of a requested turn.
  ///   - onClosed: Called when this object, or its loop, is closed.
  init(
    on loop: EventLoop, onTurn: @escaping (TurnRequest) -> Void, onClosed: @escaping () -> Void
  ) throws(UVError) {
    (self.onTurn, self.onClosed) = (onTurn, onClosed)
    super.init(loop: loop, type: UV_IDLE)
    try unsafe open("hook into the loop") {
      unsafe uv_idle_init(loop.pointer, $0.assumingMemoryBound(to: uv_idle_t.self))
    }
    keepsLoopAlive(false)
  }

  override func forgetCallbacks() { onClosed() }

  /// Requests the turn; has no effect once the loop is closed.
  func request() {
    guard isOpen else { return }
    unsafe uv_idle_start(pointer(uv_idle_t.self)) { handle in
      guard let handle = unsafe handle else { return }
      unsafe onLoop(UnsafeMutableRawPointer(handle)) { handle in
        let request = unsafe TurnRequest.of(handle)
        unsafe uv_idle_stop(request.pointer(uv_idle_t.self))
        request.onTurn(request)
      }
    }
  }
}
