/// Asks now and then whether a turn has time for further actions: after its first, second, fourth and eighth action, and
/// then after every 16th.
@usableFromInline
final class TurnPace {
  /// Tells whether the turn has no time for further actions; nil if it always has.
  var isLate: (() -> Bool)?
  /// The number of the turn's actions before the present batch.
  @exclusivity(unchecked) @usableFromInline var count = 0
  /// The number of the turn's actions at which to ask next.
  @exclusivity(unchecked) @usableFromInline var next = 1

  @usableFromInline init() {}

  /// The number of actions after which to ask, when a batch has applied `count`; at least 1.
  @inlinable @inline(__always)
  func countToNext(after count: Int) -> Int { max(next &- self.count &- count, 1) }

  /// Returns true if the turn has time for further actions when a batch has applied `count`.
  @usableFromInline
  func hasTime(after count: Int) -> Bool {
    if let isLate, isLate() { return false }
    let count = self.count + count
    next = count + min(count, 16)
    return true
  }

  /// Begins a turn.
  func beginTurn() { (count, next) = (0, 1) }
}
