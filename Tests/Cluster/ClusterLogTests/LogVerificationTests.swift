import ClusterLog
import Testing
import Wire

/// The comparison of a journal with a log, and of a log with itself.
@Suite struct LogVerificationTests {
  private static let history = LogHistory(id: 1, store: 2)
  private let log = Samples.log()

  private static func stored(_ entry: EncodedEntry) -> StoredValue {
    StoredValue(key: .entry(entry.entry.position), bytes: entry.bytes, revision: 40 + entry.entry.position)
  }

  private static func registration(_ node: String, _ position: UInt64) -> StoredValue {
    StoredValue(
      key: .node(Samples.name(node)), bytes: NodeRegistration(process: 1, ordinal: 1, position: position).encoded(),
      revision: 9)
  }

  /// Verifies the entries of a store with the journal of an entry of the sample log.
  private func verify(
    _ entries: [StoredValue], journal position: Int = 4, turn: UInt64 = 3, of name: LogHistory = history,
    named found: LogHistory? = history, leader: Leadership = Samples.second, nodes: [StoredValue] = [],
    in store: UInt64 = 2
  ) -> LogVerification {
    let place = JournalPlace(history: name, last: log[position - 1], turn: turn)
    var verification = LogVerification(
      [
        found.map { StoredValue(key: .history, bytes: $0.encoded(), revision: 40) },
        StoredValue(key: .leader, bytes: leader.encoded(), revision: 41),
        nil, entries.first { $0.key == .entry(UInt64(position)) }, entries.first, entries.last,
      ], journal: place, registrations: nodes, in: store)
    for entry in entries { _ = verification.check(entry) }
    return verification
  }

  @Test func aLogThatIsWholeHasNoDifferences() {
    for (position, turn) in [(1, 0), (3, 3), (4, 3), (6, 4)] as [(Int, UInt64)] {
      let whole = verify(log.map(Self.stored), journal: position, turn: turn, nodes: [Self.registration("a", 6)])
      #expect(whole.differences == [], "\(position)")
      #expect(whole.entryCount == 6 && whole.terms == 1...2 && whole.next == nil && whole.positions == 1...6)
      #expect(whole.leader == Samples.second && whole.schema == Samples.schema && !whole.isRenamed)
    }
    // Its first entries were removed; those that are left begin without a turn.
    #expect(verify(log[3...].map(Self.stored)).differences == [])
    #expect(verify(log[4...].map(Self.stored), journal: 6, turn: 4).differences == [])
  }

  /// Whoever can write into the store can write it.
  @Test func aKeyOfTheLastNumberIsADifference() {
    let odd = StoredValue(key: .entry(.max), bytes: [1], revision: 90)
    let differences = verify(log.map(Self.stored) + [odd]).differences
    #expect(differences.first == .missing(7 ... .max - 1))
    #expect(differences.first?.description == "entries 7 to \(UInt64.max - 1) are missing")
    #expect(differences.count == 2)
    let values = [nil, nil, nil, nil, Self.stored(log[0]), odd]
    #expect(StoredLog(values, at: 4, in: 2).positions == 1 ... .max)
  }

  @Test func aLogThatWasContinuedUnderAnotherNameIsTheSame() {
    let renamed = verify(log.map(Self.stored), named: LogHistory(id: 5, store: 2))
    #expect(renamed.isRenamed && renamed.differences == [])
  }

