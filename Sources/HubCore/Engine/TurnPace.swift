public import Synchronization

/// Decides when a turn checks its time: after its first, second, fourth and eighth action, and then after every 16th; in
/// each further frame after the fourth, the twelfth, and then every 16th. The last action of a frame is excepted, so a
/// frame of one action costs no check.
///
/// Its numbers omit the run-time exclusivity check: words are loaded or stored at once.
@usableFromInline
final class TurnPace {
  /// Tells whether the turn has no time for further actions; nil if it always has.
  var isLate: (() -> Bool)?
  /// The number of the turn's actions before the present batch.
  @exclusivity(unchecked) @usableFromInline var count = 0
  /// The number of the turn's actions at which to check next.
  @exclusivity(unchecked) @usableFromInline var next = 1

  /// Receives the number of the batch's actions that were reduced, for `ActionMark`.
  @exclusivity(unchecked) @usableFromInline var reduced: UnsafeMutablePointer<Atomic<UInt64>>
  private let ownCell: UnsafeMutablePointer<Atomic<UInt64>>

  @usableFromInline
  init() {
    ownCell = .allocate(capacity: 1)
    ownCell.initialize(to: Atomic(0))
    reduced = ownCell
  }

  deinit { ownCell.deallocate() }

  /// Stores the number of the batch's reduced actions elsewhere from now on; nil for nowhere.
  func storeReduced(in cell: UnsafeMutablePointer<Atomic<UInt64>>?) { reduced = cell ?? ownCell }

  /// The number of reduced actions of the present batch.
  var batchCount: UInt64 { reduced.pointee.load(ordering: .relaxed) }

  /// The number of actions of a new batch after which to check; at least 1. Its actions may be slower than those before.
  @inlinable @inline(__always)
  var countToFirst: Int { max(min(next &- count, 4), 1) }

  /// Returns true if the turn has time for further actions when a batch has applied `batchCount`.
  @usableFromInline
  func hasTime(after batchCount: Int) -> Bool {
    if let isLate, isLate() { return false }
    let total = count + batchCount
    next = total + min(2 * batchCount, total, 16)
    return true
  }

  /// The number of actions after which to check again, when a batch has applied `batchCount`.
  @inlinable @inline(__always)
  func countToNext(after batchCount: Int) -> Int { next &- count &- batchCount }

  /// Begins a turn.
  func beginTurn() { (count, next) = (0, 1) }
}
