import Wire

/// A transaction of the store: if all conditions hold, it writes; otherwise it reads. Both pass through consensus, which
/// is why the outcome decides, and a plain read does not.
package struct LogTransaction: Equatable, Sendable {
  /// A condition on a key.
  package enum Condition: Hashable, Sendable {
    case absent(LogKey)
    case present(LogKey)
    case value(LogKey, [UInt8])
    /// The revision of the key's last change.
    case revision(LogKey, UInt64)
  }

  /// A change.
  package enum Write: Hashable, Sendable {
    case put(LogKey, [UInt8])
    case remove(LogKey)
    /// Removes the entries before a position, and the parts of them.
    case trim(before: UInt64)
    /// Removes the entries after a position, and the parts of them. No hub does: an operator gives up what cannot be read.
    case cut(after: UInt64)
  }

  /// The keys that are read if a condition does not hold.
  package enum Read: Hashable, Sendable {
    case key(LogKey)
    /// The entry with the lowest position.
    case firstEntry
    /// The entry with the highest position.
    case lastEntry
  }

  package var conditions: [Condition]
  package var writes: [Write]
  package var reads: [Read]

  /// Creates a transaction.
  package init(if conditions: [Condition], then writes: [Write], else reads: [Read]) {
    (self.conditions, self.writes, self.reads) = (conditions, writes, reads)
  }

  /// The bytes of the values that it writes.
  package var byteCount: Int { writes.reduce(0) { if case .put(_, let bytes) = $1 { $0 + bytes.count } else { $0 } } }
}

/// A value in the store.
package struct StoredValue: Equatable, Sendable {
  package let key: LogKey
  package let bytes: [UInt8]
  /// The revision of the key's last change.
  package let revision: UInt64

  /// Creates a value.
  package init(key: LogKey, bytes: [UInt8], revision: UInt64) {
    (self.key, self.bytes, self.revision) = (key, bytes, revision)
  }
}

/// The outcome of a transaction.
package enum TransactionOutcome: Equatable, Sendable {
  /// The conditions held, and everything was written, in this revision of the store.
  case written(revision: UInt64)
  /// A condition did not hold; the values that were read, in the order of `reads`, or nil for those that are absent.
  case refused([StoredValue?])
  /// There is no answer. The transaction may have taken effect, or may still do so; only repeating it tells.
  case unknown
  /// The store is full, and this attempt has no effect. Transactions that only remove something are not refused so.
  case full
  /// The store that answers is another one than that for which the transaction is, which was not sent.
  case elsewhere
}

// MARK: - The transactions of the log

extension LogTransaction {
  /// What `append` and `claim` read: the leader, the entry at the position, and the one before.
  package enum AppendReads: Int { case leader, entry, last }

  /// Appends an entry, as the leader whose leadership it names.
  package static func append(_ encoded: EncodedEntry) -> LogTransaction {
    let entry = encoded.entry
    var conditions: [Condition] = [
      .value(.leader, entry.leader.encoded()), .absent(.entry(entry.position)), .present(.entry(entry.position - 1)),
    ]
    if case .parts(_, let turn) = entry.content {
      // A store that was restored since may lack them. They were written in order.
      conditions.append(
        .present(.part(position: entry.position, process: entry.leader.process, index: turn.count - 1)))
    }
    return LogTransaction(
      if: conditions,
      then: [.put(.entry(entry.position), encoded.bytes)],
      else: [.key(.leader), .key(.entry(entry.position)), .key(.entry(entry.position - 1))])
  }

  /// What `claim` reads.
  package enum ClaimReads: Int { case leader, entry, last, beat, history, node }

