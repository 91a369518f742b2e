internal import CUV

/// Calls a function in every turn of the loop, right before the loop waits and right after it has handled the ready
/// events.
///
/// The two calls follow all other callbacks, timers included, and never wake the loop.
public struct TurnHooks: ~Copyable {
  fileprivate final class Box: HandleBox {
    // Constant, so that a turn does not count a reference to it, which costs 40 instructions. It is released with the
    // box.
    let onTurn: () -> Void

    init(loop: EventLoop, type: uv_handle_type, _ onTurn: @escaping () -> Void) {
      self.onTurn = onTurn
      super.init(loop: loop, type: type)
    }
  }

  private let before: Box
  private let after: Box

  /// Calls `onTurn` until the value is destroyed. It does not keep the loop alive.
  ///
  /// - Parameters:
  ///   - loop: The loop, which must outlive the value.
  ///   - beforeWaiting: Called in place of `onTurn` before the loop waits; nil for the same.
  ///   - onTurn: The function.
  public init(
    on loop: EventLoop, beforeWaiting: (() -> Void)? = nil, _ onTurn: @escaping () -> Void
  ) throws(UVError) {
    before = Box(loop: loop, type: UV_PREPARE, Self.first(beforeWaiting, onTurn))
    after = Box(loop: loop, type: UV_CHECK, onTurn)
    try unsafe before.open("hook into the loop") {
      unsafe uv_prepare_init(loop.pointer, $0.assumingMemoryBound(to: uv_prepare_t.self))
    }
    try unsafe after.open("hook into the loop") {
      unsafe uv_check_init(loop.pointer, $0.assumingMemoryBound(to: uv_check_t.self))
    }
    let prepared = unsafe uv_prepare_start(before.pointer(uv_prepare_t.self), onPrepare)
    let checked = unsafe uv_check_start(after.pointer(uv_check_t.self), onCheck)
    precondition(prepared == 0 && checked == 0, "a hook with a callback starts")
    before.keepsLoopAlive(false)
    after.keepsLoopAlive(false)
  }

  /// Not `??`, which would wrap the function twice more; that costs 26 instructions in each turn.
  private static func first(_ function: (() -> Void)?, _ other: @escaping () -> Void) -> () -> Void {
    if let function { function } else { other }
  }

  deinit {
    let (before, after) = (before, after)
    MainActor.assumeIsolated {
      before.close()
      after.close()
    }
  }
}

// Not isolated, so that each turn does not check that they run on the main actor.

private nonisolated let onPrepare: uv_prepare_cb = { handle in
  guard let handle = unsafe handle else { return }
  unsafe onLoop(boxOf: UnsafeMutableRawPointer(handle), TurnHooks.Box.self, ()) { box, _ in box.onTurn() }
}

private nonisolated let onCheck: uv_check_cb = { handle in
  guard let handle = unsafe handle else { return }
  unsafe onLoop(boxOf: UnsafeMutableRawPointer(handle), TurnHooks.Box.self, ()) { box, _ in box.onTurn() }
}
