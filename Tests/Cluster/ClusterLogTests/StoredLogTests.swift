import ClusterLog
import Testing
import Wire

/// How an operator continues a log with a journal.
@Suite struct StoredLogTests {
  private let log = Samples.log()
  private let history = LogHistory(id: 1, store: 2)

  private func place(_ position: Int) -> JournalPlace {
    JournalPlace(history: history, last: log[position - 1], turn: 3)
  }

  /// What the log of `entries` has after a journal.
  private func tail(after position: Int, _ entries: [StoredValue] = [], turn: UInt64 = 3) -> LogTail {
    var tail = LogTail(
      after: JournalPlace(history: history, last: log[position - 1], turn: turn), upTo: entries.isEmpty ? 0 : 6)
    for value in entries { if let entry = tail.check(value) { tail.accept(entry) } }
    return tail
  }

  private func stored(_ entry: EncodedEntry, at position: UInt64? = nil) -> StoredValue {
    StoredValue(
      key: .entry(position ?? entry.entry.position), bytes: entry.bytes,
      revision: 40 + (position ?? entry.entry.position))
  }

  private func damaged(_ entry: EncodedEntry) -> StoredValue {
    var bytes = entry.bytes
    bytes[bytes.count - 1] ^= 1
    return StoredValue(key: .entry(entry.entry.position), bytes: bytes, revision: 40 + entry.entry.position)
  }

  /// A store with entries, as a journal's operator finds it.
  private func found(
    _ entries: [EncodedEntry], named name: LogHistory?, at position: UInt64, in store: UInt64 = 2
  ) throws -> StoredLog {
    func value(_ entry: EncodedEntry) -> StoredValue {
      StoredValue(key: .entry(entry.entry.position), bytes: entry.bytes, revision: 40 + entry.entry.position)
    }
    let own = entries.first { $0.entry.position == position }
    return StoredLog(
      [
        name.map { StoredValue(key: .history, bytes: $0.encoded(), revision: 40) },
        entries.last.map { StoredValue(key: .leader, bytes: $0.entry.leader.encoded(), revision: 41) },
        entries.isEmpty ? nil : StoredValue(key: .beat, bytes: UInt64(8).encoded(), revision: 42), own.map(value),
        entries.first.map(value), entries.last.map(value),
      ], at: position, in: store)
  }

