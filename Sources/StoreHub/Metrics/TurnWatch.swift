/// Measures the turns of the loop in nanoseconds, at almost no cost.
///
/// Reading the clock twice costs a part of a short turn. At most one turn in each millisecond is therefore measured,
/// and stands also for those that were not measured since the one before. A hub with few turns measures each of them.
/// Turns of two milliseconds or more are always measured.
struct TurnWatch {
  /// True if the next turn is measured.
  private(set) var isOn = true
  /// The clock at the first event of a measured turn, in nanoseconds.
  private var start: UInt64?
  /// The number of turns since the last measured one.
  private var unmeasured: UInt64 = 0
  /// The time of the last measured turn, in milliseconds.
  private var last: UInt64 = 0
  private(set) var times = DurationHistogram()

  /// Notes an event of a measured turn; only the first counts.
  mutating func begin(_ now: @autoclosure () -> UInt64) {
    if isOn, start == nil { start = now() }
  }

  /// Notes the end of a turn.
  ///
  /// - Parameters:
  ///   - milliseconds: Its duration by the loop's clock, which ticks once in a millisecond.
  ///   - tick: The loop's clock in milliseconds.
  ///   - begin: The clock at its beginning in nanoseconds, at most a millisecond too early.
  ///   - now: The clock in nanoseconds.
  mutating func end(milliseconds: UInt64, at tick: UInt64, begin: UInt64, now: @autoclosure () -> UInt64) {
    if isOn, let start {
      // A long turn is counted itself, and does not stand for short ones.
      let isLong = milliseconds >= 2
      times.note(now() &- start, count: isLong ? 1 : unmeasured + 1)
      if !isLong { unmeasured = 0 }
      // While turns are rare, each is measured.
      (self.start, isOn, last) = (nil, tick != last, tick)
    } else if milliseconds >= 2 {
      times.note(now() &- begin)
    } else {
      unmeasured += 1
      isOn = tick != last
    }
  }

  /// Forgets an event that belongs to no turn.
  mutating func forget() { start = nil }
}
