package import Wire

/// The part of a log that a store has, for an operator who continues the log with the journal of a node.
///
/// A log that begins after entry 1 looks like one whose first entries were removed. So a node that has not what is before
/// asks for a copy, and needs no other rules.
package struct StoredLog: Equatable, Sendable {
  /// The id of the store's cluster.
  package let store: UInt64
  /// The name of the log; nil if it has none, or one that cannot be read.
  package let history: LogHistory?
  /// Those of the keys `history` and `leader` that have bytes which no hub has written.
  package let damagedKeys: [LogKey]
  /// The first and the last entry.
  package let positions: ClosedRange<UInt64>?
  private let leader: Leadership?
  /// True if the key `leader` is absent or cannot be read.
  private let isWithoutLeader: Bool
  private let entry: StoredValue?
  /// That nothing has changed since.
  private let conditions: [LogTransaction.Condition]

  /// Takes the values that `LogTransaction.inspection` has read at a position.
  package init(_ values: [StoredValue?], at position: UInt64, in store: UInt64) {
    func value(_ read: LogTransaction.InspectionReads) -> StoredValue? { values[read.rawValue] }
    func number(_ value: StoredValue?) -> UInt64? {
      if case .entry(let position)? = value?.key { position } else { nil }
    }
    self.store = store
    entry = value(.entry)
    history = value(.history).flatMap { try? LogHistory(decoding: $0.bytes.span.bytes) }
    let found = value(.leader).flatMap { try? Leadership(decoding: $0.bytes.span.bytes) }
    var damaged: [LogKey] = []
    if history == nil, value(.history) != nil { damaged.append(.history) }
    if found == nil, value(.leader) != nil { damaged.append(.leader) }
    damagedKeys = damaged
    // The leader of the last entry is the one that the key had: both are written in one transaction.
    leader = found ?? value(.last).flatMap { try? EncodedEntry(decoding: $0.bytes) }?.entry.leader
    isWithoutLeader = found == nil
    let ends = (number(value(.first)), number(value(.last)))
    if let first = ends.0, let last = ends.1, first <= last { positions = first...last } else { positions = nil }
    var unchanged: [LogTransaction.Condition] = []
    for (key, read) in [(LogKey.history, LogTransaction.InspectionReads.history), (.leader, .leader), (.beat, .beat)] {
      let found = value(read)
      unchanged.append(found.map { .revision(key, $0.revision) } ?? .absent(key))
    }
    if let last = value(.last), let end = positions?.upperBound {
      // Not its bytes, which may fill half a transaction.
      unchanged.append(.revision(last.key, last.revision))
      // No hub writes the key of the last number, but anybody may who can write into the store.
      if end < .max { unchanged.append(.absent(.entry(end + 1))) }
    } else {
      unchanged.append(.absent(.entry(position)))
    }
    conditions = unchanged
  }

  /// How the log can be continued with a journal.
  package enum Restoration: Equatable, Sendable {
    /// The journal belongs to the log, which goes on without the operator.
    case needless
    /// The log has the journal's last entry, and goes on up to this one when the key `leader` has the leadership of that.
    case mended(last: UInt64)
    /// The log has the journal's last entry, and goes on up to this one under a new name.
    case renamed(last: UInt64)
    /// The log has the journal's last entry, and goes on under a new name up to the last entry that can be read. It loses
    /// the later ones.
    case cutOff(LogTail.Damage, last: UInt64)
    /// The log begins again with the journal's last entry. The store loses what it has.
    case begunAgain
    /// The log ends later than the journal, or with another entry at the same place, and has not the journal's last one.
    case endsLater(UInt64)
    /// The log is not the one that the journal has left: it was begun again with another journal, or is another cluster's.
    case otherLog
    /// The name of the log cannot be read, and the log does not have the journal's last entry. So nothing tells that it is
    /// the one that the journal has left.
    case nameless
    /// The log has lost the journal's end, and another hub has led since: what that has acknowledged is in no journal that
    /// ends like this one.
    case ledSince(Leadership)
  }

  /// Returns how the log can be continued with a journal that ends at the position of the inspection.
  ///
  /// - Parameters:
  ///   - journal: The end of the journal.
  ///   - tail: The entries after it, which were read up to their end if `isContinued(by: journal)`.
  package func restoration(with journal: JournalPlace, tail: LogTail) -> Restoration {
    let last = positions?.upperBound ?? 0
    if isContinued(by: journal) {
      if let damage = tail.damage { return .cutOff(damage, last: tail.point.position) }
      guard history?.store == store else { return .renamed(last: last) }
      return isWithoutLeader ? .mended(last: last) : .needless
    }
    if damagedKeys.contains(.history), positions != nil { return .nameless }
    if let history, history.id != journal.history.id { return .otherLog }
    let own = journal.last.entry.leader
    let isLedSince = leader.map { $0.term > own.term || $0.term == own.term && $0 != own } ?? false
    // The journal's last entry is there, but damaged: no other one has taken its place.
    let isDamaged = last == journal.position && entry.map { (try? EncodedEntry(decoding: $0.bytes)) == nil } ?? false
    guard last < journal.position || isDamaged && !isLedSince else { return .endsLater(last) }
    if isLedSince, let leader { return .ledSince(leader) }
    return .begunAgain
  }

  /// True if the log has the journal's last entry.
  package func isContinued(by journal: JournalPlace) -> Bool {
    entry?.key == .entry(journal.position) && entry?.bytes == journal.last.bytes
  }

  /// Writes the leadership of the last entry again, if nothing has changed. Whether its process still runs does not matter:
  /// no other one has led since.
  package func mending(_ tail: LogTail) -> LogTransaction {
    LogTransaction(
      if: conditions, then: [.put(.leader, tail.last.entry.leader.encoded())], else: [.key(.leader)])
  }

  /// Gives the log another name, if nothing has changed, and mends the key `leader` as well.
  package func renaming(to history: LogHistory, _ tail: LogTail) -> LogTransaction {
    var writes = [LogTransaction.Write.put(.history, history.encoded())]
    if isWithoutLeader { writes.append(.put(.leader, tail.last.entry.leader.encoded())) }
    return LogTransaction(if: conditions, then: writes, else: [.key(.history)])
  }

  /// Gives the log another name, and removes what follows the last entry that can be read, if nothing has changed.
  package func cutting(_ tail: LogTail, to history: LogHistory) -> LogTransaction {
    var transaction = LogTransaction(
      if: conditions, then: [.put(.history, history.encoded())], else: [.key(.history)])
    if let damage = tail.damage {
      let key = LogKey.entry(damage.position)
      transaction.conditions.append(damage.revision.map { .revision(key, $0) } ?? .absent(key))
    }
    // The next claim compares the leader.
    transaction.writes += [.put(.leader, tail.last.entry.leader.encoded()), .cut(after: tail.point.position)]
    return transaction
  }

  /// Begins the log with an entry, if nothing has changed. What the store had of the log is removed.
  /// - Precondition: It had no later entries.
  package func beginning(with first: EncodedEntry, in history: LogHistory) -> LogTransaction {
    let position = first.entry.position
    precondition(positions?.upperBound ?? 0 <= position, "the log has entries after its first")
    return LogTransaction(
      if: conditions,
      then: [
        .trim(before: position), .put(.history, history.encoded()), .put(.leader, first.entry.leader.encoded()),
        .put(.entry(position), first.bytes),
      ], else: [.key(.history)])
  }
}

