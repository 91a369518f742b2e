internal import CUV

/// Calls a function in every turn of the loop, right before it waits and right after it has handled what was ready.
///
/// Together these catch everything that callbacks did in between, timers included, without ever waking the loop.
public struct TurnHooks: ~Copyable {
  fileprivate final class Box: HandleBox {
    // Constant, so that a turn counts no reference to it: 40 instructions. It is let go of with the box.
    let onTurn: () -> Void

    init(loop: EventLoop, type: uv_handle_type, _ onTurn: @escaping () -> Void) {
      self.onTurn = onTurn
      super.init(loop: loop, type: type)
    }
  }

  private let before: Box
  private let after: Box

  /// Calls `onTurn` until the value goes away. It does not keep the loop alive.
  public init(on loop: EventLoop, _ onTurn: @escaping () -> Void) throws(UVError) {
    before = Box(loop: loop, type: UV_PREPARE, onTurn)
    after = Box(loop: loop, type: UV_CHECK, onTurn)
    try before.open("hook into the loop") {
      uv_prepare_init(loop.pointer, $0.assumingMemoryBound(to: uv_prepare_t.self))
    }
    try after.open("hook into the loop") { uv_check_init(loop.pointer, $0.assumingMemoryBound(to: uv_check_t.self)) }
    let prepared = uv_prepare_start(before.pointer(uv_prepare_t.self), onPrepare)
    let checked = uv_check_start(after.pointer(uv_check_t.self), onCheck)
    precondition(prepared == 0 && checked == 0, "a hook with a callback starts")
    before.keepsLoopAlive(false)
    after.keepsLoopAlive(false)
  }

  deinit {
    let (before, after) = (before, after)
    MainActor.assumeIsolated {
      before.close()
      after.close()
    }
  }
}

// Not isolated, so that they are not checked to run on the main actor in every turn.

private nonisolated let onPrepare: uv_prepare_cb = { handle in
  guard let handle else { return }
  onLoop(boxOf: UnsafeMutableRawPointer(handle), TurnHooks.Box.self, ()) { box, _ in box.onTurn() }
}

private nonisolated let onCheck: uv_check_cb = { handle in
  guard let handle else { return }
  onLoop(boxOf: UnsafeMutableRawPointer(handle), TurnHooks.Box.self, ()) { box, _ in box.onTurn() }
}
