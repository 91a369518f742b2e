internal import EventLoop

/// Decides how many frames and actions are handled in a turn, so that it stays short whatever clients send.
///
/// Work is done in slices of about a quarter of a millisecond, as many as fit a turn. The clock is read after a whole
/// slice only, so that small turns cost nothing.
struct WorkMeter {
  /// How long a turn may work on frames.
  private static let turn: UInt64 = 2_000_000
  /// How long a slice should take, in nanoseconds.
  private static let slice: UInt64 = 250_000
  /// The largest slice: if each action suddenly costs 10 µs, it takes 5 ms.
  private static let sliceLimit = 512

  /// How many frames and actions may be handled before `note`; 0 when the turn's work is done.
  private(set) var limit = 64
  private var sliceCount = 64
  /// The time of the last reading of the clock in this turn.
  private var lastReading: UInt64?
  private var spent: UInt64 = 0

  /// Notes how many frames and actions were handled.
  mutating func note(_ count: Int, _ loop: EventLoop) {
    limit -= count
    guard limit <= 0, count > 0 else { return }
    let now = loop.nanoseconds
    let elapsed = now - min(lastReading ?? loop.turnNanoseconds, now)
    lastReading = now
    spent += elapsed
    let perUnit = max(elapsed / UInt64(sliceCount), 1)
    sliceCount = min(max(Int(clamping: Self.slice / perUnit), 1), Self.sliceLimit)
    limit = spent < Self.turn ? sliceCount : 0
  }

  /// Begins another turn.
  mutating func beginTurn() {
    (limit, spent, lastReading) = (sliceCount, 0, nil)
  }
}
