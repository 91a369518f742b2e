/// When a leader compacts the store.
///
/// Removed and replaced values take space until a compaction, also those of an idle leader's beats. A window is a number
/// of writes of this leader, or of their bytes; when one has passed, everything before it is compacted. So a watch may be
/// late by a whole window, and uncompacted values take the space of two.
///
/// Only the leader's own writes count. The leaders of several logs in one etcd compact it in turn then, each for what it
/// has written, and all of them together no more often than one of them would.
struct CompactionWindow {
  private let writeLimit: UInt64
  private let byteLimit: Int
  /// The revision at which the window began; nil before the first write.
  private var start: UInt64?
  private var (writes, bytes) = (UInt64(0), 0)

  init(writes: UInt64, bytes: Int) { (writeLimit, byteLimit) = (writes, bytes) }

  /// Notes a write.
  /// - Returns: The revision to compact up to, if the window has passed.
  mutating func note(revision: UInt64, bytes count: Int) -> UInt64? {
    writes += 1
    bytes += count
    guard let start, start <= revision else {
      // The first write, or a store that was restored.
      begin(at: revision)
      return nil
    }
    guard writes >= writeLimit || bytes >= byteLimit else { return nil }
    begin(at: revision)
    return start
  }

  private mutating func begin(at revision: UInt64) { (start, writes, bytes) = (revision, 0, 0) }
}
