internal import CUV
internal import Glibc

/// Calls a function when the process receives a signal, as an ordinary callback of the loop.
public struct Signal: ~Copyable {
  private final class Box: HandleBox {
    var onSignal: (() -> Void)?
    override func forgetCallbacks() { onSignal = nil }
  }

  private let box: Box

  /// Watches for a signal until the value is destroyed.
  ///
  /// - Parameters:
  ///   - loop: The loop.
  ///   - number: The number of the signal, such as `SIGTERM`; see signal(7).
  ///   - onSignal: Called for each signal. Several in quick succession may result in a single call.
  public init(on loop: EventLoop, _ number: CInt, _ onSignal: @escaping () -> Void) throws(UVError) {
    box = Box(loop: loop, type: UV_SIGNAL)
    box.onSignal = onSignal
    try unsafe box.open("watch signals") {
      unsafe uv_signal_init(loop.pointer, $0.assumingMemoryBound(to: uv_signal_t.self))
    }
    box.keepsLoopAlive(false)
    // The parent process may have left the signal blocked, as a thread pool does for its threads.
    var watched = sigset_t()
    unsafe sigemptyset(&watched)
    unsafe sigaddset(&watched, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    let code = unsafe uv_signal_start(
      box.pointer(uv_signal_t.self),
      { signal, _ in
        guard let signal = unsafe signal else { return }
        unsafe onLoop(UnsafeMutableRawPointer(signal)) { unsafe Box.of($0).onSignal?() }
      }, number)
    try check(code, "watch signal", "\(number)")
  }

  /// Stops watching, as destroying the value does.
  public consuming func close() {}

  deinit {
    let box = box
    MainActor.assumeIsolated { box.close() }
  }
}

/// A signal handle that can be stored in a collection.
package final class SignalWatch {
  private let signal: Signal

  /// Watches for a signal until the object is released.
  package init(on loop: EventLoop, _ number: CInt, _ onSignal: @escaping () -> Void) throws(UVError) {
    signal = try Signal(on: loop, number, onSignal)
  }
}
