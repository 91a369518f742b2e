/// The times at which changes are sent to all their subscribers, those of several turns together.
struct FanOutSchedule {
  /// The time of the next publication to everyone, or of the last one.
  private var next = Duration.zero
  /// The time from the end of the last publication to the next one; nil once that end is known.
  private var interval: Duration?

  /// True if the end of the last publication is not known yet.
  var awaitsEnd: Bool { interval != nil }

  /// Begins a turn. Returns the time of the next publication if the turn is too early for it.
  ///
  /// If `ended` was not called, the interval begins with the first turn after the writes, since these may take longer
  /// than it.
  mutating func beginTurn(at now: Duration) -> Duration? {
    if let interval = interval.take() { next = now + interval }
    return now < next ? next : nil
  }

  /// Records that changes are sent to a number of connections. If they are many, or if the hub is contended, the next
  /// changes follow after an interval that grows with their number.
  mutating func begin(to count: Int, _ limits: HubLimits, isContended: Bool) {
    guard count >= limits.coalescingThreshold || isContended && count > 0 else { return }
    interval = min(limits.coalescing * count, limits.longestCoalescing)
  }

  /// Records when the changes were written. In a contended turn the interval is three times as long as that took: an
  /// overloaded hub must not spend its time on notifications of single actions.
  mutating func ended(from start: Duration, to end: Duration, _ limits: HubLimits, isContended: Bool) {
    guard var interval = interval.take() else { return }
    if isContended { interval = min(max(interval, (end - start) * 3), limits.longestCoalescing) }
    next = end + interval
  }
}
