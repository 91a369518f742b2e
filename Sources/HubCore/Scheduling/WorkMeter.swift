/// Limits the number of frames and actions that are handled in a turn, so that turns stay short under any load.
///
/// Work is done in slices of about a quarter of a millisecond, as many as fit in a turn. The clock is read only after a
/// full slice, so that small turns cost nothing. A read may exceed its slice by a quarter, so that a slice rarely ends
/// within a small frame: the rest of a divided frame is copied, and its connection is not read meanwhile. A slice whose
/// actions are much slower than those before is ended by `isLate`, for which a coarse clock is read now and then
/// (`HubCore/TurnPace`).
struct WorkMeter {
  /// The time in nanoseconds for which a turn may handle frames.
  private static let turn: UInt64 = 1_000_000
  /// The intended duration of a slice in nanoseconds.
  private static let slice: UInt64 = 250_000
  /// The largest slice.
  private static let sliceLimit = 512
  /// The time in milliseconds after which a turn handles no more actions, whatever its limit.
  static let longTurn: UInt64 = 4

  /// True if the turn has taken that long.
  var isLate = false

  /// The number of frames and actions that may be handled before `note`; 0 when the turn's work is done.
  var limit: Int { max(rest, 0) }
  /// The same for the bytes of one read.
  var readLimit: Int { rest > 0 ? rest + sliceCount / 4 : 0 }
  /// The rest of the slice; negative if it was exceeded.
  private var rest = 64
  /// The rest at the last reading of the clock.
  private var begun = 64
  private var sliceCount = 64
  /// The time of the last reading of the clock in this turn.
  private var lastReading: UInt64?
  private var spent: UInt64 = 0
  /// The recent cost of a frame or action in nanoseconds.
  private var perUnit: UInt64 = 1_000
  /// The intended duration in nanoseconds of a slice in a contended turn, for which other clients wait.
  private static let contendedSlice: UInt64 = 5_000

  /// Records handled frames and actions.
  ///
  /// - Parameters:
  ///   - count: The number of frames and actions since the last call.
  ///   - now: The time in nanoseconds; evaluated only after a full slice.
  ///   - turnStart: The time at which the turn began; evaluated at most once per turn.
  mutating func note(_ count: Int, now: @autoclosure () -> UInt64, turnStart: @autoclosure () -> UInt64) {
    rest -= count
    guard rest <= 0 || isLate, count > 0 else { return }
    let now = now()
    let elapsed = now - min(lastReading ?? turnStart(), now)
    lastReading = now
    spent += elapsed
    perUnit = max(elapsed / UInt64(max(begun - rest, 1)), 1)
    sliceCount = min(max(Int(clamping: Self.slice / perUnit), 1), Self.sliceLimit)
    rest = spent < Self.turn && !isLate ? sliceCount : 0
    begun = rest
  }

  /// The number of waiting frames and actions to handle in a contended turn.
  var contendedLimit: Int { min(max(Int(clamping: Self.contendedSlice / perUnit), 2), Self.sliceLimit) }

  /// Records the duration of such work in nanoseconds.
  mutating func noteContended(_ count: Int, elapsed: UInt64) {
    guard count > 0 else { return }
    // A single reading may include an interruption, so it counts for a quarter.
    perUnit = max((3 * perUnit + elapsed / UInt64(count)) / 4, 1)
    sliceCount = min(max(Int(clamping: Self.slice / perUnit), 1), Self.sliceLimit)
  }

  /// Starts another turn.
  mutating func beginTurn() {
    (rest, begun, spent, lastReading, isLate) = (sliceCount, sliceCount, 0, nil, false)
  }
}