  /// Takes the leadership and appends the opening entry of the term, in one step. So a new leader has the whole log.
  ///
  /// - Parameters:
  ///   - opening: The opening entry, of the new leader.
  ///   - registration: The registration of the node, which no other process has replaced.
  ///   - leader: The leadership that the entry ends.
  ///   - beat: The revision of the last beat that the node has seen, so that no sign of life is overlooked.
  ///   - history: The history.
  ///   - begins: True if there is no history yet.
  package static func claim(
    _ opening: EncodedEntry, as registration: NodeRegistration, from leader: Leadership?, beat: UInt64?,
    history: LogHistory, begins: Bool
  ) -> LogTransaction {
    let (position, node) = (opening.entry.position, LogKey.node(opening.entry.leader.node))
    var conditions: [Condition] = [
      leader.map { .value(.leader, $0.encoded()) } ?? .absent(.leader), .absent(.entry(position)),
      beat.map { .revision(.beat, $0) } ?? .absent(.beat),
      begins ? .absent(.history) : .value(.history, history.encoded()), .value(node, registration.encoded()),
    ]
    if position > 1 { conditions.append(.present(.entry(position - 1))) }
    var writes: [Write] = [
      .put(.leader, opening.entry.leader.encoded()), .put(.entry(position), opening.bytes),
    ]
    if begins { writes.append(.put(.history, history.encoded())) }
    return LogTransaction(
      if: conditions, then: writes,
      else: [
        .key(.leader), .key(.entry(position)), .key(.entry(position - 1)), .key(.beat), .key(.history), .key(node),
      ])
  }

  /// Shows that the leader lives and still leads.
  package static func beat(_ count: UInt64, of leader: Leadership) -> LogTransaction {
    var encoder = CBOREncoder()
    encoder.unsigned(count)
    return LogTransaction(
      if: [.value(.leader, leader.encoded())], then: [.put(.beat, encoder.bytes)], else: [.key(.leader)])
  }

  /// Writes a part of a turn that is too large for an entry.
  package static func part(_ bytes: [UInt8], index: Int, position: UInt64, of leader: Leadership) -> LogTransaction {
    LogTransaction(
      if: [.value(.leader, leader.encoded())],
      then: [.put(.part(position: position, process: leader.process, index: index), bytes)], else: [.key(.leader)])
  }

  /// What `trim` reads.
  package enum TrimReads: Int { case leader, first }

  /// Removes entries that a majority of the journals has, if the log goes on with the entry at the position.
  package static func trim(before position: UInt64, of leader: Leadership) -> LogTransaction {
    LogTransaction(
      if: [.value(.leader, leader.encoded()), .present(.entry(position))], then: [.trim(before: position)],
      else: [.key(.leader), .firstEntry])
  }

  /// What `prove` reads.
  package enum ProofReads: Int { case history, entry, first, last, node }

  /// Proves that a journal belongs to the log: its last entry is that of the log, in the same history. It registers the
  /// process, so that it passes through consensus.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - registration: The registration of the process.
  ///   - replaced: The value of the node's key that the registration replaces; nil if there is none.
  ///   - last: The last entry of the journal; nil if it is empty.
  ///   - history: The history of the journal; nil if it has none.
  package static func prove(
    _ node: NodeName, as registration: NodeRegistration, replacing replaced: [UInt8]?, last: EncodedEntry?,
    history: LogHistory?
  ) -> LogTransaction {
    var conditions: [Condition] = [history.map { .value(.history, $0.encoded()) } ?? .absent(.history)]
    if let last { conditions.append(.value(.entry(last.entry.position), last.bytes)) }
    conditions.append(replaced.map { .value(.node(node), $0) } ?? .absent(.node(node)))
    return LogTransaction(
      if: conditions, then: [.put(.node(node), registration.encoded())],
      else: [
        .key(.history), .key(.entry(max(last?.entry.position ?? 0, 1))), .firstEntry, .lastEntry, .key(.node(node)),
      ])
  }

  /// Registers a process: one that another has replaced, or one that cannot prove its journal yet. Or removes a node, by
  /// `NodeRegistration.removal`.
  package static func register(
    _ node: NodeName, as registration: NodeRegistration, replacing replaced: [UInt8]?
  ) -> LogTransaction {
    LogTransaction(
      if: [replaced.map { .value(.node(node), $0) } ?? .absent(.node(node))],
      then: [.put(.node(node), registration.encoded())], else: [.key(.node(node))])
  }

  /// The reads of `nodeInspection`, in their order.
  package enum NodeReads: Int { case leader, node }

  /// Reads which node leads, and the registration of a node, through consensus: its conditions never hold.
  package static func nodeInspection(of node: NodeName) -> LogTransaction {
    LogTransaction(
      if: [.absent(.history), .present(.history)], then: [], else: [.key(.leader), .key(.node(node))])
  }

  /// Takes a removed node back: it has no registration then.
  package static func readmit(_ node: NodeName, replacing removal: [UInt8]) -> LogTransaction {
    LogTransaction(if: [.value(.node(node), removal)], then: [.remove(.node(node))], else: [.key(.node(node))])
  }
}
