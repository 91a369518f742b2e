/// The entries of a log after the end of a journal, up to the first one that no hub could apply.
package struct LogTail: Equatable, Sendable {
  /// The point after the last entry that continues the journal.
  package private(set) var point: LogPoint
  /// This entry; that of the journal if none does.
  package private(set) var last: EncodedEntry
  /// The last entry of the log.
  package let end: UInt64
  /// The entry at which no journal could go on; nil as long as there is none.
  package private(set) var damage: Damage?

  /// What is wrong with an entry.
  package struct Damage: Equatable, Sendable {
    package let position: UInt64
    /// The reason as a clause.
    package let reason: String
    /// The revision of its key; nil if the log does not have it.
    package let revision: UInt64?
  }

  /// Begins after a journal.
  package init(after journal: JournalPlace, upTo end: UInt64) {
    (point, last, self.end) = (LogPoint(after: journal.last, turn: journal.turn), journal.last, end)
  }

  /// The position of the entry that is looked at next; nil if there is none.
  package var next: UInt64? { damage == nil && point.position < end ? point.position + 1 : nil }

  /// Looks at the next entry that the log has.
  ///
  /// - Parameter value: Its key and value; other values are ignored.
  /// - Returns: The entry if it continues the log; call `accept`, or `lose` if its turn cannot be read.
  package mutating func check(_ value: StoredValue) -> EncodedEntry? {
    guard let next, case .entry(let position) = value.key, (next...end).contains(position) else { return nil }
    guard position == next else {
      lose(next, "it is missing", revision: nil)
      return nil
    }
    do throws(LogDamage) {
      let entry = try EncodedEntry(decoding: value.bytes)
      guard let objection = point.objection(to: entry) else { return entry }
      lose(next, "\(objection)", revision: value.revision)
    } catch {
      lose(next, "\(error)", revision: value.revision)
    }
    return nil
  }

  /// Goes on after an entry.
  package mutating func accept(_ entry: EncodedEntry) {
    point.advance(to: entry)
    last = entry
  }

  /// The log cannot go on with an entry.
  package mutating func lose(_ position: UInt64, _ reason: String, revision: UInt64?) {
    damage = Damage(position: position, reason: reason, revision: revision)
  }
}
