import ClusterCore
import ClusterLog
import Testing
import Wire

/// Entries are removed beside the appends, and a full store is no reason to stop that.
@Suite struct RemovalTests {
  private let log = TestNode.log()
  private let b = TestNode.name("b")

  /// A leader at entry 3, which its own journal has.
  private func leader(kept: Int = 0) -> TestNode {
    let node = TestNode.leader(of: log) { ($0.keptBytes, $0.trimStepBytes) = (kept, 1) }
    node.core.linkOpened(b)
    node.core.journalStored(upTo: 3)
    node.clear()
    return node
  }

  /// Appends a turn that is stored at once, by this node and by b.
  private func store(_ node: TestNode, at position: UInt64) {
    node.core.append([[8]])
    node.take()
    node.answer(.written(revision: 60 + position)) {
      if case .put(.entry, _)? = $0.writes.first { true } else { false }
    }
    node.core.journalStored(upTo: position)
    status(node, position)
  }

  private func status(_ node: TestNode, _ position: UInt64, in history: LogHistory = TestNode.history) {
    node.core.received(.status(history: history.id, stored: position), from: b)
    node.pass(.milliseconds(1))
  }

  private func isRemoval(_ transaction: LogTransaction) -> Bool {
    if case .trim? = transaction.writes.first { true } else { false }
  }

  @Test func entriesAreRemovedThatAMajorityHas() {
    let node = leader()
    store(node, at: 4)
    #expect(node.removals == [4])
    node.answer(.written(revision: 70), to: isRemoval)
    // The watch of another node, or of another log in the same etcd, may be late.
    #expect(node.compactions.isEmpty)
  }

  /// Without it, removed entries, and the beats of an idle leader, would fill the store.
  @Test func aLeaderCompactsAfterAWindowOfWrites() {
    let node = TestNode.leader(of: log) { $0.compactedWrites = 3 }
    node.clear()
    for revision in UInt64(61)...67 {
      node.pass(.milliseconds(300))
      node.answer(.written(revision: revision)) {
        if case .put(.beat, _)? = $0.writes.first { true } else { false }
      }
    }
    // What is older than the previous window is forgotten, so that a watch may be late by one.
    #expect(node.compactions == [61, 64])
  }

  @Test func whatOnlyOneJournalHasIsKept() {
    let node = leader()
    node.core.append([[8]])
    node.take()
    node.answer(.written(revision: 64))
    node.core.journalStored(upTo: 4)
    node.pass(.milliseconds(10))
    #expect(node.removals.isEmpty)
  }

  /// The journal of a node that has not heard of the restoration has other entries at these positions.
  @Test func aJournalOfAnotherHistoryDoesNotCount() {
    let node = leader()
    node.core.append([[8]])
    node.take()
    node.answer(.written(revision: 64))
    node.core.journalStored(upTo: 4)
    status(node, 4, in: LogHistory(id: 6, store: TestNode.store))
    #expect(node.removals.isEmpty)
  }

  @Test func aBusyLeaderRemovesToo() {
    let node = leader()
    store(node, at: 4)
    node.answer(.written(revision: 70), to: isRemoval)
    // From here on, there is always an append without an answer.
    node.core.append([[9]])
    node.take()
    node.answer(.written(revision: 71))
    node.core.append([[9]])
    node.core.journalStored(upTo: 5)
    status(node, 5)
    #expect(node.removals == [4, 5])
    #expect(node.transaction.map { isRemoval($0.1) } == true)
  }

  @Test func aRemovalWithoutAnAnswerIsNotRepeated() {
    let node = leader()
    store(node, at: 4)
    node.answer(.unknown, to: isRemoval)
    node.pass(.milliseconds(100))
    #expect(node.removals == [4])
    // A later one does the same.
    node.pass(.milliseconds(200))
    #expect(node.removals == [4, 4])
  }

  /// A leader that has just taken over does not know what the one before has removed. It must not give up over that.
  @Test func whatAnEarlierLeaderHasRemovedIsNoReasonToStop() throws {
    let node = leader()
    store(node, at: 4)
    store(node, at: 5)
    #expect(node.removals == [4])
    let leading = Leadership(term: 2, node: TestNode.name("a"), process: 42)
    let last = try #require(node.snapshot()).last.bytes
    node.answer(
      .refused([
        TestNode.stored(.leader, leading), StoredValue(key: .entry(5), bytes: last, revision: 65),
      ]), to: isRemoval)
    node.pass(.milliseconds(1))
    #expect(node.core.leadingTerm == 2 && node.discards == 0 && node.removals == [4])
    // Another leader is.
    let other = self.leader()
    store(other, at: 4)
    other.answer(
      .refused([
        TestNode.stored(.leader, Leadership(term: 3, node: b, process: 3)), TestNode.stored(log[0]),
      ]), to: isRemoval)
    #expect(other.core.leadingTerm == nil && other.core.standing == .starting)
  }

  @Test func aFullStoreIsMadeEmptierAndTheLogGoesOn() {
    let node = leader(kept: 1 << 20)
    store(node, at: 4)
    #expect(node.removals.isEmpty)
    node.core.append([[9]])
    node.take()
    let since = node.now
    node.answer(.full)
    #expect(node.core.standing == .storeFull(since: since))
    // Nodes that were away have to take a snapshot.
    #expect(node.removals == [4])
    node.answer(.written(revision: 70), to: isRemoval)
    #expect(node.compactions.last == 70)
    node.clear()
    node.pass(.milliseconds(260))
    node.answer(.written(revision: 71)) { if case .put(.entry, _)? = $0.writes.first { true } else { false } }
    #expect(node.storedCounts == [1] && node.core.standing == .current(leads: true))
  }

  /// It has not counted the entries from before its start, and can append none that it would count.
  @Test func aNodeThatHasJustStartedMakesRoomInAFullStore() {
    let node = TestNode.leader(of: TestNode.log(turns: 9)) { ($0.keptBytes, $0.trimStepBytes) = (1 << 20, 1 << 20) }
    node.core.linkOpened(b)
    node.core.journalStored(upTo: 11)
    status(node, 10)
    node.clear()
    node.core.append([[9]])
    node.take()
    node.answer(.full) { if case .put(.entry, _)? = $0.writes.first { true } else { false } }
    #expect(node.removals == [10])
    node.answer(.written(revision: 70), to: isRemoval)
    node.pass(.milliseconds(260))
    #expect(node.removals == [10] && node.compactions.last == 70)
  }

  @Test func whileTheStoreIsFullItIsCompactedAgain() {
    let node = leader()
    node.core.append([[9]])
    node.take()
    for _ in 0..<3 {
      node.answer(.full)
      node.pass(.milliseconds(260))
    }
    #expect(node.compactions.count == 3)
  }

  // MARK: A restored store

  /// It still has the old leadership, and its log may need entries that no journal has any more.
  @Test func aStoreThatWasRestoredGetsNothing() throws {
    let node = leader()
    node.core.append([[9]])
    node.take()
    for case .transact(_, _, let store) in node.commands { #expect(store == TestNode.store) }
    node.answer(.elsewhere, in: TestNode.store + 1)
    #expect(node.discards == 1 && node.core.leadingTerm == nil && node.core.standing == .starting)
    // Only a proof finds out which store it is.
    let (_, proof) = try #require(node.pendingProof)
    #expect(proof.conditions.contains(.value(.history, TestNode.history.encoded())))
    node.answer(.written(revision: 5), in: TestNode.store + 1)
    #expect(node.core.standing == .refused(.restored))
  }
}
