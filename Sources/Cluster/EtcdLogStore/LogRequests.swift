import ClusterCore
import ClusterLog
import EtcdMessages

/// The requests of a log to etcd, and what their answers mean. The keys are those of `LogKey` below a prefix.
nonisolated struct LogRequests {
  let prefix: String

  /// The number of parts that one read brings: at most 8 MiB.
  static let partCount = 8

  func bytes(_ key: LogKey) -> [UInt8] { Array((prefix + key.description).utf8) }

  private func range(_ keys: Range<String>) -> EtcdKeyRange {
    EtcdKeyRange(prefix + keys.lowerBound..<prefix + keys.upperBound)
  }

  /// The entries from a position; `0` follows `/`.
  private func entries(from position: UInt64 = 0) -> EtcdKeyRange { range(LogKey.entry(position).description..<"log0") }

  // MARK: Transactions

  func request(_ transaction: LogTransaction) -> EtcdTransaction {
    var request = EtcdTransaction()
    request.conditions = transaction.conditions.map(condition)
    request.success = transaction.writes.flatMap(operations)
    request.failure = transaction.reads.map(operation)
    return request
  }

  private func condition(_ condition: LogTransaction.Condition) -> EtcdCondition {
    switch condition {
    case .absent(let key): .exists(bytes(key), false)
    case .present(let key): .exists(bytes(key), true)
    case .value(let key, let value): .value(bytes(key), value)
    case .revision(let key, let revision): .revision(bytes(key), Int64(clamping: revision))
    }
  }

  private func operations(_ write: LogTransaction.Write) -> [EtcdOperation] {
    switch write {
    case .put(let key, let value): [.put(EtcdPut(bytes(key), value))]
    case .remove(let key): [.delete(EtcdDelete(EtcdKeyRange(bytes(key))))]
    case .trim(let position):
      [
        .delete(EtcdDelete(range(LogKey.entry(0).description..<LogKey.entry(position).description))),
        .delete(EtcdDelete(range("part/"..<LogKey.part(position: position, process: 0, index: 0).description))),
      ]
    case .cut(let position):
      [
        .delete(EtcdDelete(entries(from: position + 1))),
        .delete(
          EtcdDelete(range(LogKey.part(position: position + 1, process: 0, index: 0).description..<"part0"))),
      ]
    }
  }

  private func operation(_ read: LogTransaction.Read) -> EtcdOperation {
    switch read {
    case .key(let key): .range(EtcdRange(EtcdKeyRange(bytes(key))))
    case .firstEntry: .range(EtcdRange(entries(), limit: 1))
    case .lastEntry: .range(EtcdRange(entries(), limit: 1, order: .descending))
    }
  }

  /// The outcome according to an answer; `unknown` for one that does not fit.
  func outcome(_ transaction: LogTransaction, _ response: EtcdTransactionResponse) -> TransactionOutcome {
    guard let revision = response.header?.revision, revision > 0 else { return .unknown }
    if response.succeeded { return .written(revision: UInt64(revision)) }
    guard response.results.count == transaction.reads.count else { return .unknown }
    var values: [StoredValue?] = []
    for (read, result) in zip(transaction.reads, response.results) {
      guard let found = result.range?.values else { return .unknown }
      guard let first = found.first else {
        values.append(nil)
        continue
      }
      guard let value = value(first) else { return .unknown }
      if case .key(let key) = read, key != value.key { return .unknown }
      values.append(value)
    }
    return .refused(values)
  }

  // MARK: Reads

  /// Reads this many entries, the first one that there is, and the beat, in one revision of the member's own data.
  ///
  /// Etcd sends keys in order without being asked to. If it is asked, it reads the whole range, sorts it, and applies the
  /// limit then: hundreds of MiB for one entry.
  func entriesRequest(from position: UInt64, count: Int) -> EtcdTransaction {
    var request = EtcdTransaction()
    request.success = [
      .range(
        EtcdRange(entries(from: position), limit: Int64(count), isSerializable: true)),
      .range(EtcdRange(entries(), limit: 1, isSerializable: true)),
      .range(EtcdRange(EtcdKeyRange(bytes(.beat)), isSerializable: true)),
    ]
    return request
  }

  func entriesReading(_ response: EtcdTransactionResponse) -> LogReading {
    let found = response.results.map { ($0.range?.values ?? []).compactMap(value) }
    guard response.succeeded, found.count == 3, let revision = response.header?.revision else { return .failed }
    var first: UInt64?
    if case .entry(let position)? = found[1].first?.key { first = position }
    return .entries(found[0], first: first, beat: found[2].first, at: UInt64(clamping: revision))
  }

  func partsRequest(position: UInt64, process: UInt64, from index: Int, count: Int) -> EtcdRange {
    let start = LogKey.part(position: position, process: process, index: index)
    let end = LogKey.part(position: position, process: process, index: min(count, index + Self.partCount))
    return EtcdRange(range(start.description..<end.description), order: .ascending, isSerializable: true)
  }

  /// Reads the registrations of all nodes, in order: through consensus, or from the member's own data.
  func registrationsRequest(isSerializable: Bool = false) -> EtcdRange {
    EtcdRange(range("node/"..<"node0"), isSerializable: isSerializable)
  }

  /// Reads nothing but the id of the store.
  var storeRequest: EtcdRange { EtcdRange(EtcdKeyRange(bytes(.history)), limit: 1, isSerializable: true) }

  // MARK: Values

  /// The keys from the beat to the entries, with the inquiries, and without parts, nodes and replies.
  var watchedKeys: EtcdKeyRange { range("beat"..<"log0") }

  /// A value of the log; nil for a key that is not of the log.
  func value(_ value: EtcdKeyValue) -> StoredValue? {
    guard let key = key(value.key), value.modRevision > 0 else { return nil }
    return StoredValue(key: key, bytes: value.value, revision: UInt64(value.modRevision))
  }

  private func key(_ bytes: [UInt8]) -> LogKey? {
    guard bytes.starts(with: prefix.utf8) else { return nil }
    switch String(decoding: bytes.dropFirst(prefix.utf8.count), as: UTF8.self) {
    case "history": return .history
    case "leader": return .leader
    case "beat": return .beat
    case "inquiry": return .inquiry
    case "reply": return .reply
    case let text where text.hasPrefix("log/"):
      let key = UInt64(text.dropFirst(4), radix: 16).map(LogKey.entry)
      // Another way of writing the number is another key.
      return key?.description == text ? key : nil
    case let text where text.hasPrefix("node/"): return NodeName(String(text.dropFirst(5))).map(LogKey.node)
    default: return nil
    }
  }
}
