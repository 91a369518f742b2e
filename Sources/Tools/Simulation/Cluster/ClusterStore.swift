import ClusterCore
import ClusterLog

/// A store like etcd: keys with revisions, transactions with conditions, one order of changes.
struct ClusterStore {
  struct Content {
    var revision: UInt64 = 1
    var values: [LogKey: StoredValue] = [:]
    /// The positions that the log has.
    var entries: Range<UInt64> = 1..<1
  }

  var content = Content()
  /// What a member that lags behind has.
  var earlier = Content()
  /// The id of the cluster, which a restored backup does not keep.
  var id: UInt64 = 1
  /// The time until which there is no quorum.
  var quorumAt: Int64 = 0
  var isFull = false

  /// Executes a transaction; returns the keys that it has put.
  mutating func execute(_ transaction: LogTransaction) -> (TransactionOutcome, puts: [StoredValue]) {
    if isFull, transaction.writes.contains(where: { if case .put = $0 { true } else { false } }) { return (.full, []) }
    guard transaction.conditions.allSatisfy(holds) else { return (.refused(transaction.reads.map(value)), []) }
    content.revision += 1
    var puts: [StoredValue] = []
    for write in transaction.writes {
      switch write {
      case .put(let key, let bytes):
        let value = StoredValue(key: key, bytes: bytes, revision: content.revision)
        content.values[key] = value
        puts.append(value)
        if case .entry(let position) = key {
          content.entries = min(content.entries.lowerBound, position)..<max(content.entries.upperBound, position + 1)
        }
      case .trim(let position):
        for old in content.entries where old < position { content.values[.entry(old)] = nil }
        content.entries =
          min(max(content.entries.lowerBound, position), content.entries.upperBound)..<content.entries.upperBound
        for case .part(let old, let process, let index) in content.values.keys where old < position {
          content.values[.part(position: old, process: process, index: index)] = nil
        }
      }
    }
    return (.written(revision: content.revision), puts)
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
        entries, first: content.entries.isEmpty ? nil : content.entries.lowerBound, beat: content.values[.beat])
    case .parts(let position, let process, let count):
      return .parts(
        (0..<count).compactMap { content.values[.part(position: position, process: process, index: $0)]?.bytes })
    }
  }
}
