import ClusterCore
import ClusterLog
import Testing
import Wire

/// A node takes over, appends, and ends its leadership.
@Suite struct LeadingTests {
  private let log = TestNode.log()

  @Test func theFirstNodeBeginsTheHistory() throws {
    let node = TestNode()
    node.answer(.written(revision: 1))
    #expect(node.core.leadingTerm == nil)
    node.pass(.milliseconds(1300))
    let claim = try #require(node.transaction?.1)
    #expect(claim.conditions.contains(.absent(.history)) && claim.conditions.contains(.absent(.leader)))
    node.answer(.written(revision: 2))
    #expect(node.core.leadingTerm == 1 && node.core.history?.store == TestNode.store)
    // There are no effects of a previous leader.
    #expect(node.starts == [1])
  }

  @Test func aSignOfLifePutsTheTakeoverOff() {
    let node = TestNode.follower(of: log)
    node.clear()
    for revision in 0..<8 {
      node.pass(.milliseconds(600))
      node.core.watched([StoredValue(key: .beat, bytes: [1], revision: UInt64(60 + revision))], in: TestNode.store)
    }
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(1300))
    #expect(node.transactions.first?.conditions.contains(.revision(.beat, 67)) == true)
  }

  /// A claim without an answer is repeated. If an attempt has taken effect, the entry is there.
  @Test func aClaimIsSettledByItself() throws {
    let node = TestNode.follower(of: log)
    node.pass(.milliseconds(1300))
    let (_, claim) = try #require(node.transaction)
    node.answer(.unknown)
    #expect(node.transaction?.1 == claim && node.core.leadingTerm == nil)
    guard case .put(_, let leader) = claim.writes[0], case .put(_, let opening) = claim.writes[1] else { return }
    node.answer(
      .refused([
        StoredValue(key: .leader, bytes: leader, revision: 70),
        StoredValue(key: .entry(3), bytes: opening, revision: 70),
        TestNode.stored(log[1]), nil, TestNode.stored(.history, TestNode.history), nil,
      ]))
    #expect(node.core.leadingTerm == 2)
  }

  @Test func whoIsSecondFollows() throws {
    let node = TestNode.follower(of: log)
    node.pass(.milliseconds(1300))
    let other = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    let opening = TestNode.entry(after: node.core.point, other, .opening)
    node.answer(
      .refused([
        TestNode.stored(.leader, other), TestNode.stored(opening), TestNode.stored(log[1]), nil,
        TestNode.stored(.history, TestNode.history), nil,
      ]))
    #expect(node.core.leadingTerm == nil && node.core.point.leader == other)
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func turnsThatWaitShareAnEntry() throws {
    let node = TestNode.leader(of: log)
    node.clear()
    node.core.append([[1], [2]])
    node.core.append([[3]])
    node.take()
    #expect(node.transactions.count == 1)
    node.core.append([[4]])
    node.answer(.written(revision: 61))
    #expect(node.storedCounts == [2])
    node.answer(.written(revision: 62))
    #expect(node.storedCounts == [2, 2])
    #expect(node.core.point.turn == 5 && node.core.point.position == 5)
  }

  /// Two clients with an action in flight each must not take turns, so that each waits for two transactions.
  @Test func anEntryWaitsForTheAnswersToTheOneBefore() throws {
    let node = TestNode.leader(of: log)
    node.clear()
    node.core.append([[1]])
    node.take()
    node.core.append([[2]])
    node.pass(.milliseconds(1))
    node.answer(.written(revision: 61))
    // The second client's turn waits for the next one of the first.
    #expect(node.storedCounts == [1] && node.transactions.count == 1)
    node.core.append([[3]])
    node.take()
    node.answer(.written(revision: 62))
    #expect(node.storedCounts == [1, 2])
  }

  /// A client that does not send its next action delays the others once, for a few transactions at most.
  @Test func anEntryDoesNotWaitForLong() throws {
    let node = TestNode.leader(of: log)
    node.clear()
    node.core.append([[1]])
    node.take()
    var revision: UInt64 = 61
    for number in UInt8(2)...65 {
      node.core.append([[number]])
      node.pass(.milliseconds(1))
      node.answer(.written(revision: revision))
      revision += 1
      if number == 2 {
        #expect(node.transactions.count == 1)
        node.pass(.milliseconds(4))
      }
      #expect(node.transactions.count == Int(number))
    }
  }

  @Test func aLargeTurnIsStoredInPartsFirst() throws {
    let node = TestNode.leader(of: log) { $0.entryBytes = LogEntry.overhead + 10 }
    node.clear()
    let turn = [UInt8](0..<25)
    node.core.append([turn, [1]])
    node.take()
    for index in 0..<3 {
      guard case .put(.part(3 + 1, 42, index), _)? = node.transactions.last?.writes.first else {
        Issue.record("part \(index): \(node.transactions)")
        return
      }
      node.answer(.written(revision: 61))
    }
    #expect(node.storedCounts.isEmpty)
    node.answer(.written(revision: 62))
    #expect(node.storedCounts == [1])
    node.answer(.written(revision: 63))
    #expect(node.storedCounts == [1, 1])
  }

  /// Nothing but the transaction itself settles an unknown outcome.
  @Test func anUnknownOutcomeIsSettledByTheSameTransaction() throws {
    let node = TestNode.leader(of: log)
    node.clear()
    node.core.append([[8]])
    node.take()
    let (_, transaction) = try #require(node.transaction)
    guard case .put(let key, let bytes) = transaction.writes[0] else { return }
    let entry = try EncodedEntry(decoding: bytes)
    node.answer(.unknown)
    // Not even the entry in the watch.
    node.core.watched([StoredValue(key: key, bytes: bytes, revision: 70)], in: TestNode.store)
    node.take()
    #expect(node.storedCounts.isEmpty && node.discards == 0 && node.transaction?.1 == transaction)
    node.answer(
      .refused([TestNode.stored(.leader, entry.entry.leader), TestNode.stored(entry), nil]))
    #expect(node.storedCounts == [1] && node.core.leadingTerm == 2)
  }

  @Test func aDeposedLeaderDiscardsWhatIsNotStored() throws {
    let node = TestNode.leader(of: log)
    node.core.append([[8]])
    node.take()
    let other = Leadership(term: 3, node: TestNode.name("c"), process: 3)
    let opening = TestNode.entry(after: node.core.point, other, .opening)
    let last = try #require(node.snapshot()).last.bytes
    node.answer(
      .refused([
        TestNode.stored(.leader, other), TestNode.stored(opening),
        StoredValue(key: .entry(3), bytes: last, revision: 60),
      ]))
    #expect(node.discards == 1 && node.storedCounts.isEmpty && node.core.leadingTerm == nil)
    #expect(node.core.point.leader == other)
  }

  // MARK: Effects

  @Test func effectsWaitForTheEndOfThePreviousLeaders() {
    let node = TestNode.leader(of: log)
    // The last sign of the previous leader was the proof.
    #expect(node.starts.isEmpty)
    for _ in 0..<3 {
      node.pass(.milliseconds(250))
      node.answer(.written(revision: 61))
    }
    #expect(node.starts == [2])
  }

  @Test func effectsEndWithoutConfirmation() {
    let node = TestNode.leader(of: log)
    for _ in 0..<4 {
      node.pass(.milliseconds(250))
      node.answer(.written(revision: 61))
    }
    #expect(node.starts == [2] && node.cancels == 0)
    node.pass(.milliseconds(300))
    node.answer(.unknown)
    node.pass(.milliseconds(1150))
    #expect(node.cancels == 0)
    node.pass(.milliseconds(100))
    #expect(node.cancels == 1 && node.core.leadingTerm == 2)
    guard case .waiting = node.core.standing else {
      Issue.record("\(node.core.standing)")
      return
    }
    // It still leads, and the store answers again.
    node.answer(.unknown)
    node.answer(.written(revision: 62))
    node.pass(.zero)
    #expect(node.starts == [2, 2])
  }

  // MARK: Transfer

  @Test func aTransferStoresEverythingFirst() throws {
    let node = TestNode.leader(of: log)
    node.core.linkOpened(TestNode.name("c"))
    node.core.append([[8]])
    #expect(node.transfer(to: "b") == false)
    #expect(node.transfer(to: "c"))
    node.take()
    node.answer(.written(revision: 61))
    #expect(node.storedCounts == [1] && node.core.leadingTerm == 2)
    node.answer(.written(revision: 62))
    #expect(node.core.leadingTerm == nil && node.core.point.successor == TestNode.name("c"))
  }

  /// A follower that has seen the beats of a leader for some time.
  private func longFollower() -> TestNode {
    let node = TestNode.follower(of: log)
    for revision in 0..<4 {
      node.pass(.milliseconds(600))
      node.core.watched([StoredValue(key: .beat, bytes: [1], revision: UInt64(51 + revision))], in: TestNode.store)
    }
    node.clear()
    return node
  }

  @Test func theSuccessorDoesNotWait() throws {
    let node = longFollower()
    node.watch([TestNode.entry(after: node.core.point, log[0].entry.leader, .handover(to: TestNode.name("a")))])
    node.pass(.zero)
    node.answer(.written(revision: 61))
    #expect(node.core.leadingTerm == 2 && node.starts == [2])
  }

  /// A leader that took over after a silence has waited for the end of the earlier effects when it handed over. So does its
  /// successor, and so does one whose process began after that.
  @Test(arguments: [false, true]) func theSuccessorWaitsForEffectsBeforeItsPredecessor(hasStarted: Bool) throws {
    let second = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    let opening = TestNode.entry(after: TestNode.journal(log).point, second, .opening)
    let node = hasStarted ? TestNode.follower(of: log + [opening]) : longFollower()
    if !hasStarted { node.watch([opening]) }
    node.pass(.milliseconds(200))
    node.watch([TestNode.entry(after: node.core.point, second, .handover(to: TestNode.name("a")))])
    node.pass(.zero)
    node.answer(.written(revision: 62))
    #expect(node.core.leadingTerm == 3)
    for _ in 0..<7 {
      #expect(node.starts.isEmpty)
      node.pass(.milliseconds(250))
      node.answer(.written(revision: 63))
    }
    node.pass(.milliseconds(50))
    #expect(node.starts == [3])
  }

  /// A leader that stops chooses the node which needs no further entries.
  @Test func theBestSuccessorIsTheLinkedNodeThatIsTheFurthest() {
    let node = TestNode.leader(of: log)
    #expect(node.core.bestSuccessor == nil)
    for name in ["b", "c"] { node.core.linkOpened(TestNode.name(name)) }
    node.core.received(.status(history: TestNode.history.id, stored: 1), from: TestNode.name("b"))
    node.core.received(.status(history: TestNode.history.id, stored: 2), from: TestNode.name("c"))
    #expect(node.core.bestSuccessor == TestNode.name("c"))
    node.core.linkClosed(TestNode.name("c"))
    #expect(node.core.bestSuccessor == TestNode.name("b"))
  }

  /// A follower counts the entries that the leader has announced, for the operator.
  @Test func theLagIsWhatTheLeaderHasBeyondTheNode() throws {
    let node = TestNode.follower(of: log)
    let leader = try #require(node.core.point.leader)
    node.core.linkOpened(leader.node)
    node.core.received(.beat(leader, position: node.core.point.position + 3, isCurrent: true), from: leader.node)
    #expect(node.core.lag == 3)
    node.core.received(.beat(leader, position: node.core.point.position, isCurrent: true), from: leader.node)
    #expect(node.core.lag == 0)
  }
}
