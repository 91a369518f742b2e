import ClusterCore
import ClusterLog
import Testing
import Wire

/// A relay: a node that gets the log from other nodes over links.
@Suite struct RelayTests {
  private let log = TestNode.log(turns: 3)
  private let session = ClusterSession(node: TestNode.name("r"), user: 1000, id: SessionID(high: 0, low: 1))

  private func isCurrent(_ node: TestNode) -> Bool { node.core.standing == .current(leads: false) }

  // MARK: Entries

  @Test func aNewRelayCopiesTheLogAndServesWhenItHasIt() {
    let node = TestNode("r", follows: ["b"])
    node.link("b")
    #expect(node.transaction == nil && node.lastRead == nil && node.requests(to: "b").isEmpty)
    node.hear(position: 4, from: "b")
    #expect(node.requests(to: "b") == [0])
    node.receive(.followed(.accepted(TestNode.history)), from: "b")
    for entry in log.dropLast() { node.receive(.entry(entry, parts: []), from: "b") }
    #expect(node.core.standing == .starting && node.core.point.position == 3)
    node.receive(.entry(log[3], parts: []), from: "b")
    #expect(isCurrent(node) && node.core.history == TestNode.history)
    #expect(node.applied == [[[1]], [[2]], [[3]]])
    #expect(node.core.upstream == TestNode.name("b") && node.core.path == [TestNode.name("r")])
  }

  @Test func aRelayDoesNotServeBeforeItsUpstreamIsCurrent() {
    let node = TestNode("r", journal: TestNode.journal(log), follows: ["b"])
    node.link("b")
    node.hear(position: 4, age: 5000, from: "b")
    node.receive(.followed(.accepted(TestNode.history)), from: "b")
    #expect(node.core.standing == .starting)
    node.hear(position: 4, from: "b")
    #expect(isCurrent(node))
  }

