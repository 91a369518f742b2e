import ClusterCore
import ClusterLog
import Testing
import Wire

/// A node proves its journal before it serves.
@Suite struct ProofTests {
  private let log = TestNode.log(turns: 3)

  @Test func aJournalIsProvedByATransaction() throws {
    let node = TestNode(journal: TestNode.journal(log))
    #expect(node.core.standing == .starting)
    let (_, transaction) = try #require(node.transaction)
    #expect(
      transaction.conditions == [
        .value(.history, TestNode.history.encoded()), .value(.entry(4), log[3].bytes),
        .absent(.node(TestNode.name("a"))),
      ])
    // What arrives before is not taken.
    node.watch([TestNode.entry(after: TestNode.journal(log).point, log[0].entry.leader, .turns(first: 4, [[9]]))])
    #expect(node.applied.isEmpty && node.core.standing == .starting)
    node.answer(.written(revision: 9))
    node.findNoMore()
    #expect(node.core.standing == .current(leads: false))
  }

  /// A client may have seen the whole log before, for example that of a node whose disk was lost.
  @Test func aNodeServesWhenItHasCopiedWhatWasStoredBefore() {
    let node = TestNode.follower(of: Array(log[..<1]))
    for entry in log[1...] {
      #expect(node.core.standing == .starting)
      node.core.watched(
        [StoredValue(key: .entry(entry.entry.position), bytes: entry.bytes, revision: 40)], in: TestNode.store)
      node.take()
    }
    // Whether there are more, only the store tells, and not a member of it that was behind when the journal was proved.
    node.findNoMore(at: 49)
    #expect(node.core.standing == .starting)
    node.pass(.milliseconds(500))
    node.findNoMore(at: 50)
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func aNodeServesWhenItHasAnEntryThatIsNewer() {
    let node = TestNode.follower(of: Array(log[..<2]))
    node.watch([log[3]])
    #expect(node.core.standing == .starting)
    node.watch([log[2]])
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func withoutAnAnswerItIsRepeated() throws {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(.unknown)
    node.answer(.full)
    #expect(node.transactions.count == 2)
    node.pass(.milliseconds(300))
    #expect(node.transactions.count == 3 && Set(node.transactions.map(\.writes)).count == 1)
    #expect(node.core.standing == .starting)
  }

  private func refused(
    journal: ClusterCore.Journal, history: LogHistory?, entry: EncodedEntry?, first: EncodedEntry?, last: EncodedEntry?,
    in store: UInt64 = TestNode.store
  ) -> TestNode {
    let node = TestNode(journal: journal)
    node.answer(
      .refused([
        history.map { TestNode.stored(.history, $0) }, entry.map(TestNode.stored), first.map(TestNode.stored),
        last.map(TestNode.stored), nil,
      ]), in: store)
    return node
  }

  @Test func aJournalBeyondTheLogIsRefused() {
    let journal = TestNode.journal(log)
    let node = refused(journal: journal, history: TestNode.history, entry: nil, first: log[0], last: log[2])
    #expect(node.core.standing == .refused(.logLost(journal: 4, log: 3)))
    let empty = refused(journal: journal, history: nil, entry: nil, first: nil, last: nil)
    #expect(empty.core.standing == .refused(.logLost(journal: 4, log: 0)))
  }

  @Test func aJournalWithAnotherEntryIsRefused() {
    let other = TestNode.log(by: "c", turns: 3)
    let node = refused(
      journal: TestNode.journal(log), history: TestNode.history, entry: other[3], first: other[0], last: other[3])
    #expect(node.core.standing == .refused(.diverged("entry 4 has other bytes")))
  }

  @Test func theJournalOfAnotherClusterIsRefused() {
    let other = TestNode.log(by: "c", turns: 3)
    let node = refused(
      journal: TestNode.journal(log), history: LogHistory(id: 6, store: TestNode.store), entry: other[3],
      first: other[0], last: other[3])
    let found = OtherHistory(
      expected: TestNode.history, found: LogHistory(id: 6, store: TestNode.store), position: 4, hasEntry: true,
      log: 1...4)
    #expect(node.core.standing == .refused(.otherHistory(found)))
    let text = "\(Refusal.otherHistory(found))"
    for part in [
      "the journal ends with entry 4 of the log 0000000000000005",
      "etcd has the log 0000000000000006 with entries 1 to 4",
      "of which entry 4 is another one", "check 'etcd' and 'prefix'", "`storectl cluster copy --into DIR`",
    ] { #expect(text.contains(part), "\(text)") }
  }

  /// The log was begun again after this journal's end, or is empty but for its name.
  @Test func aLogThatWasBegunAgainWithAnotherJournalIsRefused() {
    let name = LogHistory(id: .max, store: TestNode.store)
    let journal = TestNode.journal(Array(log[..<2]))
    let node = refused(journal: journal, history: name, entry: nil, first: log[3], last: log[3])
    let found = OtherHistory(
      expected: TestNode.history, found: name, position: 2, hasEntry: false, log: 4...4)
    #expect(node.core.standing == .refused(.otherHistory(found)))
    #expect("\(found)".hasSuffix("the log ffffffffffffffff with entries 4 to 4, and not that entry"))
    let empty = refused(journal: journal, history: name, entry: nil, first: nil, last: nil)
    guard case .refused(.otherHistory(let none)) = empty.core.standing else {
      Issue.record("\(empty.core.standing)")
      return
    }
    #expect("\(none)".hasSuffix("with no entries, and not that entry"))
  }

  @Test func aRestoredStoreIsRefusedUntilTheOperatorContinues() {
    let node = refused(
      journal: TestNode.journal(log), history: TestNode.history, entry: log[3], first: log[0], last: log[3], in: 78)
    #expect(node.core.standing == .refused(.restored))
    // Another history, with the same entry: the journal is a beginning of the log.
    node.pass(.seconds(2))
    let continued = LogHistory(id: 6, store: 78)
    node.answer(
      .refused([
        TestNode.stored(.history, continued), TestNode.stored(log[3]), TestNode.stored(log[0]), TestNode.stored(log[3]),
        nil,
      ]), in: 78)
    #expect(node.commands.contains { if case .adopt(continued, endsSessions: true) = $0 { true } else { false } })
    node.answer(.written(revision: 9), in: 78)
    node.findNoMore(in: 78)
    #expect(node.core.standing == .current(leads: false) && node.core.history == continued)
  }

  @Test func aNewNodeTakesTheLogsHistory() {
    let node = refused(journal: .empty, history: TestNode.history, entry: log[0], first: log[0], last: log[3])
    #expect(
      node.commands.contains { if case .adopt(TestNode.history, endsSessions: false) = $0 { true } else { false } })
    node.answer(.written(revision: 9))
    node.watch(log)
    #expect(node.core.standing == .current(leads: false))
    #expect(node.applied == [[[1]], [[2]], [[3]]])
  }

  @Test func aNodeThatWasAwayForLongTakesASnapshot() throws {
    let donor = TestNode.follower("b", of: log)
    let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
    node.core.linkOpened(TestNode.name("b"))
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[3]), TestNode.stored(log[3]), nil,
      ]))
    #expect(node.core.standing == .starting)
    #expect(node.commands.contains { if case .send(.needsSnapshot(after: 2), _) = $0 { true } else { false } })
    let snapshot = try #require(donor.snapshot())
    node.core.snapshotArrived(snapshot)
    node.take()
    // It is proved like a journal, and replaces the node's own only then.
    #expect(node.transaction?.1.conditions.contains(.value(.entry(4), log[3].bytes)) == true)
    #expect(node.installed.isEmpty && node.core.point.position == 2)
    node.answer(.written(revision: 9))
    #expect(node.installed == [snapshot] && !node.core.needsSnapshot)
    node.findNoMore()
    #expect(node.core.standing == .current(leads: false) && node.core.point == donor.core.point)
  }

  /// The operator has continued the log under another name, which only one of the two nodes knows.
  @Test func aSnapshotOfAnotherHistoryLeadsToAProof() throws {
    let other = TestNode("b", journal: TestNode.journal(log, history: LogHistory(id: 6, store: TestNode.store)))
    other.answer(.written(revision: 9))
    let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
    node.core.linkOpened(TestNode.name("b"))
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[3]), TestNode.stored(log[3]), nil,
      ]))
    node.clear()
    let snapshot = try #require(other.snapshot())
    node.core.snapshotArrived(snapshot)
    node.take()
    #expect(node.transactions.count == 1)
    #expect(node.installed.isEmpty && node.discarded == [snapshot])
  }

  @Test func aNameThatCannotBeReadIsDamage() {
    let node = TestNode(journal: TestNode.journal(log))
    let name = StoredValue(key: .history, bytes: [0x80], revision: 3)
    node.answer(
      .refused([name, TestNode.stored(log[3]), TestNode.stored(log[0]), TestNode.stored(log[3]), nil]))
    #expect(node.core.standing == .refused(.damaged("the key 'history' has bytes that no hub has written")))
  }

  /// No node can take over, but this one serves its state, and tells the operator at each attempt.
  @Test func aLeaderThatCannotBeReadIsReported() {
    let node = TestNode.follower(of: log)
    node.findNoMore()
    func reports() -> [Refusal] {
      node.commands.compactMap { if case .report(let refusal) = $0 { refusal } else { nil } }
    }
    func refuseClaim(_ leader: StoredValue?, _ entry: EncodedEntry? = nil) {
      node.clear()
      while node.transactions.last?.reads.count != 6 { node.pass(.milliseconds(500)) }
      node.answer(
        .refused([
          leader, entry.map(TestNode.stored), TestNode.stored(log[3]), nil, TestNode.stored(.history, TestNode.history),
          nil,
        ]))
    }
    for _ in 1...2 {
      refuseClaim(StoredValue(key: .leader, bytes: [0x80, 1], revision: 70))
      #expect(reports() == [.damaged("the key 'leader' has bytes that no hub has written")])
    }
    refuseClaim(nil)
    #expect(reports() == [.damaged("the key 'leader' is missing")])
    guard case .waiting = node.core.standing else {
      Issue.record("\(node.core.standing)")
      return
    }
    // Another node was faster.
    let leader = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    let opening = TestNode.entry(after: TestNode.journal(log).point, leader, .opening)
    refuseClaim(TestNode.stored(.leader, leader), opening)
    #expect(reports().isEmpty && node.core.standing == .current(leads: false))
  }

  @Test func aNewerSchemaIsNotApplied() {
    let leader = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    let node = TestNode.follower(of: log)
    let entry = EncodedEntry(
      LogEntry(
        position: 5, leader: leader, schema: SchemaFingerprint(ofBytes: [2]), previous: log[3].checksum,
        content: .opening))
    node.watch([entry])
    #expect(node.core.standing == .refused(.newerSchema(position: 5)) && node.core.point.position == 4)
  }

  @Test func damagedAndForeignEntriesAreRefused() {
    let node = TestNode.follower(of: log)
    node.findNoMore()
    let damaged = StoredValue(key: .entry(5), bytes: [0x80], revision: 60)
    // Late events of another store do not matter.
    node.core.watched([damaged], in: TestNode.store - 1)
    node.take()
    #expect(node.core.standing == .current(leads: false))
    node.core.watched([damaged], in: TestNode.store)
    node.take()
    guard case .refused(.damaged) = node.core.standing else {
      Issue.record("\(node.core.standing)")
      return
    }
    let other = TestNode.follower(of: log)
    other.watch([TestNode.log(by: "c", turns: 4)[4]])
    #expect(other.core.standing == .refused(.diverged("entry 5 continues another log")))
  }
}
