import ClusterCore
import ClusterLog
import Testing
import Wire

/// Actions find the leader, whoever it is.
@Suite struct ForwardingTests {
  private let log = TestNode.log()
  private let session = ClusterSession(node: TestNode.name("a"), user: 1000, id: SessionID(high: 0, low: 1))

  private func beat(_ leader: Leadership, isCurrent: Bool = true) -> ClusterMessage {
    .beat(leader, position: 2, isCurrent: isCurrent)
  }

  @Test func aFollowerHoldsActionsUntilItHearsTheLeader() {
    let node = TestNode.follower(of: log)
    node.core.open(session, processed: 4)
    node.core.act(session, [[1]])
    node.core.linkOpened(TestNode.name("b"))
    node.take()
    #expect(node.sentActions.isEmpty && node.core.heldByteCount == 1)
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    node.core.act(session, [[2]])
    node.take()
    #expect(node.sentActions == ["b 1: 5 01,02"])
  }

  /// A frame has many actions, and a message of a link costs more than an action.
  @Test func actionsOfASessionThatFollowEachOtherShareAMessage() {
    let node = TestNode.follower(of: log)
    let other = ClusterSession(node: TestNode.name("a"), user: 1000, id: SessionID(high: 0, low: 2))
    for session in [session, other] { node.core.open(session, processed: 0) }
    node.core.linkOpened(TestNode.name("b"))
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    node.take()
    for action in 1...3 { node.core.act(session, [[UInt8(action)]]) }
    for action in 4...5 { node.core.act(other, [[UInt8(action)]]) }
    node.core.act(session, [[6]])
    node.take()
    node.core.act(session, [[7]])
    node.take()
    #expect(node.sentActions == ["b 1: 1 01,02,03", "b 1: 1 04,05", "b 1: 4 06", "b 1: 5 07"])
  }

  @Test func whatHasNoOutcomeIsSentAgainOverANewLink() {
    let node = TestNode.follower(of: log)
    node.core.open(session, processed: 0)
    node.core.linkOpened(TestNode.name("b"))
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    for action in 1...3 { node.core.act(session, [[UInt8(action)]]) }
    node.core.processed(session, upTo: 1)
    node.core.linkClosed(TestNode.name("b"))
    node.core.linkOpened(TestNode.name("b"))
    node.take()
    node.clear()
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    node.take()
    #expect(node.sentActions == ["b 1: 2 02,03"])
    node.core.processed(session, upTo: 3)
    #expect(node.core.heldByteCount == 0)
  }

  @Test func anotherLeaderGetsThemToo() {
    let node = TestNode.follower(of: log)
    node.core.open(session, processed: 0)
    for name in ["b", "c"] { node.core.linkOpened(TestNode.name(name)) }
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    node.core.act(session, [[1]])
    let other = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    // The link may be faster than the log.
    node.core.received(beat(other), from: TestNode.name("c"))
    node.take()
    node.clear()
    node.watch([TestNode.entry(after: node.core.point, other, .opening)])
    #expect(node.sentActions == ["c 2: 1 01"])
  }

  @Test func aNodeThatLeadsPerformsThem() {
    let node = TestNode.follower(of: log)
    node.core.open(session, processed: 0)
    node.core.act(session, [[1]])
    node.pass(.milliseconds(1300))
    node.answer(.written(revision: 60))
    #expect(node.performed == ["a: 1 01"])
    // Those of other nodes, of its term and in their own name only.
    node.clear()
    node.core.linkOpened(TestNode.name("b"))
    let other = ClusterSession(node: TestNode.name("b"), user: 1000, id: SessionID(high: 0, low: 1))
    node.core.received(.actions(term: 2, other, first: 3, [[9]]), from: TestNode.name("b"))
    node.core.received(.actions(term: 1, other, first: 4, [[9]]), from: TestNode.name("b"))
    node.core.received(.actions(term: 2, session, first: 1, [[9]]), from: TestNode.name("b"))
    node.take()
    #expect(node.performed == ["b: 3 09"])
  }

  /// A leader that says that it waits for the store gets twice the time: the store may elect a leader of its own.
  @Test func aLeaderThatWaitsForTheStoreIsWaitedForOnce() {
    let node = TestNode.follower(of: log)
    node.core.linkOpened(TestNode.name("b"))
    for _ in 0..<3 {
      node.pass(.milliseconds(500))
      node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    }
    #expect(node.transactions.count == 1)
    for _ in 0..<4 {
      node.pass(.milliseconds(400))
      node.core.received(beat(log[0].entry.leader, isCurrent: false), from: TestNode.name("b"))
    }
    node.take()
    #expect(node.transactions.count == 1)
    for _ in 0..<2 {
      node.pass(.milliseconds(400))
      node.core.received(beat(log[0].entry.leader, isCurrent: false), from: TestNode.name("b"))
    }
    node.take()
    #expect(node.transactions.count == 2)
  }

  /// The link is silent as well.
  @Test func aLeaderThatHasWaitedAndIsSilentIsNotWaitedFor() throws {
    let node = TestNode.follower(of: log)
    node.core.linkOpened(TestNode.name("b"))
    node.pass(.milliseconds(500))
    node.core.received(beat(log[0].entry.leader, isCurrent: false), from: TestNode.name("b"))
    node.pass(.milliseconds(450))
    #expect(node.transactions.count == 1)
    while node.now < .seconds(101.3), let next = node.core.nextTime {
      node.pass(max(next - node.now, .milliseconds(1)))
    }
    #expect(node.transactions.count == 2)
  }

  /// A node whose way to the store is cut hears the leader, but its reads are stale.
  @Test func aNodeThatIsBehindSaysSo() {
    let node = TestNode.follower(of: log)
    node.findNoMore()
    let start = node.now
    node.core.linkOpened(TestNode.name("b"))
    for _ in 0..<3 {
      node.pass(.milliseconds(500))
      node.core.received(.beat(log[0].entry.leader, position: 3, isCurrent: true), from: TestNode.name("b"))
    }
    node.take()
    #expect(node.transactions.count == 1 && node.core.standing == .waiting(since: start))
    node.core.received(beat(log[0].entry.leader), from: TestNode.name("b"))
    node.take()
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func missingEntriesAreRead() {
    let node = TestNode.follower(of: Array(log[..<1]))
    node.core.readEnded(2, in: TestNode.store, .entries([], first: 1, beat: nil, at: 50))
    node.take()
    node.clear()
    let leader = log[0].entry.leader
    let next = TestNode.entry(after: TestNode.journal(log).point, leader, .turns(first: 2, [[2]]))
    node.watch([next])
    #expect(node.applied.isEmpty)
    guard case .read(let number, .entries(from: 2))? = node.commands.first else {
      Issue.record("\(node.commands)")
      return
    }
    node.core.readEnded(
      number, in: TestNode.store, .entries([log[1], next].map(TestNode.stored), first: 1, beat: nil, at: 50))
    node.take()
    #expect(node.applied == [[[1]], [[2]]])
  }
}