  @Test func aRelayNeverClaims() {
    let node = TestNode.relay(of: log)
    for _ in 0..<100 { node.pass(.milliseconds(500)) }
    #expect(node.transactions.isEmpty && node.lastRead == nil && node.core.leadingTerm == nil)
    guard case .waiting = node.core.standing else { return #expect(Bool(false), "\(node.core.standing)") }
  }

  @Test func anEntryOfAnotherLogIsNotTaken() {
    let node = TestNode.relay(of: Array(log.prefix(2)))
    node.hear(position: 4, from: "c")
    node.clear()
    let other = TestNode.log(by: "c", turns: 3)
    node.receive(.entry(other[2], parts: []), from: "b")
    #expect(node.core.point.position == 2 && node.applied.isEmpty)
    // The other node is asked for the same place.
    #expect(node.requests(to: "b") == [nil] && node.requests(to: "c") == [2])
    #expect(node.commands.contains { if case .report(.diverged) = $0 { true } else { false } })
    node.receive(.followed(.accepted(TestNode.history)), from: "c")
    // What is late of the first one does not matter.
    node.receive(.entry(log[2], parts: []), from: "b")
    #expect(node.core.point.position == 2)
    node.receive(.entry(log[2], parts: []), from: "c")
    #expect(node.core.point.position == 3)
  }

  @Test func entriesThatAreKnownOrTooEarlyAreIgnored() {
    let node = TestNode.relay(of: Array(log.prefix(2)))
    for entry in [log[0], log[1], log[3]] { node.receive(.entry(entry, parts: []), from: "b") }
    #expect(node.core.point.position == 2 && node.core.upstream == TestNode.name("b"))
  }

  @Test func anEntryThatIsAwaitedForLongIsAskedForAgain() {
    let node = TestNode.relay(of: Array(log.prefix(2)))
    node.clear()
    for _ in 0..<44 {
      node.hear(position: 4, from: "b")
      node.hear(position: 4, from: "c")
      node.pass(.milliseconds(250))
    }
    #expect(node.requests(to: "b").contains(nil) && node.requests(to: "c").contains(2))
  }

  // MARK: How old the state is

  @Test func theAgeOfTheUpstreamIsThatOfTheRelay() {
    let node = TestNode.relay(of: log)
    node.hear(position: 4, age: 700, from: "b")
    let since = node.now - .milliseconds(1)
    node.pass(.milliseconds(900))
    #expect(isCurrent(node))
    node.hear(position: 4, age: 901, from: "b")
    node.pass(.milliseconds(101))
    #expect(node.core.standing == .waiting(since: since))
    node.hear(position: 4, from: "b")
    #expect(isCurrent(node))
  }

  @Test func aRelayThatIsBehindIsNotCurrent() {
    let node = TestNode.relay(of: Array(log.prefix(2)))
    node.pass(.milliseconds(900))
    node.hear(position: 3, from: "b")
    node.hear(position: 4, from: "b")
    node.pass(.milliseconds(200))
    guard case .waiting = node.core.standing else { return #expect(Bool(false), "\(node.core.standing)") }
    // The first of the two was the whole log, 0.2 s ago.
    node.receive(.entry(log[2], parts: []), from: "b")
    #expect(isCurrent(node) && node.core.lag == 1)
  }

  // MARK: The choice

  @Test func theNextNodeIsFollowedWhenTheFirstIsGone() {
    let node = TestNode.relay(of: log)
    node.hear(position: 4, from: "c")
    node.clear()
    node.core.linkClosed(TestNode.name("b"))
    node.take()
    #expect(node.requests(to: "c") == [4] && node.core.upstream == nil && isCurrent(node))
    node.receive(.followed(.accepted(TestNode.history)), from: "c")
    #expect(node.core.upstream == TestNode.name("c"))
    // And back, when the preferred one has been there for a while.
    node.link("b")
    for _ in 0..<19 {
      node.hear(position: 4, from: "b")
      node.hear(position: 4, from: "c")
      node.pass(.milliseconds(250))
    }
    #expect(node.core.upstream == TestNode.name("c"))
    for _ in 0..<3 {
      node.hear(position: 4, from: "b")
      node.hear(position: 4, from: "c")
      node.pass(.milliseconds(250))
    }
    #expect(node.requests(to: "b") == [4] && node.requests(to: "c") == [4, nil])
  }

  /// The machine of the preferred node is lost, and its link is still open.
  @Test func aPreferredNodeThatHasFallenSilentIsLeftForGood() {
    let node = TestNode.relay(of: log)
    for _ in 0..<24 {
      node.hear(position: 4, from: "b")
      node.hear(position: 4, from: "c")
      node.pass(.milliseconds(250))
    }
    node.clear()
    for _ in 0..<12 {
      node.hear(position: 4, from: "c")
      if node.requests(to: "c") == [4], node.core.upstream == nil {
        node.receive(.followed(.accepted(TestNode.history)), from: "c")
      }
      node.pass(.milliseconds(250))
    }
    #expect(node.requests(to: "c") == [4] && node.requests(to: "b") == [nil])
    #expect(node.core.upstream == TestNode.name("c") && isCurrent(node))
  }

  @Test func aNodeThatIsNewerIsFollowedInPlaceOfAStaleOne() {
    let node = TestNode.relay(of: log)
    node.clear()
    for age in 1...6 {
      node.hear(position: 4, age: UInt64(age) * 250, from: "b")
      node.hear(position: 4, age: age < 5 ? UInt64(age) * 250 : 1, from: "c")
      node.pass(.milliseconds(250))
    }
    #expect(node.requests(to: "b") == [nil] && node.requests(to: "c") == [4])
  }

  /// Without a leader, all are stale: nothing would be better elsewhere.
  @Test func whenAllAreStaleNothingChanges() {
    let node = TestNode.relay(of: log)
    node.clear()
    for age in 1...40 {
      for upstream in ["b", "c"] { node.hear(position: 4, age: UInt64(age) * 250, from: upstream) }
      node.pass(.milliseconds(250))
    }
    #expect(node.requests(to: "b").isEmpty && node.requests(to: "c").isEmpty)
  }

  @Test func aNodeBelowIsNotFollowed() {
    let node = TestNode("r", journal: TestNode.journal(log), follows: ["b"])
    node.link("b")
    node.hear(position: 4, path: ["b", "r"], from: "b")
    #expect(node.requests(to: "b").isEmpty)
    node.hear(position: 4, path: ["b"], from: "b")
    node.receive(.followed(.accepted(TestNode.history)), from: "b")
    #expect(node.core.path == ["b", "r"].map(TestNode.name))
    node.hear(position: 4, path: ["r", "b"], from: "b")
    #expect(node.requests(to: "b") == [4, nil] && node.core.upstream == nil)
  }

  @Test func aNodeThatDoesNotKnowRelaysIsNotAsked() {
    let node = TestNode("r", journal: TestNode.journal(log), follows: ["b"])
    node.core.linkOpened(TestNode.name("b"), knowsRelays: false)
    node.hear(position: 4, from: "b")
    #expect(node.requests(to: "b").isEmpty)
  }

  // MARK: Refusals

  @Test func aJournalOfAnotherLogIsRefusedByItsReason() {
    let node = TestNode("r", journal: TestNode.journal(log), follows: ["b"])
    let other = LogHistory(id: 6, store: 9)
    node.link("b")
    node.hear(position: 4, from: "b")
    node.receive(.followed(.refused(.otherHistory(other))), from: "b")
    #expect(
      node.core.standing
        == .refused(.otherLog(of: TestNode.name("b"), expected: TestNode.history, found: other, position: 4)))
    // It is asked again: the operator may have corrected it.
    node.pass(.seconds(2))
    #expect(node.requests(to: "b") == [4, 4])
  }

  @Test func oneNodeWithAnotherLogDoesNotStopARelay() {
    let node = TestNode("r", journal: TestNode.journal(log), follows: ["b", "c"])
    for upstream in ["b", "c"] { node.link(upstream) }
    for upstream in ["b", "c"] { node.hear(position: 4, from: upstream) }
    node.receive(.followed(.refused(.diverged)), from: "b")
    #expect(node.requests(to: "c") == [4] && node.core.standing == .starting)
  }

  @Test func aLogThatWasContinuedUnderAnotherNameIsTaken() {
    let node = TestNode.relay(of: log)
    let other = LogHistory(id: 6, store: 78)
    node.core.open(session, processed: 0)
    node.core.act(session, [[1]])
    node.receive(.followed(.refused(.notReady)), from: "b")
    node.pass(.milliseconds(300))
    node.receive(.followed(.accepted(other)), from: "b")
    #expect(node.core.history == other && node.core.heldByteCount == 0)
    #expect(node.commands.contains { if case .adopt(other, endsSessions: true) = $0 { true } else { false } })
  }

  @Test func entriesThatNobodyHasComeWithASnapshot() throws {
    let node = TestNode("r", follows: ["b"])
    node.link("b")
    node.hear(position: 4, from: "b")
    node.receive(.followed(.refused(.lacks(TestNode.history))), from: "b")
    #expect(node.snapshotRequests == [TestNode.name("b")] && node.core.needsSnapshot)
    let place = JournalPlace(history: TestNode.history, last: log[3], turn: 3)
    node.core.snapshotArrived(place)
    node.take()
    // The node that is followed proves it.
    #expect(node.installed.isEmpty && node.requests(to: "b") == [0])
    node.pass(.seconds(1))
    node.hear(position: 4, from: "b")
    #expect(node.requests(to: "b") == [0, 4])
    node.receive(.followed(.accepted(TestNode.history)), from: "b")
    #expect(node.installed == [place] && isCurrent(node) && node.core.point == place.point)
  }

  /// The refusal answers a request that the node sent before it had the snapshot.
  @Test func aLateRefusalOfAnEarlierPlaceDiscardsNoSnapshot() {
    let node = TestNode("r", follows: ["c", "b"])
    for upstream in ["c", "b"] { node.link(upstream) }
    for upstream in ["c", "b"] { node.hear(position: 4, from: upstream) }
    #expect(node.requests(to: "c") == [0])
    // Before it answers it follows this node itself for a while, so the other one is asked.
    node.hear(position: 4, path: ["r"], from: "c")
    #expect(node.requests(to: "b") == [0])
    node.receive(.followed(.refused(.lacks(TestNode.history))), from: "b")
    #expect(node.snapshotRequests == [TestNode.name("c")])
    let place = JournalPlace(history: TestNode.history, last: log[3], turn: 3)
    node.clear()
    node.core.snapshotArrived(place)
    node.take()
    for _ in 0..<20 where node.requests(to: "c").isEmpty {
      node.pass(.milliseconds(100))
      node.hear(position: 4, from: "c")
    }
    #expect(node.requests(to: "c") == [4])
    node.receive(.followed(.refused(.lacks(TestNode.history))), from: "c")
    #expect(node.discarded.isEmpty && node.installed.isEmpty)
    node.receive(.followed(.accepted(TestNode.history)), from: "c")
    #expect(node.installed == [place] && node.core.point == place.point)
  }

  /// A node that lags behind still gave the log the name from before it was restored.
  @Test func anEmptyJournalTakesTheNewNameOfTheLog() {
    let node = TestNode("r", follows: ["b"])
    node.link("b")
    node.hear(position: 4, from: "b")
    node.receive(.followed(.refused(.lacks(TestNode.history))), from: "b")
    let other = LogHistory(id: 6, store: 78)
    let place = JournalPlace(history: other, last: log[3], turn: 3)
    node.core.snapshotArrived(place)
    node.take()
    #expect(node.discarded == [place] && node.installed.isEmpty)
    node.pass(.seconds(2))
    node.hear(position: 4, from: "b")
    node.receive(.followed(.refused(.lacks(other))), from: "b")
    node.core.snapshotArrived(place)
    node.pass(.seconds(1))
    node.hear(position: 4, from: "b")
    node.receive(.followed(.accepted(other)), from: "b")
    #expect(node.installed == [place] && isCurrent(node) && node.core.history == other)
  }

  // MARK: Actions

  @Test func actionsGoToTheNodeThatIsFollowed() {
    let node = TestNode.relay(of: log)
    node.core.open(session, processed: 4)
    node.core.act(session, [[1]])
    node.take()
    #expect(node.sentActions == ["b 1: 5 01"])
    // There is no way for a while.
    node.hear(position: 4, way: 0, from: "b")
    node.core.act(session, [[2]])
    node.take()
    #expect(node.sentActions.count == 1 && node.core.actionWay == nil)
    node.hear(position: 4, way: 2, from: "b")
    #expect(node.sentActions == ["b 1: 5 01", "b 1: 5 01,02"])
    // Another way of the same node, which may have lost them.
    node.hear(position: 4, way: 3, from: "b")
    #expect(node.sentActions.count == 3 && node.core.actionWay?.number == 3)
  }

  @Test func whatHasNoOutcomeIsSentToTheNextNode() {
    let node = TestNode.relay(of: log)
    node.core.open(session, processed: 0)
    node.core.act(session, [[1]])
    node.hear(position: 4, way: 7, from: "c")
    node.core.linkClosed(TestNode.name("b"))
    node.take()
    node.clear()
    node.receive(.followed(.accepted(TestNode.history)), from: "c")
    #expect(node.sentActions == ["c 1: 1 01"])
  }

  @Test func theJournalIsReportedToTheNodeThatIsFollowed() {
    let node = TestNode.relay(of: log)
    node.clear()
    node.core.journalStored(upTo: 4)
    node.take()
    #expect(node.sent(to: "b") == [.status(history: 5, stored: 4)] && node.sent(to: "c").isEmpty)
  }
}
