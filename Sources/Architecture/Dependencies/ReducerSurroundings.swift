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
  private let readRegion: (() -> RegionalValues)?
  private let reportRead: ((String) -> Void)?
  /// The keys that are not reproducible and have been read.
  private var irreproducibleKeys: Set<ObjectIdentifier> = []

  /// Creates surroundings.
  ///
  /// - Parameters:
  ///   - sender: Returns the sender of the action that is reduced.
  ///   - time: Returns the time of the action, in milliseconds since 1970-01-01 00:00 UTC; nil for the machine's.
  ///   - random: Returns the next random bits for the action; nil for the machine's.
  ///   - region: Returns the calendar, the time zone and the locale of a hub, also in a prediction or a replay; nil for
  ///     the machine's.
  ///   - report: Receives, once for each key, what the reducer reads that is not reproducible; nil if nobody wants it.
  package init(
    sender: @escaping () -> Sender, time: @escaping () -> Int64? = { nil }, random: @escaping () -> UInt64? = { nil },
    region: (() -> RegionalValues)? = nil, report: ((String) -> Void)? = nil
  ) {
    (readSender, readTime, drawRandom) = (sender, time, random)
    (readRegion, reportRead) = (region, report)
  }

  /// The sender of the action that is reduced.
  package var sender: Sender { readSender() }

  /// The time of the action, in milliseconds since 1970-01-01 00:00 UTC; nil for the machine's.
  var time: Int64? { readTime() }

  /// Returns the next random bits for the action; nil for the machine's.
  func nextRandom() -> UInt64? { drawRandom() }

  /// The calendar, the time zone and the locale of a hub; nil for the machine's.
  var region: RegionalValues? { readRegion?() }

  /// Notes a read of a key that is not reproducible. Returns true if it is the first that is to be reported.
  func noteFirstRead(of key: ObjectIdentifier) -> Bool {
    reportRead != nil && irreproducibleKeys.insert(key).inserted
  }

  /// Reports what the reducer reads that is not reproducible.
  func report(_ message: String) { reportRead?(message) }

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

  /// Runs an operation that is not part of the reducer.
  static func withoutCurrent<Result>(_ operation: () -> Result) -> Result {
    let outer = storehub_current_surroundings()
    storehub_set_current_surroundings(nil)
    defer { end(outer) }
    return operation()
  }

  /// Surrounds the reducers that run in an operation.
  package func surround<Result>(_ operation: () -> Result) -> Result {
    let outer = begin()
    defer { Self.end(outer) }
    return operation()
  }
}