  @Test func theKeysShowWhatIsLost() {
    #expect(
      verify([], named: nil, leader: Samples.first).differences == [.noHistory])
    let restored = verify(log[..<2].map(Self.stored), leader: Samples.first, in: 3)
    #expect(restored.differences == [.restored, .journalAhead(journal: 4, log: 2)])
    #expect(
      verify(log[4...].map(Self.stored)).differences == [.journalBehind(journal: 4, first: 5)])
    let foreign = verify(log.map(Self.stored), of: LogHistory(id: 8, store: 2), named: Self.history)
    // The same entry: this is no other log.
    #expect(foreign.isRenamed && foreign.differences == [])
    let short = verify(log[..<2].map(Self.stored), of: LogHistory(id: 8, store: 2), leader: Samples.first)
    #expect(short.differences == [.otherHistory])
    #expect(verify(log.map(Self.stored), leader: Samples.first).differences == [.otherLeader(Samples.second)])
    #expect(
      verify(log.map(Self.stored), nodes: [Self.registration("c", 7), Self.registration("a", 6)]).differences
        == [.nodeAhead(Samples.name("c"), 7, log: 6)])
    let key = LogKey.node(Samples.name("a"))
    #expect(
      verify(log.map(Self.stored), nodes: [StoredValue(key: key, bytes: [0x80], revision: 3)]).differences
        == [.damagedKey(key)])
  }

  @Test func entriesShowDamage() {
    var entries = log.map(Self.stored)
    var bytes = entries[1].bytes
    bytes[bytes.count - 1] ^= 1
    entries[1] = StoredValue(key: .entry(2), bytes: bytes, revision: 42)
    let damaged = verify(entries)
    #expect(damaged.differences.count == 1)
    guard case .damaged(2, let reason)? = damaged.differences.first else { Issue.record("\(damaged)"); return }
    #expect(reason.contains("checksum"))
    // The others are checked all the same.
    #expect(damaged.entryCount == 6 && damaged.terms == 1...2)

    #expect(verify(log.map(Self.stored).filter { $0.key != .entry(2) }).differences == [.missing(2...2)])
    entries[1] = StoredValue(key: .entry(2), bytes: log[2].bytes, revision: 42)
    #expect(verify(entries).differences == [.damaged(2, "it says that it is entry 3")])
  }

  /// A sound entry in the wrong place: another term, another log before it, another number of turns.
  @Test func entriesThatDoNotContinueTheOnesBeforeAreNamed() {
    func differences(_ position: Int, _ leader: Leadership, _ content: LogEntry.Content, sum: UInt64? = nil)
      -> [LogDifference]
    {
      var entries = log.map(Self.stored)
      let wrong = EncodedEntry(
        LogEntry(
          position: UInt64(position), leader: leader, schema: Samples.schema,
          previous: sum ?? log[position - 2].checksum, content: content))
      entries[position - 1] = Self.stored(wrong)
      // The next one continues the right one.
      return verify(entries, journal: 1, turn: 0).differences.filter {
        $0 != .diverged(.checksum(at: UInt64(position) + 1))
      }
    }
    let turns = LogEntry.Content.turns(first: 1, [[1], [2]])
    #expect(differences(2, Samples.first, turns, sum: 8) == [.diverged(.checksum(at: 2))])
    let earlier = Leadership(term: 1, node: Samples.name("c"), process: 3)
    #expect(differences(5, earlier, .opening).first == .diverged(.leader(at: 5)))
    #expect(differences(2, Samples.first, .turns(first: 2, [[1], [2]])).first == .diverged(.turn(2, after: 0)))
  }

  @Test func theJournalsLastEntryIsCompared() {
    var entries = log.map(Self.stored)
    let other = EncodedEntry(
      LogEntry(
        position: 6, leader: Samples.second, schema: Samples.schema, previous: log[4].checksum,
        content: .turns(first: 4, [[7]])))
    entries[5] = Self.stored(other)
    #expect(verify(entries, journal: 6, turn: 4).differences == [.otherEntry(6)])
    #expect(
      verify(log.map(Self.stored), journal: 6, turn: 9).differences == [.otherTurn(journal: 9, log: 4, entry: 6)])
  }

  /// A leader removes entries while the log is read.
  @Test func entriesThatWereRemovedMeanwhileAreNotMissed() {
    let entries = log.map(Self.stored)
    let place = JournalPlace(history: Self.history, last: log[5], turn: 4)
    var verification = LogVerification(
      [
        StoredValue(key: .history, bytes: Self.history.encoded(), revision: 40),
        StoredValue(key: .leader, bytes: Samples.second.encoded(), revision: 41), nil, entries[5], entries[0],
        entries[5],
      ], journal: place, registrations: [], in: 2)
    _ = verification.check(entries[0])
    #expect(verification.next == 2)
    verification.skipRemoved(before: 5)
    for entry in entries[4...] { _ = verification.check(entry) }
    #expect(verification.differences == [] && verification.entryCount == 3 && verification.next == nil)
    // What was appended since is not checked.
    #expect(verification.check(StoredValue(key: .entry(7), bytes: [1], revision: 60)) == nil)
    #expect(verification.differences == [])
  }
}
