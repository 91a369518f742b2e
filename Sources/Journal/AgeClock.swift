/// The time by which the age of sessions and turns is measured.
///
/// It follows the turns' times, but a step far ahead counts only after it has lasted for an hour: a clock that is wrong
/// for a moment, as after a boot without a network, must not make everything old.
struct AgeClock {
  /// The time in milliseconds since 1970; nil before the first turn.
  private(set) var time: Int64?
  /// False until the first turn of this process. Until then the time may be that of a clock that was wrong.
  private(set) var hasFollowed = false
  /// The monotonic time in nanoseconds of the last turn.
  private var lastTurn: Int64
  /// The monotonic time at which the turns' time began to be far ahead.
  private var stepBegan: Int64?
  /// The largest step that counts at once, and the time for which a larger one must last, in nanoseconds.
  private let longestStep: Int64

  /// - Parameters:
  ///   - time: The time of the last stored turn; nil if there is none.
  ///   - now: The monotonic time in nanoseconds.
  ///   - longestStep: The largest step that counts at once, and the time for which a larger one must last.
  init(_ time: Int64?, at now: Int64, longestStep: Duration) {
    (self.time, lastTurn) = (time, now)
    self.longestStep = longestStep.milliseconds * 1_000_000
  }

  /// Follows a turn.
  ///
  /// - Parameters:
  ///   - turnTime: Its time in milliseconds since 1970.
  ///   - now: The monotonic time in nanoseconds.
  mutating func follow(_ turnTime: Int64, at now: Int64) {
    // The stored time may come from a clock that was wrong.
    let time = hasFollowed ? self.time ?? turnTime : min(self.time ?? turnTime, turnTime)
    hasFollowed = true
    let elapsed = (now - lastTurn) / 1_000_000
    lastTurn += elapsed * 1_000_000
    guard turnTime > time + elapsed + longestStep / 1_000_000 else {
      stepBegan = nil
      self.time = max(time, turnTime)
      return
    }
    let began = stepBegan ?? now
    let hasLasted = now - began >= longestStep
    (self.time, stepBegan) = hasLasted ? (turnTime, nil) : (time + elapsed, began)
  }
}