  @Test func aLogThatIsWholeIsNotChanged() throws {
    #expect(try found(log, named: history, at: 4).restoration(with: place(4), tail: tail(after: 4)) == .needless)
    // Another node's operator has restored it already.
    #expect(
      try found(log, named: LogHistory(id: 9, store: 2), at: 4).restoration(with: place(4), tail: tail(after: 4))
        == .needless)
  }

  @Test func aBackupThatHasTheJournalsEndGoesOnUnderAnotherName() throws {
    let found = try found(log, named: history, at: 4, in: 3)
    #expect(found.restoration(with: place(4), tail: tail(after: 4)) == .renamed(last: 6))
    let name = LogHistory(id: 5, store: 3)
    let transaction = found.renaming(to: name, tail(after: 4))
    #expect(transaction.writes == [.put(.history, name.encoded())])
    for condition: LogTransaction.Condition in [
      .revision(.history, 40), .revision(.leader, 41), .revision(.entry(6), 46), .absent(.entry(7)),
    ] {
      #expect(transaction.conditions.contains(condition))
    }
  }

  @Test func aJournalThatIsAheadBeginsTheLogAgain() throws {
    let found = try found(Array(log[..<3]), named: history, at: 6)
    #expect(found.restoration(with: place(6), tail: tail(after: 6)) == .begunAgain)
    let transaction = found.beginning(with: log[5], in: LogHistory(id: 5, store: 2))
    #expect(transaction.writes.contains(.trim(before: 6)) && transaction.writes.contains(.put(.entry(6), log[5].bytes)))
    // The next claim compares it.
    #expect(transaction.writes.contains(.put(.leader, Samples.second.encoded())))
    #expect(transaction.conditions.contains(.revision(.entry(3), 43)))
  }

  @Test func anEmptyStoreHasNothingThatMayChange() throws {
    let found = try found([], named: nil, at: 6)
    #expect(found.restoration(with: place(6), tail: tail(after: 6)) == .begunAgain && found.positions == nil)
    #expect(
      found.beginning(with: log[5], in: history).conditions == [
        .absent(.history), .absent(.leader), .absent(.beat), .absent(.entry(6)),
      ])
  }

  /// The journal lacks what the log has, so that it must not replace that.
  @Test func aJournalThatEndsEarlierDoesNotReplaceTheLog() throws {
    #expect(
      try found(Array(log[4...]), named: history, at: 3).restoration(with: place(3), tail: tail(after: 3))
        == .endsLater(6))
  }

  /// Etcd had lost the end, and another hub has led in the same term: its last entry stands where the journal's does.
  @Test func aJournalDoesNotReplaceAnotherEndOfTheSameLength() throws {
    let leader = Leadership(term: Samples.second.term, node: Samples.name("c"), process: 77)
    let other = EncodedEntry(
      LogEntry(
        position: 6, leader: leader, schema: Samples.schema, previous: log[4].checksum, content: .opening))
    #expect(
      try found(log[..<5] + [other], named: history, at: 6).restoration(with: place(6), tail: tail(after: 6))
        == .endsLater(6))
    let shorter = EncodedEntry(
      LogEntry(
        position: 4, leader: leader, schema: Samples.schema, previous: log[2].checksum, content: .opening))
    #expect(
      try found(log[..<3] + [shorter], named: history, at: 6).restoration(with: place(6), tail: tail(after: 6))
        == .ledSince(leader))
  }

  /// Another node's operator has begun the log again, or it is another cluster's.
  @Test func aJournalDoesNotReplaceALogThatItHasNotLeft() throws {
    let other = LogHistory(id: 9, store: 2)
    #expect(
      try found(Array(log[..<3]), named: other, at: 6).restoration(with: place(6), tail: tail(after: 6)) == .otherLog)
    #expect(
      try found(Array(log[..<3]), named: other, at: 6, in: 3).restoration(with: place(6), tail: tail(after: 6))
        == .otherLog)
  }

  @Test func aBeatIsAChange() throws {
    let before = try found(Array(log[..<3]), named: history, at: 6)
    #expect(before.beginning(with: log[5], in: history).conditions.contains(.revision(.beat, 42)))
  }

  /// No journal could ever go beyond it: only the operator can give it up.
  @Test func aLogThatCannotBeReadGoesOnBeforeTheDamage() throws {
    let found = try found(log, named: history, at: 3)
    #expect(found.restoration(with: place(3), tail: tail(after: 3, log[3...].map { stored($0) })) == .needless)
    let broken = tail(after: 3, [stored(log[3]), damaged(log[4]), stored(log[5])])
    let damage = try #require(broken.damage)
    #expect(damage.position == 5 && damage.revision == 45 && damage.reason.contains("checksum"), "\(damage)")
    #expect(found.restoration(with: place(3), tail: broken) == .cutOff(damage, last: 4))
    // Also of a log that was restored from a backup.
    let elsewhere = try self.found(log, named: history, at: 3, in: 3)
    #expect(elsewhere.restoration(with: place(3), tail: broken) == .cutOff(damage, last: 4))
    let name = LogHistory(id: 5, store: 2)
    let transaction = found.cutting(broken, to: name)
    #expect(
      transaction.writes == [
        .put(.history, name.encoded()), .put(.leader, Samples.first.encoded()), .cut(after: 4),
      ])
    for condition: LogTransaction.Condition in [
      .revision(.history, 40), .revision(.leader, 41), .revision(.entry(6), 46), .revision(.entry(5), 45),
    ] {
      #expect(transaction.conditions.contains(condition), "\(condition)")
    }
  }

  @Test func entriesAreMissedAndCompared() throws {
    let gap = tail(after: 3, [stored(log[4]), stored(log[5])])
    #expect(gap.damage?.position == 4 && gap.damage?.reason == "it is missing" && gap.damage?.revision == nil)
    #expect(
      try found(log, named: history, at: 3).cutting(gap, to: history).conditions.contains(.absent(.entry(4))))
    #expect(tail(after: 3, [stored(log[4], at: 4)]).damage?.reason == "entry 5 does not follow entry 3")
    let other = EncodedEntry(
      LogEntry(
        position: 4, leader: Samples.first, schema: Samples.schema, previous: 1, content: .turns(first: 4, [[1]])))
    #expect(tail(after: 3, [stored(other)]).damage?.reason == "entry 4 continues another log")
    // What was read before, or is none of the log's, is nothing.
    let whole = tail(after: 3, [stored(log[2]), stored(log[3]), stored(log[3])])
    #expect(whole.damage == nil && whole.next == 5 && whole.last == log[3])
  }

  /// The end of the log is damaged in etcd, and the journal has it.
  @Test func aJournalMendsTheEndOfTheLog() throws {
    func found(_ leader: Leadership) -> StoredLog {
      StoredLog(
        [
          StoredValue(key: .history, bytes: history.encoded(), revision: 40),
          StoredValue(key: .leader, bytes: leader.encoded(), revision: 41), nil, damaged(log[5]), stored(log[0]),
          damaged(log[5]),
        ], at: 6, in: 2)
    }
    let mended = found(Samples.second)
    #expect(mended.restoration(with: place(6), tail: tail(after: 6)) == .begunAgain)
    #expect(mended.beginning(with: log[5], in: history).conditions.contains(.revision(.entry(6), 46)))
    let later = Leadership(term: 3, node: Samples.name("c"), process: 77)
    #expect(found(later).restoration(with: place(6), tail: tail(after: 6)) == .endsLater(6))
  }

  /// A store with all entries and damaged keys, as the operator of a journal finds it.
  private func found(name: [UInt8], leader: [UInt8]?, _ entries: [EncodedEntry], at position: UInt64) -> StoredLog {
    StoredLog(
      [
        StoredValue(key: .history, bytes: name, revision: 40),
        leader.map { StoredValue(key: .leader, bytes: $0, revision: 41) }, nil,
        entries.first { $0.entry.position == position }.map { stored($0) }, entries.first.map { stored($0) },
        entries.last.map { stored($0) },
      ], at: position, in: 2)
  }

  /// The name is damaged: a journal whose last entry the log has proves that it is its log, which gets another name.
  @Test func aNameThatCannotBeReadIsReplaced() {
    let (name, leader) = (LogHistory(id: 5, store: 2), Samples.second.encoded())
    let whole = found(name: [0x80], leader: leader, log, at: 4)
    #expect(whole.damagedKeys == [.history] && whole.history == nil)
    let tail = tail(after: 4, [stored(log[4]), stored(log[5])])
    #expect(whole.restoration(with: place(4), tail: tail) == .renamed(last: 6))
    let transaction = whole.renaming(to: name, tail)
    #expect(transaction.writes == [.put(.history, name.encoded())])
    #expect(transaction.conditions.contains(.revision(.history, 40)))
    // Without that, it may be the log of another cluster.
    let other = found(name: [0x80], leader: leader, Array(log[..<3]), at: 6)
    #expect(other.restoration(with: place(6), tail: self.tail(after: 6)) == .nameless)
    let empty = found(name: [0x80], leader: nil, [], at: 6)
    #expect(empty.restoration(with: place(6), tail: self.tail(after: 6)) == .begunAgain)
    // Both keys.
    let both = found(name: [0x80], leader: [0x81], log, at: 4)
    #expect(both.damagedKeys == [.history, .leader])
    #expect(both.restoration(with: place(4), tail: tail) == .renamed(last: 6))
    #expect(
      both.renaming(to: name, tail).writes == [.put(.history, name.encoded()), .put(.leader, Samples.second.encoded())])
  }

  /// The leadership is that of the last entry. Nobody has led since, so sessions and the name of the log stay.
  @Test(arguments: [[0x80], nil] as [[UInt8]?]) func aLeaderThatCannotBeReadIsMended(leader: [UInt8]?) {
    let whole = found(name: history.encoded(), leader: leader, log, at: 4)
    #expect(whole.damagedKeys == (leader == nil ? [] : [.leader]) && whole.history == history)
    let tail = tail(after: 4, [stored(log[4]), stored(log[5])])
    #expect(whole.restoration(with: place(4), tail: tail) == .mended(last: 6))
    let transaction = whole.mending(tail)
    #expect(transaction.writes == [.put(.leader, Samples.second.encoded())])
    #expect(transaction.conditions.contains(leader == nil ? .absent(.leader) : .revision(.leader, 41)))
    #expect(transaction.conditions.contains(.absent(.entry(7))))
    // A journal beyond the end of the log: the last entry tells who has led since.
    let later = Leadership(term: Samples.second.term + 1, node: Samples.name("c"), process: 77)
    let entry = EncodedEntry(
      LogEntry(position: 4, leader: later, schema: Samples.schema, previous: log[2].checksum, content: .opening))
    let short = found(name: history.encoded(), leader: leader, log[..<3] + [entry], at: 6)
    #expect(short.restoration(with: place(6), tail: self.tail(after: 6)) == .ledSince(later))
  }

  /// A node with an empty journal would take entry 1 for the beginning of everything.
  @Test func aLogThatContinuesAJournalDoesNotBeginWithEntryOne() {
    let alone = EncodedEntry(continuing: nil, checksum: 8, schema: Samples.schema, node: Samples.name("a"))
    #expect(alone.entry.position == 2 && alone.entry.previous == 8 && alone.entry.leader.term == 1)
    let later = EncodedEntry(continuing: place(6), checksum: 8, schema: Samples.schema, node: Samples.name("a"))
    #expect(later.entry.position == 7 && later.entry.leader.term == 3)
  }

  @Test func aPlaceIsReadBack() throws {
    #expect(try JournalPlace(decoding: place(3).encoded().span.bytes) == place(3))
  }
}
