/// Decides how many frames and actions are handled in a turn, so that it stays short whatever clients send.
///
/// Work is done in slices of about a quarter of a millisecond, as many as fit a turn. The clock is read after a whole
/// slice only, so that small turns cost nothing.
package struct WorkMeter {
  /// How long a turn may work on frames.
  private static let turn: UInt64 = 1_000_000
  /// How long a slice should take, in nanoseconds.
  private static let slice: UInt64 = 250_000
  /// The largest slice: if each action suddenly costs 10 µs, it takes 5 ms.
  private static let sliceLimit = 512

  /// How many frames and actions may be handled before `note`; 0 when the turn's work is done.
  package private(set) var limit = 64
  private var sliceCount = 64
  /// The time of the last reading of the clock in this turn.
  private var lastReading: UInt64?
  private var spent: UInt64 = 0
  /// How long a frame or action took lately, in nanoseconds.
  private var perUnit: UInt64 = 1_000
  /// How long a slice of a contended turn should take: as long as the others are kept waiting by it.
  private static let contendedSlice: UInt64 = 20_000

  package init() {}

  /// Notes how many frames and actions were handled.
  ///
  /// - Parameters:
  ///   - count: How many since the last call.
  ///   - now: The time, in nanoseconds; read after a whole slice only.
  ///   - turnStart: The time at which the turn began, read once in a turn at most.
  package mutating func note(_ count: Int, now: @autoclosure () -> UInt64, turnStart: @autoclosure () -> UInt64) {
    limit -= count
    guard limit <= 0, count > 0 else { return }
    let now = now()
    let elapsed = now - min(lastReading ?? turnStart(), now)
    lastReading = now
    spent += elapsed
    perUnit = max(elapsed / UInt64(sliceCount), 1)
    sliceCount = min(max(Int(clamping: Self.slice / perUnit), 1), Self.sliceLimit)
    limit = spent < Self.turn ? sliceCount : 0
  }

  /// How many frames and actions that wait are handled in a turn in which others should hardly notice.
  package var contendedLimit: Int { min(max(Int(clamping: Self.contendedSlice / perUnit), 2), Self.sliceLimit) }

  /// Notes how long the work of such a turn has taken, in nanoseconds.
  package mutating func noteContended(_ count: Int, elapsed: UInt64) {
    guard count > 0 else { return }
    // A single reading may have been interrupted, so it counts for a quarter.
    perUnit = max((3 * perUnit + elapsed / UInt64(count)) / 4, 1)
    sliceCount = min(max(Int(clamping: Self.slice / perUnit), 1), Self.sliceLimit)
  }

  /// Begins another turn.
  package mutating func beginTurn() {
    (limit, spent, lastReading) = (sliceCount, 0, nil)
  }
}
