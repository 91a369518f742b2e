internal import Synchronization

/// Cancels a repair from another thread, as long as the repair has not changed anything.
public final class RepairCancellation: Sendable {
  private enum Phase {
    case reading, cancelled, changing
  }

  private let phase = Mutex(Phase.reading)

  /// Creates a cancellation for one repair.
  public init() {}

  /// Cancels the repair, which then throws soon and leaves the files as they were.
  ///
  /// - Returns: False if it is too late: the repair has begun to change files and will complete.
  public func cancel() -> Bool {
    phase.withLock {
      if $0 == .reading { $0 = .cancelled }
      return $0 == .cancelled
    }
  }

  var isCancelled: Bool { phase.withLock { $0 == .cancelled } }

  /// Returns true if the repair may change files. It can then no longer be cancelled.
  func beginChanges() -> Bool {
    phase.withLock {
      if $0 == .reading { $0 = .changing }
      return $0 == .changing
    }
  }
}
