internal import CUV

/// Calls a function after a delay, once or repeatedly.
public struct Timer: ~Copyable {
  private final class Box: HandleBox {
    var onFire: (() -> Void)?
    override func forgetCallbacks() { onFire = nil }
  }

  private let box: Box

  /// Creates an inactive timer.
  public init(on loop: EventLoop, _ onFire: @escaping () -> Void) throws(UVError) {
    box = Box(loop: loop, type: UV_TIMER)
    box.onFire = onFire
    try unsafe box.open("create a timer") {
      unsafe uv_timer_init(loop.pointer, $0.assumingMemoryBound(to: uv_timer_t.self))
    }
  }

  /// Starts or restarts the timer. Times are rounded up to milliseconds.
  ///
  /// - Parameters:
  ///   - delay: The time to the first call, from the loop's `now`.
  ///   - interval: The time between further calls; nil for a single call.
  public func start(after delay: Duration, repeating interval: Duration? = nil) {
    let code = unsafe uv_timer_start(
      box.pointer(uv_timer_t.self),
      { timer in
        guard let timer = unsafe timer else { return }
        unsafe onLoop(UnsafeMutableRawPointer(timer)) { unsafe Box.of($0).onFire?() }
      },
      delay.millisecondsRoundedUp, interval?.millisecondsRoundedUp ?? 0)
    precondition(code == 0, "a timer with a callback that is not closing starts")
  }

  /// Stops the timer, which may be restarted.
  public func stop() {
    unsafe uv_timer_stop(box.pointer(uv_timer_t.self))
  }

  /// Sets whether the timer keeps the loop alive.
  public func keepsLoopAlive(_ keeps: Bool) { box.keepsLoopAlive(keeps) }

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}
