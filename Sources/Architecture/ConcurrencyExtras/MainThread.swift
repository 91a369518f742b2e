internal import Dispatch

/// The main thread, on which stores are used.
package enum MainThread {
  /// A key that is set on the main queue only, and never changes.
  private static let mainQueue: UncheckedSendable<DispatchSpecificKey<Bool>> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return UncheckedSendable(key)
  }()

  /// True if the caller is on the main thread, or in a job of the main actor, which Swift Testing runs on any thread.
  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mainQueue.value) == true }

  /// Runs work immediately if the caller is on the main thread, otherwise there as soon as possible and in order.
  package static func run(_ work: @escaping @MainActor @Sendable () -> Void) {
    guard !isCurrent else { return MainActor.assumeIsolated(work) }
    DispatchQueue.main.async { MainActor.assumeIsolated(work) }
  }

  /// Runs work of a caller that must be on the main thread.
  ///
  /// - Parameter what: A name of the caller, for the message.
  package static func require<Result: Sendable>(
    _ what: StaticString, _ work: @MainActor () -> Result
  ) -> Result {
    precondition(isCurrent, "\(what) must be used on the main thread: send from effects, or mark the caller @MainActor")
    return MainActor.assumeIsolated(work)
  }
}
