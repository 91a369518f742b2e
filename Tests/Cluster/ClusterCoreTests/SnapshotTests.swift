import ClusterCore
import ClusterLog
import Testing
import Wire

/// A node that lacks entries asks for a snapshot once, and takes it whenever it comes.
@Suite struct SnapshotTests {
  private let log = TestNode.log(turns: 3)

  private var behind: TransactionOutcome {
    .refused([TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[3]), TestNode.stored(log[3]), nil])
  }

  /// A node at entry 2 of 4, which the log no longer has.
  private func late(linkedTo names: [String]) -> TestNode {
    let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
    for name in names { node.core.linkOpened(TestNode.name(name)) }
    node.answer(behind)
    return node
  }

  private func snapshot() throws -> JournalPlace { try #require(TestNode.follower("b", of: log).snapshot()) }

  @Test func oneNodeIsAskedAtATime() {
    let node = late(linkedTo: ["b", "c"])
    var times: [Int] = []
    for millisecond in stride(from: 0, to: 4900, by: 100) {
      if !node.snapshotRequests.isEmpty { times.append(millisecond) }
      node.clear()
      node.pass(.milliseconds(100))
    }
    #expect(times == [0, 1000, 3000])
  }

  /// The clients of the leader do not wait for what it sends.
  @Test func aNodeThatFollowsIsAskedFirst() {
    for name in ["b", "c"] {
      let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
      for name in ["b", "c"] { node.core.linkOpened(TestNode.name(name)) }
      lead(name, in: node)
      node.answer(behind)
      let other = TestNode.name(name == "b" ? "c" : "b")
      #expect(node.snapshotRequests == [other])
      // It may have nothing.
      node.pass(.milliseconds(1000))
      #expect(node.snapshotRequests == [other, TestNode.name(name)])
    }
  }

  /// The nodes that were asked before may have had no journal themselves.
  @Test func aNewLeaderIsAskedAtOnce() {
    let node = late(linkedTo: ["b", "c"])
    // The next request would be due 4 seconds later.
    node.pass(.milliseconds(1000))
    node.pass(.milliseconds(2000))
    #expect(node.snapshotRequests.count == 3)
    node.clear()
    lead("b", in: node)
    #expect(node.snapshotRequests == [TestNode.name("b")])
    // Only its first beat says something new.
    node.clear()
    lead("b", in: node)
    #expect(node.snapshotRequests.isEmpty)
  }

  @Test func aNewLeaderIsNotAskedWhileASnapshotComes() {
    let node = late(linkedTo: ["b", "c"])
    node.core.snapshotPrepared(by: node.snapshotRequests[0])
    node.clear()
    lead("b", in: node)
    lead("c", in: node)
    #expect(node.snapshotRequests.isEmpty)
  }

  private func lead(_ name: String, in node: TestNode) {
    let leader = Leadership(term: 2, node: TestNode.name(name), process: 3)
    node.core.received(.beat(leader, position: 4, isCurrent: true), from: TestNode.name(name))
    node.take()
  }

  @Test func aPieceGivesTheSenderTime() {
    let node = late(linkedTo: ["b"])
    for _ in 0..<5 {
      node.pass(.milliseconds(800))
      node.core.snapshotAdvanced(from: TestNode.name("b"))
    }
    #expect(node.snapshotRequests.count == 1)
  }

  /// A node that only says that it prepares a snapshot is left for another one, after longer and longer times.
  @Test func theTimeForPreparationIsLimited() {
    let node = late(linkedTo: ["b", "c"])
    var (asked, times): ([NodeName], [Int]) = (node.snapshotRequests, [0])
    node.clear()
    for step in 1...400 {
      node.pass(.milliseconds(500))
      node.core.snapshotPrepared(by: asked[asked.count - 1])
      if node.transactions.last?.reads.count == 5 { node.answer(behind) }
      if let next = node.snapshotRequests.last {
        asked.append(next)
        times.append(step / 2)
      }
      node.clear()
    }
    #expect(times == [0, 60, 180])
    #expect(asked[1] != asked[0] && asked[2] == asked[0])
  }

  /// Pieces that arrive have no such limit.
  @Test func aSnapshotThatArrivesHasAllTheTime() {
    let node = late(linkedTo: ["b", "c"])
    let asked = node.snapshotRequests[0]
    node.clear()
    for _ in 0..<400 {
      node.pass(.milliseconds(500))
      node.core.snapshotAdvanced(from: asked)
      if node.transactions.last?.reads.count == 5 { node.answer(behind) }
      #expect(node.snapshotRequests.isEmpty)
      node.clear()
    }
  }

  @Test func anotherNodeIsAskedWhenTheLinkEnds() {
    let node = late(linkedTo: ["b", "c"])
    let asked = node.snapshotRequests[0]
    node.core.linkClosed(asked)
    node.pass(.milliseconds(1))
    #expect(node.snapshotRequests.count == 2 && node.snapshotRequests[1] != asked)
  }

  @Test func aSnapshotThatArrivesDuringAProofIsUsed() throws {
    let node = late(linkedTo: ["b"])
    // The log may have changed meanwhile; the node proves its journal again.
    node.pass(.milliseconds(5100))
    node.clear()
    node.core.snapshotArrived(try snapshot())
    node.take()
    let (_, proof) = try #require(node.pendingProof)
    #expect(proof.conditions.contains(.value(.entry(2), log[1].bytes)))
    node.answer(behind) { $0 == proof }
    // The snapshot is needed, and is what the node proves now.
    #expect(node.installed.isEmpty && node.snapshotRequests.isEmpty)
    #expect(node.transactions.last?.conditions.contains(.value(.entry(4), log[3].bytes)) == true)
    node.answer(.written(revision: 9))
    #expect(node.installed == [try snapshot()])
  }

  /// Two nodes were asked one after the other, and have the same one.
  @Test(arguments: [false, true]) func aSnapshotThatArrivesTwiceIsUsed(isProving: Bool) throws {
    let node = late(linkedTo: ["b", "c"])
    if isProving { node.pass(.milliseconds(5100)) }
    for _ in 1...2 { node.core.snapshotArrived(try snapshot()) }
    node.take()
    if isProving {
      node.answer(behind)
      node.core.snapshotArrived(try snapshot())
      node.take()
    }
    #expect(node.discarded.isEmpty)
    node.answer(.written(revision: 9))
    #expect(node.installed == [try snapshot()] && node.discarded.isEmpty)
  }

  /// The log has removed the snapshot's entry too, or has another one there: the node keeps its journal, and asks again.
  @Test(arguments: [false, true]) func aSnapshotThatTheLogDoesNotHaveIsDiscarded(hasAnother: Bool) throws {
    let node = late(linkedTo: ["b", "c"])
    let asked = node.snapshotRequests[0]
    node.clear()
    node.core.snapshotArrived(try snapshot())
    node.take()
    let other = StoredValue(key: .entry(4), bytes: log[2].bytes, revision: 60)
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), hasAnother ? other : nil, TestNode.stored(log[3]),
        TestNode.stored(log[3]), nil,
      ]))
    #expect(node.discarded == [try snapshot()] && node.installed.isEmpty)
    #expect(node.core.standing == .starting && node.core.point.position == 2)
    // The next proof is that of the journal.
    #expect(node.transactions.last?.conditions.contains(.value(.entry(2), log[1].bytes)) == true)
    node.answer(behind)
    node.pass(.seconds(1))
    #expect(node.snapshotRequests.count == 1 && node.snapshotRequests[0] != asked)
  }

  /// A busy log may pass each snapshot before it has arrived. A node with an empty journal proves that in between.
  @Test func aLogThatPassesEachSnapshotIsFollowedAfterLongerAndLongerPauses() throws {
    let node = TestNode("a")
    for name in ["b", "c"] { node.core.linkOpened(TestNode.name(name)) }
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[3]), TestNode.stored(log[3]), nil,
      ]))
    var (times, asked): ([Duration], [NodeName]) = ([], [])
    for _ in 0..<500 {
      while let (_, transaction) = node.transaction, transaction.reads.count == 5 {
        let isSnapshot = transaction.conditions.contains(.value(.entry(4), log[3].bytes))
        node.clear()
        node.answer(
          isSnapshot
            ? .refused([TestNode.stored(.history, TestNode.history), nil, nil, nil, nil]) : .written(revision: 50)
        ) { $0 == transaction }
      }
      for case .read(let number, .entries) in node.commands {
        node.core.readEnded(number, in: TestNode.store, .entries([], first: 9, beat: nil, at: 60))
      }
      node.take()
      if let next = node.snapshotRequests.last {
        asked.append(next)
        times.append(node.now)
        node.clear()
        node.core.snapshotArrived(try snapshot())
        node.take()
        continue
      }
      node.clear()
      node.pass(.milliseconds(500))
    }
    let pauses = zip(times, times.dropFirst()).map { $1 - $0 }
    #expect(
      pauses.count >= 7 && pauses.prefix(7).elementsEqual([1, 2, 4, 8, 16, 32, 32].map { .seconds($0) }), "\(times)")
    #expect(zip(asked, asked.dropFirst()).allSatisfy { $0 != $1 }, "\(asked)")
    #expect(node.installed.isEmpty && node.transactions.isEmpty)
  }

  /// Nothing arrives unasked, and a late answer does not matter any more.
  @Test func aSnapshotThatIsNotNeededIsDiscarded() throws {
    let node = TestNode.follower("a", of: log)
    node.core.snapshotArrived(try snapshot())
    node.take()
    #expect(node.discarded.count == 1 && node.installed.isEmpty)
    let other = late(linkedTo: ["b"])
    let old = JournalPlace(history: TestNode.history, last: log[0], turn: 0)
    other.core.snapshotArrived(old)
    other.take()
    #expect(other.discarded == [old])
  }

  /// A journal with more turns than the log has later is not one of this log, and is not replaced.
  @Test func aJournalWithTurnsOfItsOwnIsNotReplaced() throws {
    let node = late(linkedTo: ["b"])
    let behind = JournalPlace(history: TestNode.history, last: log[3], turn: 0)
    node.core.snapshotArrived(behind)
    node.take()
    guard case .refused(.diverged) = node.core.standing else {
      Issue.record("\(node.core.standing)")
      return
    }
    #expect(node.installed.isEmpty && node.discarded == [behind])
  }

  @Test func anotherNodeIsAskedIfOneCannotSendIt() {
    let node = late(linkedTo: ["b", "c"])
    let asked = node.snapshotRequests[0]
    // It is being made.
    for _ in 0..<3 {
      node.pass(.milliseconds(800))
      node.core.snapshotPrepared(by: asked)
    }
    #expect(node.snapshotRequests.count == 1)
    node.core.snapshotFailed(from: asked)
    node.pass(.seconds(1))
    #expect(node.snapshotRequests.count == 2 && node.snapshotRequests[1] != asked)
  }

  /// Its schema may be another one, which it is not asked about again and again.
  @Test func whoCannotSendItIsAskedAgainAfterLongerAndLongerPauses() {
    let node = late(linkedTo: ["b"])
    for (count, pause) in [(1, 1), (2, 2)] {
      #expect(node.snapshotRequests.count == count)
      node.core.snapshotFailed(from: TestNode.name("b"))
      node.pass(.milliseconds(pause * 1000 - 1))
      #expect(node.snapshotRequests.count == count)
      node.pass(.milliseconds(1))
    }
  }

  /// The head of a snapshot names the schema, so that its bytes need not arrive first.
  @Test func aSnapshotOfAnotherSchemaIsRefusedAtItsHead() throws {
    let node = late(linkedTo: ["b"])
    #expect(node.core.objection(toSnapshotAt: try snapshot()) == nil)
    let leader = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    let entry = EncodedEntry(
      LogEntry(
        position: 5, leader: leader, schema: SchemaFingerprint(ofBytes: [2]), previous: log[3].checksum,
        content: .opening))
    let objection = node.core.objection(toSnapshotAt: JournalPlace(history: TestNode.history, last: entry, turn: 3))
    #expect(objection?.contains("entry 5 is of another version of the feature") == true)
  }

  /// Nodes of an earlier version do not answer, so they are not asked.
  @Test func onlyNodesThatSendSnapshotsAreAsked() {
    let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
    node.core.linkOpened(TestNode.name("b"), givesSnapshots: false)
    node.answer(behind)
    #expect(node.snapshotRequests.isEmpty && node.core.needsSnapshot && node.core.givers.isEmpty)
    node.core.linkOpened(TestNode.name("c"))
    node.pass(.milliseconds(1))
    #expect(node.snapshotRequests == [TestNode.name("c")])
  }
}
