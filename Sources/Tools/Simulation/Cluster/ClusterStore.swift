import ClusterCore
import ClusterLog

/// A store like etcd: keys with revisions, transactions with conditions, one order of changes.
struct ClusterStore {
  struct Content {
    var revision: UInt64 = 1
    var values: [LogKey: StoredValue] = [:]
    /// The positions that the log has.
    var entries: Range<UInt64> = 1..<1
    /// The bytes of the values, and of those that only earlier revisions have.
    var liveBytes = 0
    var oldBytes = 0

    mutating func put(_ key: LogKey, _ bytes: [UInt8]) -> StoredValue {
      let value = StoredValue(key: key, bytes: bytes, revision: revision)
      remove(key)
      values[key] = value
      liveBytes += bytes.count
      return value
    }

    mutating func remove(_ key: LogKey) {
      guard let old = values.removeValue(forKey: key) else { return }
      liveBytes -= old.bytes.count
      oldBytes += old.bytes.count
    }
  }

  var content = Content()
  /// What a member that lags behind has.
  var earlier = Content()
  /// The id of the cluster, which a restored backup does not keep.
  var id: UInt64 = 1
  /// The time until which there is no quorum.
  var quorumAt: Int64 = 0
  /// The greatest number of bytes; nil if there is none.
  var limit: Int?
  /// True once a transaction was beyond the limit, until there is room again.
  var isFull = false

  /// Executes a transaction; returns the keys that it has put.
  mutating func execute(_ transaction: LogTransaction) -> (TransactionOutcome, puts: [StoredValue]) {
    let size = transaction.writes.reduce(0) { if case .put(_, let bytes) = $1 { $0 + bytes.count } else { $0 } }
    if let limit, content.liveBytes + content.oldBytes + size > limit { isFull = isFull || size > 0 }
    if isFull, size > 0 { return (.full, []) }
    guard transaction.conditions.allSatisfy(holds) else { return (.refused(transaction.reads.map(value)), []) }
    content.revision += 1
    var puts: [StoredValue] = []
    for write in transaction.writes {
      switch write {
      case .put(let key, let bytes):
        puts.append(content.put(key, bytes))
        if case .entry(let position) = key {
          content.entries = min(content.entries.lowerBound, position)..<max(content.entries.upperBound, position + 1)
        }
      case .remove(let key): content.remove(key)
      case .cut(let position):
        for old in content.entries where old > position { content.remove(.entry(old)) }
        content.entries =
          min(content.entries.lowerBound, position + 1)..<min(content.entries.upperBound, position + 1)
        for case .part(let old, let process, let index) in content.values.keys where old > position {
          content.remove(.part(position: old, process: process, index: index))
        }
      case .trim(let position):
        for old in content.entries where old < position { content.remove(.entry(old)) }
        content.entries =
          min(max(content.entries.lowerBound, position), content.entries.upperBound)..<content.entries.upperBound
        for case .part(let old, let process, let index) in content.values.keys where old < position {
          content.remove(.part(position: old, process: process, index: index))
        }
      }
    }
    return (.written(revision: content.revision), puts)
  }

  /// Forgets earlier revisions. Those that were written since the command was sent do not matter here.
  mutating func compact() {
    content.oldBytes = 0
    if let limit, content.liveBytes < limit * 9 / 10 { isFull = false }
  }

  private func holds(_ condition: LogTransaction.Condition) -> Bool {
    switch condition {
    case .absent(let key): content.values[key] == nil
    case .present(let key): content.values[key] != nil
    case .value(let key, let bytes): content.values[key]?.bytes == bytes
    case .revision(let key, let revision): content.values[key]?.revision == revision
    }
  }

  private func value(_ read: LogTransaction.Read) -> StoredValue? {
    switch read {
    case .key(let key): content.values[key]
    case .firstEntry: content.entries.isEmpty ? nil : content.values[.entry(content.entries.lowerBound)]
    case .lastEntry: content.entries.isEmpty ? nil : content.values[.entry(content.entries.upperBound - 1)]
    }
  }

  /// Reads, from a member that may be behind.
  func read(_ read: LogRead, isStale: Bool) -> LogReading {
    let content = isStale ? earlier : content
    switch read {
    case .entries(let position):
      let start = max(position, content.entries.lowerBound)
      let end = min(content.entries.upperBound, start + 20)
      let entries = start < end ? (start..<end).compactMap { content.values[.entry($0)] } : []
      return .entries(
        entries, first: content.entries.isEmpty ? nil : content.entries.lowerBound, beat: content.values[.beat],
        at: content.revision)
    case .parts(let position, let process, let count):
      return .parts(
        (0..<count).compactMap { content.values[.part(position: position, process: process, index: $0)]?.bytes })
    case .registration(let node): return .registration(content.values[.node(node)])
    }
  }
}
