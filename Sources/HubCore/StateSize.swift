import Wire

/// An estimate of the state's size, which enforces a limit. Its cost depends on the changes, not on the size of a large
/// state.
///
/// The size is that of the encoded state. The bytes of a delta are an upper bound of the growth, so the deltas that the
/// hub encodes for its log or its subscribers cost nothing here. While the hub needs no deltas, a small state is counted
/// now and then, which costs less than comparing its elements; of a larger one, a delta is encoded for the size alone.
/// Before the sum of the bounds reaches half the limit, and whenever it is more than twice the size, the state is
/// counted, one piece in each turn. Beyond half the limit, a reverse delta measures the removed bytes. Near the limit,
/// both deltas are encoded after each action, and an action that makes the state too large is rolled back.
///
/// Between two checks at most `limit >> 14` actions take effect, 16,384 for 256 MiB. They carry at most 64 KiB (256 KiB
/// while the state is small), or a sixteenth of a smaller limit, and the rest of a frame. So that a check fits into a
/// turn, there are fewer if their deltas are large. Therefore the limit is exact if no action adds more than 4 KiB to the
/// state in addition to the bytes that it carries. It is exact but for the heads of collections: a delta does not contain
/// the byte or two by which a head grows, so these are missing until the next count. Actions that add more can exceed the
/// limit by what the actions between two checks have added; then the hub accepts no action that makes the state larger.
/// The hub's own reactions to connections, and the actions that the program sends itself, are not rolled back.
struct StateSize {
  /// The most bytes of the state.
  let limit: Int
  /// The estimated size, rather too large than too small.
  private(set) var estimate = 0
  /// The newest version whose size is estimated.
  private var seen: (version: StateVersion, revision: UInt64)?
  /// The number of actions applied since then, and their bytes.
  private var (unseen, unseenBytes) = (0, 0)
  /// The number of actions after which a delta is encoded for the size alone.
  private var interval: Int
  /// The largest interval.
  private let longestInterval: Int
  /// The bytes of deltas since the state was last counted, and its size at that time.
  private var (uncounted, counted) = (0, 0)
  private var count: Count?

  /// A count of a version that goes on for some turns.
  private struct Count {
    let pieces: StatePieces
    var byteCount = 0
    /// The growth of the state since that version.
    var growth = 0
  }

  /// The target size of a delta for the size alone, in bytes, and the actions after which it may be larger.
  ///
  /// Each changed element of a long list takes some 20 µs, however small its change, because the other elements of its
  /// leaf are compared, too. The changes of a small state are soon compared, and fewer checks copy fewer leaves.
  private var target: (deltaByteCount: Int, interval: Int) {
    max(estimate, counted) > 1 << 20 ? (1 << 11, 8) : (1 << 14, min(max(limit >> 16, 1), 64))
  }
  /// The bytes of a state that is counted instead of compared, and the actions after which this is done.
  private static let alwaysCounted = (byteCount: 4 * SnapshotPiece.byteLimit, interval: 1 << 10)
  /// The bytes of a state that is small enough to be counted within a turn.
  private static let smallByteCount = 16 * SnapshotPiece.byteLimit
  /// The bytes of actions after which a delta is encoded for the size alone.
  private var byteInterval: Int { min(limit / 16, estimate <= Self.alwaysCounted.byteCount ? 1 << 18 : 1 << 16) }

  init(limit: Int) {
    self.limit = limit
    // A quarter of the limit remains: 4 KiB for each action between two checks.
    longestInterval = max(limit >> 14, 1)
    interval = min(longestInterval, 8)
  }

  /// Begins with a state.
  ///
  /// It is counted at once if it may be larger than half the limit: until the end of a count, the limit could be exceeded
  /// or actions refused without reason. Another one is counted a piece in each turn, unless it is small.
  ///
  /// - Parameter bound: The largest possible size of the state; nil if it is not known.
  mutating func begin(with version: StateVersion, at revision: UInt64, bound: Int?) {
    seen = (version, revision)
    beginCount(of: version)
    if let bound, isFar(bound) {
      estimate = bound
      finishSmallCount()
    } else {
      while isCounting { countNextPiece() }
    }
  }

  /// Ends a count in progress if the state is small. Of a state that may be large, it counts no more than the first
  /// bytes, in all calls together.
  private mutating func finishSmallCount() {
    guard counted <= 2 * Self.smallByteCount else { return }
    while let count, count.byteCount <= Self.smallByteCount { countNextPiece() }
  }

  /// An upper bound of the memory of one whole version: a small element takes ten times its encoded size.
  var memoryBound: Int { isCounting ? .max : 16 * max(estimate, 1024) }

  /// Returns true if the size must be checked after each action of a sequence.
  ///
  /// - Parameter byteCount: The bytes of the sequence.
  func isNear(adding byteCount: Int = 0) -> Bool { estimate + unseenBytes + byteCount > limit / 4 * 3 }

