internal import CUV

/// The memory of a libuv handle, and the functions that its callbacks call.
///
/// libuv requires a handle's address to be stable until its close callback. The handle is therefore on the heap and
/// holds a reference to its box; only that callback releases both.
@safe class HandleBox {
  // Safe: `pointer` refuses a closed handle, so nothing uses the memory after the callback has freed it.

  private let memory: UnsafeMutableRawPointer
  /// False until `open` has succeeded, and again from `close` on.
  private(set) var isOpen = false
  let loop: EventLoop

  init(loop: EventLoop, type: uv_handle_type) {
    self.loop = loop
    unsafe memory = UnsafeMutableRawPointer.allocate(byteCount: uv_handle_size(type), alignment: 16)
  }

  /// Initializes the handle with one of libuv's `uv_…_init` functions.
  func open(_ operation: String, _ initialize: (UnsafeMutableRawPointer) -> CInt) throws(UVError) {
    let code = unsafe initialize(memory)
    guard code >= 0 else {
      unsafe memory.deallocate()
      throw UVError(operation: operation, code: code)
    }
    isOpen = true
    unsafe base.pointee.data = unsafe Unmanaged.passRetained(self).toOpaque()
  }

  /// The handle as its libuv type.
  func pointer<Handle>(_: Handle.Type) -> UnsafeMutablePointer<Handle> {
    precondition(isOpen, "a closed handle is not used again")
    return unsafe memory.assumingMemoryBound(to: Handle.self)
  }

  private var base: UnsafeMutablePointer<uv_handle_t> { unsafe memory.assumingMemoryBound(to: uv_handle_t.self) }

  /// Sets whether the handle keeps `run(.untilIdle)` from returning.
  func keepsLoopAlive(_ keeps: Bool) {
    unsafe keeps ? uv_ref(base) : uv_unref(base)
  }

  /// Begins closing the handle; a second call has no effect. None of its callbacks runs afterwards.
  func close() {
    guard isOpen else { return }
    isOpen = false
    forgetCallbacks()
    unsafe uv_close(base, onClosed)
  }

  /// Releases the captures of the callbacks.
  func forgetCallbacks() {}

  fileprivate func freeMemory() { unsafe memory.deallocate() }

  /// The box that a handle belongs to.
  static func of(_ handle: UnsafeMutableRawPointer) -> Self {
    guard let data = unsafe handle.assumingMemoryBound(to: uv_handle_t.self).pointee.data else {
      preconditionFailure("every handle of ours has its box")
    }
    // Checked in debug builds only, because every read passes here.
    return unsafe unsafeDowncast(Unmanaged<HandleBox>.fromOpaque(data).takeUnretainedValue(), to: Self.self)
  }
}

private nonisolated let onClosed: uv_close_cb = { handle in
  guard let handle = unsafe handle else { return }
  unsafe onLoop(handle) { handle in
    guard let data = unsafe handle.pointee.data else { return }
    unsafe Unmanaged<HandleBox>.fromOpaque(data).takeRetainedValue().freeMemory()
  }
}

/// The single entry from libuv's callbacks to the main actor.
///
/// libuv runs callbacks only within `uv_run` and `uv_walk`, which `EventLoop` calls on the main actor. Debug builds
/// check this at each call. Release builds do not, because asking the concurrency runtime costs more than the rest of a
/// callback.
///
/// - Parameters:
///   - arguments: The arguments of libuv's callback.
///   - body: A function without captured values, so that it may be escaping at no cost.
@inline(__always)
nonisolated func onLoop<Arguments>(_ arguments: Arguments, _ body: @escaping @MainActor (Arguments) -> Void) {
  #if DEBUG
    MainActor.assertIsolated("libuv calls back on the thread that runs the loop")
  #endif
  unsafe onLoopUnchecked(arguments, body)
}

/// The same from a task on the loop's thread (`LoopTasks`), which is there without being on the main actor.
@unsafe @inline(__always)
nonisolated func onLoopUnchecked<Arguments>(_ arguments: Arguments, _ body: @escaping @MainActor (Arguments) -> Void) {
  // As in `MainActor.assumeIsolated` after its check.
  unsafe unsafeBitCast(body, to: ((Arguments) -> Void).self)(arguments)
}

/// The same with the handle's box, without counting a reference to it, which costs 40 instructions. The handle retains
/// its box until `onClosed`, which libuv never calls within another callback.
@inline(__always)
nonisolated func onLoop<Box: HandleBox, Arguments>(
  boxOf handle: UnsafeMutableRawPointer, _: Box.Type, _ arguments: Arguments,
  _ body: @escaping @MainActor (Box, Arguments) -> Void
) {
  #if DEBUG
    MainActor.assertIsolated("libuv calls back on the thread that runs the loop")
  #endif
  guard let data = unsafe handle.assumingMemoryBound(to: uv_handle_t.self).pointee.data else {
    preconditionFailure("every handle of ours has its box")
  }
  let body = unsafe unsafeBitCast(body, to: ((Box, Arguments) -> Void).self)
  unsafe Unmanaged<HandleBox>.fromOpaque(data)._withUnsafeGuaranteedRef {
    unsafe body(unsafeDowncast($0, to: Box.self), arguments)
  }
}

extension Duration {
  /// Whole milliseconds, rounded up so that a timer never fires early.
  var millisecondsRoundedUp: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let perMillisecond: Int64 = 1_000_000_000_000_000
    return UInt64(seconds) * 1000 + UInt64((attoseconds + perMillisecond - 1) / perMillisecond)
  }
}
