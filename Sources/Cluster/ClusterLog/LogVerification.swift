package import Wire

/// Verifies that a journal and a log belong together, and that the log is whole. It reads what others have read, and
/// changes nothing.
///
/// First come the keys of the log, read in one step, after the journal and the registrations: whatever these have, the
/// log has too. Then come the entries in order, up to the last one of that step.
package struct LogVerification: Sendable {
  /// The name of the log; nil if there is none.
  package let history: LogHistory?
  /// The first and the last entry when the keys were read.
  package let positions: ClosedRange<UInt64>?
  /// The leadership of the last entry.
  package let leader: Leadership?
  /// The schema of the last entry.
  package let schema: SchemaFingerprint?
  /// True if the operator has continued the log under a name that the journal takes over when its hub starts.
  package let isRenamed: Bool
  /// True if the journal is that of another log, whose turns have nothing in common with those of this one.
  package var isForeign: Bool { differences.contains(.otherHistory) }
  /// The differences that were found first.
  package private(set) var differences: [LogDifference] = []
  /// The number of all differences.
  package private(set) var differenceCount = 0
  /// The number of the entries that were checked.
  package private(set) var entryCount: UInt64 = 0
  /// The first and the last term of these entries.
  package private(set) var terms: ClosedRange<UInt64>?
  /// The position of the entry that is checked next; nil if there is none.
  package private(set) var next: UInt64?
  private let journal: JournalPlace
  /// The end of the entries that were checked; nil after a gap.
  private var point: LogPoint?
  /// The last of these entries.
  private var last: EncodedEntry?
  /// False until an entry has told the number of a turn.
  private var knowsTurn = false

  /// The number of differences that are kept.
  private static let limit = 50

  /// Checks the keys.
  ///
  /// - Parameters:
  ///   - values: The values that `LogTransaction.inspection` has read at the position of the journal.
  ///   - journal: The end of the journal.
  ///   - registrations: The values of the nodes' keys.
  ///   - store: The id of the store's cluster.
  package init(
    _ values: [StoredValue?], journal: JournalPlace, registrations: [StoredValue], in store: UInt64
  ) {
    func value(_ read: LogTransaction.InspectionReads) -> StoredValue? { values[read.rawValue] }
    func number(_ value: StoredValue?) -> UInt64? {
      if case .entry(let position)? = value?.key { position } else { nil }
    }
    self.journal = journal
    var found: [LogDifference] = []
    history = value(.history).flatMap { try? LogHistory(decoding: $0.bytes.span.bytes) }
    if history == nil { found.append(value(.history) == nil ? .noHistory : .damagedKey(.history)) }
    if let history, history.store != store { found.append(.restored) }
    if let first = number(value(.first)), let last = number(value(.last)), first <= last {
      (positions, next) = (first...last, first)
    } else {
      (positions, next) = (nil, nil)
    }
    let end = value(.last).flatMap { try? EncodedEntry(decoding: $0.bytes) }?.entry
    (leader, schema) = (end?.leader, end?.schema)
    if let end, value(.leader)?.bytes != end.leader.encoded() { found.append(.otherLeader(end.leader)) }

    let entry = value(.entry)
    let isSame = entry?.key == .entry(journal.position) && entry?.bytes == journal.last.bytes
    isRenamed = isSame && history != nil && history != journal.history
    // Without a log, there is nothing to compare.
    let isAbsent = history == nil && positions == nil
    if !isSame, !isAbsent {
      let range = positions ?? 0...0
      if history != nil, history != journal.history {
        found.append(.otherHistory)
      } else if journal.position > range.upperBound {
        found.append(.journalAhead(journal: journal.position, log: range.upperBound))
      } else if journal.position < range.lowerBound {
        found.append(.journalBehind(journal: journal.position, first: range.lowerBound))
      } else if entry != nil {
        found.append(.otherEntry(journal.position))
      }
      // Otherwise there is a gap, which the entries show.
    }
    for record in registrations {
      guard case .node(let node) = record.key else { continue }
      guard let registration = try? NodeRegistration(decoding: record.bytes.span.bytes) else {
        found.append(.damagedKey(record.key))
        continue
      }
      // The journal of a removed node is missed by nobody.
      if registration.isRemoval { continue }
      let last = positions?.upperBound ?? 0
      if registration.position > last, !isAbsent { found.append(.nodeAhead(node, registration.position, log: last)) }
    }
    for difference in found { note(difference) }
  }

  /// Notes a difference.
  package mutating func note(_ difference: LogDifference) {
    differenceCount += 1
    if differences.count < Self.limit { differences.append(difference) }
  }

  // MARK: Entries

  /// Skips entries that were removed from the log since the keys were read.
  package mutating func skipRemoved(before position: UInt64) {
    (point, last, knowsTurn) = (nil, nil, false)
    advance(to: position)
  }

  /// - Parameter position: The position of the next entry; nil after that of the last number.
  private mutating func advance(to position: UInt64?) {
    guard let position, let end = positions?.upperBound, position <= end else { return next = nil }
    next = position
  }

  /// Checks the next entry that there is.
  ///
  /// - Parameter value: The value of its key.
  /// - Returns: The entry; nil if it cannot be read, or is not one that was to be checked.
  package mutating func check(_ value: StoredValue) -> EncodedEntry? {
    guard let expected = next, let end = positions?.upperBound, case .entry(let position) = value.key,
      (expected...end).contains(position)
    else { return nil }
    if position > expected { lose(.missing(expected...position - 1)) }
    advance(to: position < .max ? position + 1 : nil)
    entryCount += 1
    let encoded: EncodedEntry
    do throws(LogDamage) {
      encoded = try EncodedEntry(decoding: value.bytes)
      guard encoded.entry.position == position else {
        throw LogDamage("it says that it is entry \(encoded.entry.position)")
      }
    } catch {
      lose(.damaged(position, "\(error)"))
      return nil
    }
    follow(encoded)
    return encoded
  }

  /// Notes a difference after which nothing is known of the entries before.
  private mutating func lose(_ difference: LogDifference) {
    note(difference)
    (point, last, knowsTurn) = (nil, nil, false)
  }

  private mutating func follow(_ encoded: EncodedEntry) {
    let entry = encoded.entry
    let firstTurn: UInt64?
    let turnCount: Int
    switch entry.content {
    case .opening, .handover: (firstTurn, turnCount) = (nil, 0)
    case .turns(let first, let turns): (firstTurn, turnCount) = (first, turns.count)
    case .parts(let turn, _): (firstTurn, turnCount) = (turn, 1)
    }
    var before = entry.position == 1 ? LogPoint.start : point
    // Entries without turns do not tell how many there were before.
    if let firstTurn, let last, !knowsTurn { before = LogPoint(after: last, turn: firstTurn - 1) }
    if let objection = before?.objection(to: encoded) { note(.diverged(objection)) }
    knowsTurn = knowsTurn || firstTurn != nil || entry.position == 1
    let turn = firstTurn.map { $0 + UInt64(turnCount) - 1 } ?? before?.turn ?? 0
    point = LogPoint(after: encoded, turn: turn)
    last = encoded
    let term = entry.leader.term
    terms = min(terms?.lowerBound ?? term, term)...max(terms?.upperBound ?? term, term)
    if entry.position == journal.position, encoded.bytes == journal.last.bytes, knowsTurn, turn != journal.turn {
      note(.otherTurn(journal: journal.turn, log: turn, entry: entry.position))
    }
  }
}