extension LogTransaction {
  /// The reads of `inspection`, in their order.
  package enum InspectionReads: Int { case history, leader, beat, entry, first, last }

  /// Reads what a store has of a log, through consensus: its conditions never hold.
  package static func inspection(at position: UInt64) -> LogTransaction {
    LogTransaction(
      if: [.absent(.history), .present(.history)], then: [],
      else: [.key(.history), .key(.leader), .key(.beat), .key(.entry(position)), .firstEntry, .lastEntry])
  }
}

extension EncodedEntry {
  /// The entry with which a cluster's log begins that continues a journal: the opening of a term of no process.
  ///
  /// It is never entry 1. A node with an empty journal would take that for the beginning of everything.
  ///
  /// - Parameters:
  ///   - journal: The place at which the journal has left an earlier log of a cluster; nil if it was in none.
  ///   - checksum: The checksum of all turns of the journal.
  ///   - schema: The schema of its state.
  ///   - node: The node whose journal it is.
  package init(continuing journal: JournalPlace?, checksum: UInt64, schema: SchemaFingerprint, node: NodeName) {
    // Terms go on: an outside system refuses smaller ones.
    let term = (journal?.last.entry.leader.term ?? 0) + 1
    self.init(
      LogEntry(
        position: max(2, (journal?.position ?? 0) + 1),
        leader: Leadership(term: term, node: node, process: .random(in: 0 ... .max)), schema: schema,
        previous: checksum, content: .opening))
  }
}
