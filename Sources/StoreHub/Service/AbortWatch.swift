internal import Glibc
internal import ProgramOptions
internal import ServiceManager
internal import Synchronization

/// Ends the process at a SIGABRT from another process, such as that of a service manager's watchdog, and names the
/// actions that were read last.
///
/// A reducer that never returns keeps the loop from logging anything. A thread of its own waits for the signal, writes
/// the line, and lets the signal end the process. Without it, the Swift runtime's handler would print a backtrace and
/// continue. A call of abort(3) still leads to that handler, because it unblocks the signal.
nonisolated final class AbortWatch: Sendable {
  private let lastActions = Mutex<(@Sendable () -> [String])?>(nil)

  /// Starts the thread. Call it on the main thread before others are started, which inherit the blocked signal.
  init() {
    var abort = Self.abort
    pthread_sigmask(SIG_BLOCK, &abort, nil)
    var thread = pthread_t()
    let pointer = Unmanaged.passRetained(self)
    let result = pthread_create(&thread, nil, { AbortWatch.main($0) }, pointer.toOpaque())
    guard result == 0 else {
      // Then the signal has its usual effect, without the line.
      pointer.release()
      pthread_sigmask(SIG_UNBLOCK, &abort, nil)
      return
    }
    pthread_detach(thread)
  }

  /// Names the last actions from now on.
  ///
  /// - Parameter lastActions: Returns the names of the actions. It is called on the thread.
  func name(_ lastActions: @escaping @Sendable () -> [String]) {
    self.lastActions.withLock { $0 = lastActions }
  }

  private static var abort: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGABRT)
    return signals
  }

  private static func main(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let pointer else { return nil }
    let watch = Unmanaged<AbortWatch>.fromOpaque(pointer).takeRetainedValue()
    // Other signals are handled by the loop's thread.
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
    var (abort, number) = (Self.abort, Int32())
    guard sigwait(&abort, &number) == 0 else { return nil }
    report(watch.lastActions.withLock { $0 }?())
    signal(SIGABRT, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &abort, nil)
    raise(SIGABRT)
    return nil
  }

  private static func report(_ actions: [String]?) {
    let names =
      switch actions {
      case nil: "the hub was starting"
      case []?: "no whole action was read last"
      case let actions?: "the last actions were \(actions.joined(separator: ", "))"
      }
    let text = "received SIGABRT, which a watchdog sends if the loop is blocked; \(names)"
    // Not through the log, which belongs to the loop's thread.
    let line = "<3>\(text)\n"
    _ = write(2, line, line.utf8.count)
    LastWords.note(text)
    ServiceManager().notify(.status(text))
    ServiceManager().flush(within: .seconds(1))
  }
}