/// A difference between a journal and a log, or a part of the log that is not what a leader has written.
package enum LogDifference: Equatable, Sendable {
  /// The store has no log.
  case noHistory
  /// The value of a key cannot be read.
  case damagedKey(LogKey)
  /// The store was restored from a backup, and its log has not been continued by the operator.
  case restored
  /// The log belongs to another history than the journal, and has not its last entry.
  case otherHistory
  /// The journal ends after the log.
  case journalAhead(journal: UInt64, log: UInt64)
  /// The log begins after the end of the journal.
  case journalBehind(journal: UInt64, first: UInt64)
  /// The log has another entry in the place of the journal's last one.
  case otherEntry(UInt64)
  /// The journal has another number of turns up to its last entry.
  case otherTurn(journal: UInt64, log: UInt64, entry: UInt64)
  /// The key of the leader does not have the leadership of the last entry.
  case otherLeader(Leadership)
  /// A node has proved a journal that ends after the log.
  case nodeAhead(NodeName, UInt64, log: UInt64)
  /// Entries are missing between others.
  case missing(ClosedRange<UInt64>)
  /// The bytes of an entry are not those that a leader has written.
  case damaged(UInt64, String)
  /// An entry does not continue the one before.
  case diverged(LogDivergence)
  /// The parts of the turn of an entry are missing, or not those that the entry names.
  case missingParts(UInt64)
  /// A turn of an entry is wrong, or not that of the journal.
  case turn(UInt64, entry: UInt64, String)
  /// The journal has a state of another schema than the log.
  case otherSchema
}

extension LogDifference: CustomStringConvertible {
  /// The difference, and for one that keeps a node from serving, what the operator can do.
  package var description: String {
    switch self {
    case .noHistory:
      """
      etcd has no log here: check 'etcd' and 'prefix' in [cluster]; if it has lost its data, bring it back, or run \
      `storectl cluster restore`
      """
    case .damagedKey(let key): "the key '\(key)' has bytes that no hub has written"
    case .restored: "etcd was restored from a backup: bring back its own data, or run `storectl cluster restore`"
    case .otherHistory:
      """
      the journal belongs to another cluster, or ends before the place at which the log was begun again: check 'etcd' and \
      'prefix' in [cluster], or give this node a copy, by `storectl cluster copy`
      """
    case .journalAhead(let journal, let log):
      """
      the journal ends at entry \(journal), but the log at \(log): etcd has lost entries. Bring back its data of a later \
      time, or run `storectl cluster restore`
      """
    case .journalBehind(let journal, let first):
      """
      the journal ends at entry \(journal), and the log begins at \(first): this node lacks entries, and needs a copy, by \
      `storectl cluster copy`
      """
    case .otherEntry(let position): "entry \(position) has other bytes in the log than in the journal"
    case .otherTurn(let journal, let log, let entry):
      "entry \(entry) ends with turn \(journal) according to the journal, but with turn \(log) according to the log"
    case .otherLeader(let leader):
      "the key 'leader' does not have the leadership of the last entry, of node \(leader.node) in term \(leader.term)"
    case .nodeAhead(let node, let position, let log):
      """
      node \(node) had proved its journal up to entry \(position), but the log ends at \(log): etcd has lost entries, or \
      the log was restored without those of that node
      """
    case .missing(let range):
      range.lowerBound == range.upperBound
        ? "entry \(range.lowerBound) is missing" : "entries \(range.lowerBound) to \(range.upperBound) are missing"
    case .damaged(let position, let reason): "entry \(position) is damaged: \(reason)"
    case .diverged(let divergence): "\(divergence)"
    case .missingParts(let position): "entry \(position) names parts of its turn that are missing or damaged"
    case .turn(let turn, let entry, let reason): "turn \(turn) of entry \(entry) \(reason)"
    case .otherSchema: "the journal's state has another schema than the last entry of the log"
    }
  }
}
