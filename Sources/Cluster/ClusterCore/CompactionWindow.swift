/// When a leader compacts the store.
///
/// Removed and replaced values take space until a compaction, also those of an idle leader's beats. A window is a number
/// of revisions or of written bytes; when one has passed, everything before it is compacted. So a watch may be late by a
/// whole window, and uncompacted values take the space of two.
struct CompactionWindow {
  private let revisionCount: UInt64
  private let byteCount: Int
  /// The revision at which the window began; nil before the first write.
  private var start: UInt64?
  private var written = 0

  init(revisions: UInt64, bytes: Int) { (revisionCount, byteCount) = (revisions, bytes) }

  /// Notes a write.
  /// - Returns: The revision to compact up to, if the window has passed.
  mutating func note(revision: UInt64, bytes: Int) -> UInt64? {
    written += bytes
    guard let start, start <= revision else {
      // The first write, or a store that was restored.
      (self.start, written) = (revision, 0)
      return nil
    }
    guard revision - start >= revisionCount || written >= byteCount else { return nil }
    (self.start, written) = (revision, 0)
    return start
  }
}
