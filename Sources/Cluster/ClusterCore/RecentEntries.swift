import ClusterLog

/// The last entries that a node has applied, for the relays that follow it. Relays that are further behind get entries
/// from the store, or a snapshot.
struct RecentEntries {
  private var entries: [(entry: EncodedEntry, parts: [[UInt8]])] = []
  /// The number of entries at the beginning of the array that were dropped.
  private var droppedCount = 0
  private var byteCount = 0
  private let byteLimit: Int

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  /// The entry at a position.
  subscript(position: UInt64) -> (entry: EncodedEntry, parts: [[UInt8]])? {
    guard let first, position >= first, position - first < UInt64(entries.count - droppedCount) else { return nil }
    return entries[droppedCount + Int(position - first)]
  }

  /// The position of the first entry that is kept.
  private var first: UInt64? { droppedCount < entries.count ? entries[droppedCount].entry.entry.position : nil }

  /// Adds the next entry. After a gap, the earlier ones are forgotten. The last one is kept, however large it is.
  mutating func append(_ entry: EncodedEntry, parts: [[UInt8]]) {
    if let last = entries.last, last.entry.entry.position + 1 != entry.entry.position { removeAll() }
    entries.append((entry, parts))
    byteCount += Self.size(entry, parts)
    while byteCount > byteLimit, droppedCount < entries.count - 1 {
      byteCount -= Self.size(entries[droppedCount].entry, entries[droppedCount].parts)
      // The bytes are released at once, and the places of the array when half of it is empty.
      entries[droppedCount].parts = []
      droppedCount += 1
    }
    guard droppedCount > 64, droppedCount > entries.count / 2 else { return }
    entries.removeFirst(droppedCount)
    droppedCount = 0
  }

  mutating func removeAll() { (entries, droppedCount, byteCount) = ([], 0, 0) }

  static func size(_ entry: EncodedEntry, _ parts: [[UInt8]]) -> Int {
    parts.reduce(entry.bytes.count) { $0 + $1.count }
  }
}
