import ClusterLog
import Wire

/// Removing entries that the journals have, and compacting the store.
extension ClusterCore {
  /// Removes what the log no longer needs, beside the appends: also a busy leader removes entries, and one whose appends
  /// fail because the store is full. A removal is not repeated, because a later one does the same.
  mutating func removeEntries() {
    guard case .leader(let leader) = role, aside == nil, now >= removeAt,
      let first = trimPlan.firstKept(isFull: fullSince != nil)
    else { return }
    transactAside(
      .trim(before: first, of: leader.leadership), for: .removal(before: first, leader.leadership))
  }

  mutating func removed(before position: UInt64, _ revision: UInt64) {
    lastRevision = max(lastRevision, revision)
    trimPlan.removed(before: position)
    // Otherwise the window compacts: a watch that is late, also one of another log in the same store, gets what it needs.
    if fullSince != nil { compact() }
  }

  mutating func removalRefused(before position: UInt64, _ leadership: Leadership, _ values: [StoredValue?]) {
    guard case .leader(let leader) = role, leader.leadership == leadership else { return }
    func value(_ read: LogTransaction.TrimReads) -> StoredValue? { values[read.rawValue] }
    if value(.leader)?.bytes == leadership.encoded(), let first = value(.first).flatMap(Self.position), first > position
    {
      // An earlier leader has removed more.
      return trimPlan.removed(before: first)
    }
    // Either another node leads, or the log is not the one that the journals have.
    proveAgain()
  }

  /// The store is full: without a compaction, it keeps what was removed.
  mutating func makeRoom() {
    if fullSince == nil { fullSince = now }
    removeEntries()
    compact()
  }

  /// A leader has written. Its entries that were removed, and its earlier beats, would otherwise fill the store.
  mutating func noteWritten(_ byteCount: Int) {
    guard options.compacts, let revision = window.note(revision: lastRevision, bytes: byteCount) else { return }
    emit(.compact(revision, in: store))
  }

  private mutating func compact() {
    guard options.compacts, lastRevision > 0 else { return }
    emit(.compact(lastRevision, in: store))
  }
}
