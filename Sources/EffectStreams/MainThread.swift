internal import ConcurrencyExtras
internal import Dispatch

/// Work on the main thread, where stores live.
package enum MainThread {
  /// Set on the main queue only. A key is immutable.
  private static let mainQueue: UncheckedSendable<DispatchSpecificKey<Bool>> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return UncheckedSendable(key)
  }()

  /// Whether the caller is on it.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mainQueue.value) == true }

  /// Runs work now if the caller is on the main thread, else there as soon as possible, in order.
  package static func run(_ work: @escaping @MainActor @Sendable () -> Void) {
    guard !isCurrent else { return MainActor.assumeIsolated(work) }
    DispatchQueue.main.async { MainActor.assumeIsolated(work) }
  }

  /// Runs work of a caller that must be on the main thread.
  ///
  /// - Parameter what: The user of the thread, for the message.
  package static func require<Result: Sendable>(
    _ what: StaticString, _ work: @MainActor () -> Result
  ) -> Result {
    precondition(isCurrent, "\(what) must be used on the main thread: send from effects, or mark the caller @MainActor")
    return MainActor.assumeIsolated(work)
  }
}
