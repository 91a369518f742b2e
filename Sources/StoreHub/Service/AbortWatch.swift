internal import Glibc
internal import ServiceManager

/// Names the actions that were read last when a service manager ends a hub with SIGABRT, as its watchdog does.
///
/// A reducer that never returns keeps the loop from logging anything. A thread of its own waits for the signal, writes
/// the line, and lets the signal end the process.
nonisolated enum AbortWatch {
  /// Starts the thread. Call it on the main thread before others are started, which inherit the blocked signal.
  ///
  /// - Parameter lastActions: Returns the names of the actions. It is called on the thread.
  static func start(_ lastActions: @escaping @Sendable () -> [String]) {
    var abort = Self.abort
    pthread_sigmask(SIG_BLOCK, &abort, nil)
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Box(lastActions))
    let result = pthread_create(&thread, nil, { AbortWatch.main($0) }, box.toOpaque())
    guard result == 0 else {
      // Then the signal has its usual effect, without the line.
      box.release()
      pthread_sigmask(SIG_UNBLOCK, &abort, nil)
      return
    }
    pthread_detach(thread)
  }

  private final class Box: Sendable {
    let lastActions: @Sendable () -> [String]

    init(_ lastActions: @escaping @Sendable () -> [String]) { self.lastActions = lastActions }
  }

  private static var abort: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGABRT)
    return signals
  }

  private static func main(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let box = Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue()
    // Other signals are handled by the loop's thread.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    var (abort, number) = (Self.abort, Int32())
    guard sigwait(&abort, &number) == 0 else { return nil }
    report(box.lastActions())
    signal(SIGABRT, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &abort, nil)
    raise(SIGABRT)
    return nil
  }

  private static func report(_ actions: [String]) {
    let names =
      actions.isEmpty ? "no whole action was read last" : "the last actions were \(actions.joined(separator: ", "))"
    let text = "received SIGABRT, which the watchdog sends if the loop is blocked; \(names)"
    // Not through the log, which belongs to the loop's thread.
    let line = "<3>\(text)\n"
    _ = write(2, line, line.utf8.count)
    ServiceManager().notify(.status(text))
  }
}
