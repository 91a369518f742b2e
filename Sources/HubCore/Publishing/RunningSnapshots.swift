import FeatureCore
import Wire

/// The snapshots of a publisher that subscribers are reading.
///
/// Each holds the version of its revision, so that its readers can get a delta after the last piece.
struct RunningSnapshots {
  /// A piece of a snapshot in a turn's output.
  struct Piece {
    /// The place of its first byte in the whole snapshot.
    let offset: UInt64
    /// Its bytes in the output.
    let range: Range<Int>
    let isLast: Bool
  }

  private var snapshots: [Snapshot?] = []
  private var count = 0
  /// This turn's pieces in the output.
  private var pieces: [(snapshot: Int, index: Int, piece: Piece)] = []
  private let limits: HubLimits

  init(_ limits: HubLimits) {
    self.limits = limits
  }

  /// Discards references to the output, which the shell has sent.
  mutating func clear() {
    if !pieces.isEmpty { pieces.removeAll(keepingCapacity: true) }
  }

  /// Adds a reader to a snapshot of a place that can still be read from its beginning; nil if there is none.
  ///
  /// A snapshot that the subscriber has already read is of no use: it would be sent again for as long as others read
  /// it, which may wait for the same budget.
  mutating func join(
    _ node: Int, beyond sent: UInt64, at revision: UInt64, _ versions: inout Versions
  ) -> Int? {
    for index in snapshots.indices {
      guard let running = snapshots[index], running.node == node, running.isWhole,
        running.revision > sent || running.revision == revision, versions.hold(running.revision)
      else { continue }
      snapshots[index]?.readers += 1
      return index
    }
    return nil
  }

  /// Begins a snapshot of a place in a kept version, with one reader.
  mutating func begin(
    of part: any Replicated, node: Int, at revision: UInt64, _ versions: inout Versions, _ now: Duration
  ) -> Int {
    let index = snapshots.firstIndex { $0 == nil } ?? snapshots.count
    if index == snapshots.count { snapshots.append(nil) }
    snapshots[index] = Snapshot(of: part, node: node, revision: revision, pieceLimit: limits.snapshotPieces, at: now)
    snapshots[index]?.readers = 1
    count += 1
    versions.hold(revision)
    discardExcess(versions, at: now)
    return index
  }

  /// The revision of a snapshot.
  func revision(of snapshot: Int) -> UInt64? { snapshots[snapshot]?.revision }

  /// Returns a piece, which several subscribers of a turn share; nil if it was dropped.
  mutating func piece(_ index: Int, of snapshot: Int, _ out: inout Outgoing) -> Piece? {
    if let known = pieces.first(where: { $0.snapshot == snapshot && $0.index == index }) { return known.piece }
    guard let encoded = snapshots[snapshot]?.piece(index, limit: out.pieceLimit, at: out.now) else { return nil }
    let range = out.writer.part { $0.append(encoded.bytes.span.bytes) }
    let piece = Piece(offset: encoded.offset, range: range, isLast: encoded.isLast)
    pieces.append((snapshot, index, piece))
    return piece
  }

  /// Removes a reader; the last one ends the snapshot.
  mutating func stopReading(_ index: Int, _ versions: inout Versions) {
    guard let snapshot = snapshots[index] else { return }
    versions.release(snapshot.revision)
    snapshots[index]?.readers -= 1
    guard snapshot.readers == 1 else { return }
    snapshots[index] = nil
    count -= 1
    pieces.removeAll { $0.snapshot == index }
  }

  /// Discards snapshots whose readers have stalled if the running ones keep too much: the pieces of all of them, or the
  /// states of those whose version is not kept any more. Stalled readers start again when they go on.
  ///
  /// One that is being read is never discarded: readers that take turns would otherwise never come to an end.
  mutating func discardExcess(_ versions: borrowing Versions, at now: Duration) {
    guard count > 0 else { return }
    while let index = excessive(versions, at: now) { snapshots[index]?.discard() }
  }

  /// The revisions that only snapshots keep.
  func extraStates(_ versions: borrowing Versions) -> Set<UInt64> {
    var revisions: Set<UInt64> = []
    for case let snapshot? in snapshots where !snapshot.isDiscarded && versions[snapshot.revision] == nil {
      revisions.insert(snapshot.revision)
    }
    return revisions
  }

  private func excessive(_ versions: borrowing Versions, at now: Duration) -> Int? {
    let extraStates = extraStates(versions)
    var byteCount = 0
    var stalled: (index: Int, lastRead: Duration)?, stalledExtra = stalled
    for index in snapshots.indices {
      guard let snapshot = snapshots[index], !snapshot.isDiscarded else { continue }
      byteCount += snapshot.keptByteCount
      guard now - snapshot.lastRead >= limits.snapshotTimeout else { continue }
      if snapshot.lastRead < stalled?.lastRead ?? now { stalled = (index, snapshot.lastRead) }
      if extraStates.contains(snapshot.revision), snapshot.lastRead < stalledExtra?.lastRead ?? now {
        stalledExtra = (index, snapshot.lastRead)
      }
    }
    if extraStates.count > limits.extraSnapshotStates, let stalledExtra { return stalledExtra.index }
    return byteCount > limits.versionBytes ? stalled?.index : nil
  }
}
