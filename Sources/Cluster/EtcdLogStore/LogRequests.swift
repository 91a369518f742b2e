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

  /// The entries up to a position, from another one on.
  private func entries(from position: UInt64 = 0, upTo end: UInt64) -> EtcdKeyRange {
    end < .max ? range(LogKey.entry(position).description..<LogKey.entry(end + 1).description) : entries(from: position)
  }

  // MARK: Transactions

  /// What is known of the positions of the first and the last entry, for requests that read them.
  ///
  /// Etcd sorts all entries to find the last one, with their values, and walks over all keys of a range whatever its limit
  /// is. So a request looks near the places that the one before it has told.
  enum Ends: Equatable {
    /// Nothing: the request counts the entries, and `answer` tells the places.
    case unknown
    /// The first entry is not after the one position, and the last one not before the other.
    case near(first: UInt64, last: UInt64)
    /// Those were mistakes: entries have gone since, or another program's keys were counted.
    case anywhere
  }

  /// The request for a transaction.
  func request(_ transaction: LogTransaction, ends: Ends = .unknown) -> EtcdTransaction {
    var request = EtcdTransaction()
    request.conditions = transaction.conditions.map(condition)
    request.success = transaction.writes.flatMap(operations)
    // A request that counts the entries finds the first one by that.
    let counts = ends == .unknown && transaction.reads.contains(.lastEntry)
    request.failure = transaction.reads.map { operation(counts && $0 == .firstEntry ? .key(.entry(0)) : $0, ends) }
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

  private func operation(_ read: LogTransaction.Read, _ ends: Ends) -> EtcdOperation {
    switch (read, ends) {
    case (.key(let key), _): .range(EtcdRange(EtcdKeyRange(bytes(key))))
    case (.firstEntry, .near(let first, _)): .range(EtcdRange(entries(upTo: first), limit: 1))
    case (.lastEntry, .near(_, let last)): .range(EtcdRange(entries(from: last), limit: 1, order: .descending))
    case (.lastEntry, .anywhere): .range(EtcdRange(entries(), limit: 1, order: .descending))
    case (.firstEntry, _), (.lastEntry, .unknown): .range(EtcdRange(entries(), limit: 1))
    }
  }

  /// What an answer says of the log.
  enum Answer: Equatable {
    case outcome(TransactionOutcome)
    /// Nothing was written, and the last entry is still to be read: repeat the transaction with this.
    case repeated(Ends)
  }

  /// The meaning of an answer to `request`; the outcome is `unknown` for one that does not fit.
  func answer(
    _ transaction: LogTransaction, ends: Ends = .unknown, _ response: EtcdTransactionResponse
  ) -> Answer {
    guard let revision = response.header?.revision, revision > 0 else { return .outcome(.unknown) }
    if response.succeeded { return .outcome(.written(revision: UInt64(revision))) }
    guard response.results.count == transaction.reads.count else { return .outcome(.unknown) }
    var values: [StoredValue?] = []
    for (read, result) in zip(transaction.reads, response.results) {
      guard let range = result.range else { return .outcome(.unknown) }
      guard let found = range.values.first else {
        if case .near = ends, read == .firstEntry || read == .lastEntry { return .repeated(.anywhere) }
        values.append(nil)
        continue
      }
      guard let value = value(found) else { return .outcome(.unknown) }
      if case .key(let key) = read, key != value.key { return .outcome(.unknown) }
      if read == .lastEntry, ends == .unknown, range.count > 1 {
        guard case .entry(let first) = value.key else { return .outcome(.unknown) }
        // So many entries end no earlier, and not later unless some are missing.
        let last = first.addingReportingOverflow(UInt64(range.count - 1))
        return .repeated(last.overflow ? .anywhere : .near(first: first, last: last.partialValue))
      }
      values.append(value)
    }
    if ends == .unknown, let last = transaction.reads.firstIndex(of: .lastEntry) {
      for (index, read) in transaction.reads.enumerated() where read == .firstEntry { values[index] = values[last] }
    }
    return .outcome(.refused(values))
  }

  // MARK: Reads

  /// A read of entries.
  struct EntriesRead: Equatable {
    /// The position of the first one, and their number at most.
    var position: UInt64
    var count: Int
    /// A position that the first entry of the log was not after; nil if none is known.
    var first: UInt64?
    /// True to look no further than entries in a row would be.
    var isBounded: Bool
  }

  /// Reads entries, the first one that there is, and the beat, in one revision of the member's own data.
  ///
  /// Etcd sends keys in order without being asked to. If it is asked, it reads the whole range, sorts it, and applies the
  /// limit then: hundreds of MiB for one entry. And it walks over all keys of the range in any case, which takes 0.06 s
  /// for half a million. So the ranges are as small as they can be.
  func entriesRequest(_ read: EntriesRead) -> EtcdTransaction {
    let last = read.position.addingReportingOverflow(UInt64(max(read.count, 1)) - 1)
    let range =
      read.isBounded && !last.overflow
      ? entries(from: read.position, upTo: last.partialValue) : entries(from: read.position)
    var request = EtcdTransaction()
    request.success = [
      .range(EtcdRange(range, limit: Int64(read.count), isSerializable: true)),
      .range(EtcdRange(read.first.map { entries(upTo: $0) } ?? entries(), limit: 1, isSerializable: true)),
      .range(EtcdRange(EtcdKeyRange(bytes(.beat)), isSerializable: true)),
    ]
    return request
  }

  /// The meaning of an answer to a read of entries.
  ///
  /// - Returns: The result; and the read that is to be made in its place, if there is nothing where it has looked.
  func entriesReading(_ read: EntriesRead, _ response: EtcdTransactionResponse) -> (LogReading, again: EntriesRead?) {
    let found = response.results.map { ($0.range?.values ?? []).compactMap(value) }
    guard response.succeeded, found.count == 3, let revision = response.header?.revision else { return (.failed, nil) }
    var (first, again): (UInt64?, EntriesRead) = (nil, read)
    if case .entry(let position)? = found[1].first?.key { first = position }
    if first == nil { again.first = nil }
    if found[0].isEmpty { again.isBounded = false }
    return (
      .entries(found[0], first: first, beat: found[2].first, at: UInt64(clamping: revision)),
      again == read ? nil : again
    )
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
