import Wire

/// The size of the state, kept within a limit at a cost that depends on what changes and not on the state.
///
/// The size is that of the encoded state, which grows by a delta's bytes at most. Far below the limit it is looked at once
/// in a thousand actions: the delta from the last look and the delta back tell how much it has grown. Near the limit it is
/// looked at after each action, and an action that makes the state too large is taken back. Since deltas name what they
/// change, their difference is slightly wrong; so the state is counted, a piece in a turn, before the errors add up.
struct StateSize {
  /// The most bytes of the state.
  let limit: Int
  /// How many actions have taken effect since the last look, and the bytes that came with them.
  private var (unseen, unseenBytes) = (0, 0)
  /// How many bytes are handled without a look.
  private let byteInterval: Int
  /// The size at the last look, as far as it is known.
  private(set) var estimate = 0
  private var seen: StateVersion?
  /// How many bytes of deltas came since the state was last counted.
  private var uncounted = 0
  private var count: Count?

  /// A count of a version that goes on for some turns.
  private struct Count {
    let pieces: StatePieces
    var byteCount = 0
    /// How much the state has grown since that version.
    var growth = 0
  }

  /// How many actions far below the limit are applied without a look.
  private static let interval = 1024

  init(limit: Int) { (self.limit, byteInterval) = (limit, limit / 16) }

  /// Begins with a state. A small one is counted at once, a large one a piece in each turn.
  mutating func begin(with version: StateVersion) {
    seen = version
    beginCount(of: version)
    for _ in 0..<16 where isCounting { goOn() }
  }

  /// Whether each action must be looked at.
  var isNear: Bool { estimate > limit / 4 * 3 }

  /// Whether a count goes on. Stored, since comparing the count with nil copies it, in every turn.
  private(set) var isCounting = false

  /// Notes actions that took effect, with the bytes that came with them, and says whether to look.
  mutating func note(_ count: Int, byteCount: Int) -> Bool {
    // Large actions may let the state grow fast: a quarter of the limit is left when they are looked at one by one.
    unseen += count
    unseenBytes += byteCount
    return unseen >= Self.interval || unseenBytes >= byteInterval
  }

  /// Looks at the state. Returns false if it has grown beyond the limit since the last look.
  ///
  /// - Parameters:
  ///   - version: The state.
  ///   - canTakeBack: Whether the caller takes back what makes it too large; then nothing is noted of it.
  /// - Complexity: O(what changed since the last look).
  mutating func look(at version: StateVersion, canTakeBack: Bool) -> Bool {
    (unseen, unseenBytes) = (0, 0)
    guard let seen else { return true }
    var (there, back) = (CBOREncoder(), CBOREncoder())
    version.encodeDelta(from: seen, to: &there)
    seen.encodeDelta(from: version, to: &back)
    let growth = there.count - back.count
    let isTooLarge = growth > 0 && estimate + growth > limit
    if isTooLarge, canTakeBack { return false }
    self.seen = version
    estimate = max(estimate + growth, 0)
    count?.growth += growth
    uncounted += there.count + back.count
    if !isCounting, estimate > limit / 2, uncounted > limit / 16 { beginCount(of: version) }
    return !isTooLarge
  }

  private mutating func beginCount(of version: StateVersion) {
    count = Count(pieces: version.pieces())
    isCounting = true
    uncounted = 0
  }

  /// Goes on with a count.
  mutating func goOn() {
    guard let pieces = count?.pieces else { return }
    if let piece = pieces.next(limit: SnapshotPiece.byteLimit) {
      count?.byteCount += piece.count
    } else if let count {
      estimate = max(count.byteCount + count.growth, 0)
      self.count = nil
      isCounting = false
    }
  }
}

extension HubCore {
  /// Looks at the size of the state after actions that took effect, when it is time.
  ///
  /// Far below the limit nothing is taken back: a quarter of the limit is left.
  mutating func noteApplied(_ count: Int, byteCount: Int) {
    guard size.note(count, byteCount: byteCount), !size.isNear else { return }
    if !size.look(at: engine.currentVersion(), canTakeBack: false) { report(.stateTooLarge(limit: size.limit)) }
  }

  /// Applies the next action of a sequence while the state is near its limit; nil if it was taken back.
  mutating func applyNearLimit(_ payload: RawSpan, from offset: Int) -> ActionBatch.Outcome? {
    let checkpoint = engine.checkpoint()
    let outcome = engine.apply(payload, from: offset, limit: 1)
    guard outcome.count > 0, !size.look(at: engine.currentVersion(), canTakeBack: true) else { return outcome }
    engine.rollBack(to: checkpoint)
    return nil
  }

  /// Applies an action of the hub's own while the state is near its limit; false if it was taken back.
  mutating func applyNearLimit(_ apply: () -> Bool) -> Bool {
    let checkpoint = engine.checkpoint()
    guard apply() else { return false }
    guard !size.look(at: engine.currentVersion(), canTakeBack: true) else { return true }
    engine.rollBack(to: checkpoint)
    report(.stateTooLarge(limit: size.limit))
    return false
  }
}
