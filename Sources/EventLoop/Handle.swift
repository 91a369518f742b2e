internal import CUV

/// The memory of one libuv handle, and what its callbacks call.
///
/// libuv wants a handle to stay where it is until its close callback. So the handle lives on the heap, holds a
/// reference to its box, and both are let go of in that callback and nowhere else.
class HandleBox {
  private let memory: UnsafeMutableRawPointer
  /// False before `open` has succeeded, and again from `close` on.
  private(set) var isOpen = false
  let loop: EventLoop

  init(loop: EventLoop, type: uv_handle_type) {
    self.loop = loop
    memory = UnsafeMutableRawPointer.allocate(byteCount: uv_handle_size(type), alignment: 16)
  }

  /// Begins the handle's life with one of libuv's `uv_…_init` calls.
  func open(_ operation: String, _ initialize: (UnsafeMutableRawPointer) -> CInt) throws(UVError) {
    let code = initialize(memory)
    guard code >= 0 else {
      memory.deallocate()
      throw UVError(operation: operation, code: code)
    }
    isOpen = true
    uv_handle_set_data(base, Unmanaged.passRetained(self).toOpaque())
  }

  /// The handle as the type that libuv knows it by.
  func pointer<Handle>(_: Handle.Type) -> UnsafeMutablePointer<Handle> {
    precondition(isOpen, "a closed handle is not used again")
    return memory.assumingMemoryBound(to: Handle.self)
  }

  private var base: UnsafeMutablePointer<uv_handle_t> { memory.assumingMemoryBound(to: uv_handle_t.self) }

  /// Whether the handle keeps `run(.untilIdle)` from returning.
  func keepsLoopAlive(_ keeps: Bool) {
    keeps ? uv_ref(base) : uv_unref(base)
  }

  /// Begins the end of the handle; a second call changes nothing. None of its callbacks comes after this one.
  func close() {
    guard isOpen else { return }
    isOpen = false
    forgetCallbacks()
    uv_close(base, onClosed)
  }

  /// Lets go of what the callbacks hold.
  func forgetCallbacks() {}

  fileprivate func freeMemory() { memory.deallocate() }

  /// The box that a handle belongs to.
  static func of(_ handle: UnsafeMutableRawPointer) -> Self {
    guard let data = uv_handle_get_data(handle.assumingMemoryBound(to: uv_handle_t.self)) else {
      preconditionFailure("every handle of ours has its box")
    }
    // Checked in debug builds only: this stands in the way of every read.
    return unsafeDowncast(Unmanaged<HandleBox>.fromOpaque(data).takeUnretainedValue(), to: Self.self)
  }
}

private nonisolated let onClosed: uv_close_cb = { handle in
  guard let handle else { return }
  onLoop(handle) { handle in
    guard let data = uv_handle_get_data(handle) else { return }
    Unmanaged<HandleBox>.fromOpaque(data).takeRetainedValue().freeMemory()
  }
}

/// The one door from libuv's callbacks to the main actor.
///
/// libuv calls back only from within `uv_run` and `uv_walk`, which `EventLoop` calls on the main actor. Debug builds check
/// it at each call; asking the concurrency runtime costs more than all the rest of a callback, so release builds do not.
///
/// - Parameters:
///   - arguments: What libuv passed.
///   - body: A function without captured values, which is why it may be an escaping one at no cost.
@inline(__always)
nonisolated func onLoop<Arguments>(_ arguments: Arguments, _ body: @escaping @MainActor (Arguments) -> Void) {
  #if DEBUG
    MainActor.assertIsolated("libuv calls back on the thread that runs the loop")
  #endif
  // What `MainActor.assumeIsolated` does behind its check.
  unsafeBitCast(body, to: ((Arguments) -> Void).self)(arguments)
}

/// The same with the box that a handle belongs to, without counting a reference to it, which costs 40 instructions: the
/// handle keeps its box until `onClosed`, which libuv never calls from within another callback.
@inline(__always)
nonisolated func onLoop<Box: HandleBox, Arguments>(
  boxOf handle: UnsafeMutableRawPointer, _: Box.Type, _ arguments: Arguments,
  _ body: @escaping @MainActor (Box, Arguments) -> Void
) {
  #if DEBUG
    MainActor.assertIsolated("libuv calls back on the thread that runs the loop")
  #endif
  guard let data = uv_handle_get_data(handle.assumingMemoryBound(to: uv_handle_t.self)) else {
    preconditionFailure("every handle of ours has its box")
  }
  let body = unsafeBitCast(body, to: ((Box, Arguments) -> Void).self)
  Unmanaged<HandleBox>.fromOpaque(data)._withUnsafeGuaranteedRef { body(unsafeDowncast($0, to: Box.self), arguments) }
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
