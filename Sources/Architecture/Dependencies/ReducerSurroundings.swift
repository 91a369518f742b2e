internal import CFeatureCore
package import Senders

/// The surroundings of a hub's reducer: the sender of the action, and the values that the reducer reads in place of the
/// machine's, so that the same action on the same state has the same result wherever it is reduced.
///
/// They apply to the thread between `begin` and `end`. Effects run on other threads, or later, and read the machine's.
/// Nothing is computed unless a reducer reads it.
package final class ReducerSurroundings {
  private let readSender: () -> Sender
  private let readTime: () -> Int64?
  private let drawRandom: () -> UInt64?

  /// Creates surroundings.
  ///
  /// - Parameters:
  ///   - sender: Returns the sender of the action that is reduced.
  ///   - time: Returns the time of the action, in milliseconds since 1970-01-01 00:00 UTC; nil for the machine's.
  ///   - random: Returns the next random bits for the action; nil for the machine's.
  package init(
    sender: @escaping () -> Sender, time: @escaping () -> Int64? = { nil }, random: @escaping () -> UInt64? = { nil }
  ) {
    (readSender, readTime, drawRandom) = (sender, time, random)
  }

  /// The sender of the action that is reduced.
  package var sender: Sender { readSender() }

  /// The time of the action, in milliseconds since 1970-01-01 00:00 UTC; nil for the machine's.
  var time: Int64? { readTime() }

  /// Returns the next random bits for the action; nil for the machine's.
  func nextRandom() -> UInt64? { drawRandom() }

  /// The surroundings of the reducer that runs on this thread; nil outside of one, and in a store of one process.
  package static var current: ReducerSurroundings? {
    storehub_current_surroundings().map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Surrounds the reducers that run on this thread from now on.
  ///
  /// The caller retains the object until `end`.
  /// - Returns: The outer surroundings, for `end`.
  package func begin() -> UnsafeMutableRawPointer? {
    let outer = storehub_current_surroundings()
    storehub_set_current_surroundings(Unmanaged.passUnretained(self).toOpaque())
    return outer
  }

  /// Returns to the outer surroundings.
  package static func end(_ outer: UnsafeMutableRawPointer?) { storehub_set_current_surroundings(outer) }

  /// Surrounds the reducers that run in an operation.
  package func surround<Result>(_ operation: () -> Result) -> Result {
    let outer = begin()
    defer { Self.end(outer) }
    return operation()
  }
}