  /// The number of actions after which the size should be checked.
  var actionsToCheck: Int { max(interval - unseen, 1) }

  /// True while a count is in progress. Stored, since comparing the count with nil copies it, in every turn.
  private(set) var isCounting = false

  /// True if actions were applied since the size was last estimated.
  var isOutdated: Bool { unseen > 0 }

  /// Records applied actions and their bytes; returns true if the size should be checked.
  mutating func note(_ count: Int, byteCount: Int) -> Bool {
    unseen += count
    unseenBytes += byteCount
    return unseen >= interval || unseenBytes >= byteInterval
  }

  /// Records the size of a delta that was encoded for the log or for subscribers.
  mutating func note(deltaByteCount: Int, from base: UInt64, to version: StateVersion, at revision: UInt64) {
    guard let seen, revision > max(base, seen.revision) else { return }
    adaptInterval(to: deltaByteCount, of: Int(clamping: revision - base))
    guard base <= seen.revision, isFar(deltaByteCount) else { return }
    grow(by: deltaByteCount, deltaByteCount, to: version, at: revision)
  }

  /// Returns true if the state stays far from the limit even if it has grown by the whole delta.
  private func isFar(_ deltaByteCount: Int) -> Bool { estimate + deltaByteCount <= limit / 2 }

  /// Checks the size; returns false if the state has grown beyond the limit.
  ///
  /// - Complexity: O(changes since the last check); O(size) for a small state.
  mutating func look(at version: StateVersion, _ revision: UInt64) -> Bool {
    guard let seen else { return true }
    if countSmall(version, revision) { return true }
    let there = byteCount(from: seen.version, to: version)
    adaptInterval(to: there, of: unseen)
    let back = isFar(there) ? 0 : byteCount(from: version, to: seen.version)
    grow(by: there - back, there + back, to: version, at: revision)
    return there <= back || estimate <= limit
  }

  /// Counts a state that was small and has not grown to more than twice that, far below the limit. Returns false if it
  /// is not of this kind.
  private mutating func countSmall(_ version: StateVersion, _ revision: UInt64) -> Bool {
    let most = 2 * Self.alwaysCounted.byteCount
    guard estimate <= Self.alwaysCounted.byteCount, most <= limit / 2 else { return false }
    let pieces = version.pieces()
    var byteCount = 0
    while let piece = pieces.next(limit: SnapshotPiece.byteLimit) {
      byteCount += piece.count
      guard byteCount <= most else { return false }
    }
    seen = (version, revision)
    (unseen, unseenBytes, uncounted) = (0, 0, 0)
    (estimate, counted, count, isCounting) = (byteCount, byteCount, nil, false)
    interval = min(Self.alwaysCounted.interval, longestInterval)
    return true
  }

  /// Chooses the interval by the size of the delta of some actions.
  private mutating func adaptInterval(to deltaByteCount: Int, of count: Int) {
    let target = target
    interval = min(max(count * target.deltaByteCount / max(deltaByteCount, 1), target.interval), longestInterval)
  }

  /// Checks the size after one action. If the state has grown beyond the limit, returns false and records nothing.
  ///
  /// - Complexity: O(changes since the last check).
  mutating func lookClosely(at version: StateVersion, _ revision: UInt64) -> Bool {
    guard let seen else { return true }
    let there = byteCount(from: seen.version, to: version), back = byteCount(from: version, to: seen.version)
    if there > back, estimate + there - back > limit {
      // Until a count in progress ends, the estimate may be too large.
      finishSmallCount()
      guard estimate + there - back <= limit else { return false }
    }
    grow(by: there - back, there + back, to: version, at: revision)
    return true
  }

  private func byteCount(from base: StateVersion, to version: StateVersion) -> Int {
    var delta = CBOREncoder()
    version.encodeDelta(from: base, to: &delta)
    return delta.count
  }

  private mutating func grow(by growth: Int, _ deltaByteCount: Int, to version: StateVersion, at revision: UInt64) {
    seen = (version, revision)
    (unseen, unseenBytes) = (0, 0)
    estimate = max(estimate + growth, 0)
    uncounted += deltaByteCount
    if isCounting {
      count?.growth += growth
    } else if estimate > limit / 2 - limit / 16 && uncounted > limit / 16 || uncounted > max(2 * counted, 16 << 10) {
      // Near the limit, or because the sum of the bounds says little about the size any more.
      beginCount(of: version)
    }
  }

  private mutating func beginCount(of version: StateVersion) {
    count = Count(pieces: version.pieces())
    isCounting = true
    uncounted = 0
  }

  /// Counts the next piece of the version whose count is in progress.
  mutating func countNextPiece() {
    guard let pieces = count?.pieces else { return }
    if let piece = pieces.next(limit: SnapshotPiece.byteLimit) {
      count?.byteCount += piece.count
    } else if let count {
      estimate = max(count.byteCount + count.growth, 0)
      counted = estimate
      self.count = nil
      isCounting = false
    }
  }
}
