import ClusterCore
import ClusterLog
import Testing

/// How long a node waits for a leader. If the leader of etcd dies together with the hub that leads, the last entries arrive
/// only when etcd has elected another one: they are signs of a hub that has been dead for long.
@Suite struct TakeoverTests {
  private let log = TestNode.log(turns: 4)

  private func beat(_ revision: UInt64) -> StoredValue { StoredValue(key: .beat, bytes: [1], revision: revision) }

  /// The ways in which old values arrive late.
  enum Way: CaseIterable { case watch, several, refusal, refusedWithABeat }

  private func bringLate(_ way: Way, to node: TestNode, _ claim: (number: UInt64, LogTransaction)) {
    switch way {
    case .watch: node.watch([log[2]])
    case .several:
      node.watch([log[2]])
      node.pass(.milliseconds(100))
      node.watch(Array(log[3...]))
    case .refusal, .refusedWithABeat:
      let isBeat = way == .refusedWithABeat
      node.core.transactionEnded(
        claim.number, in: TestNode.store,
        .refused([
          TestNode.stored(.leader, log[0].entry.leader), isBeat ? nil : TestNode.stored(log[2]),
          TestNode.stored(log[1]), isBeat ? beat(70) : nil, TestNode.stored(.history, TestNode.history),
          TestNode.registration(process: 42, ordinal: 1, revision: 50),
        ]))
      node.take()
    }
  }

  /// A node whose claim has had no answer when something late arrives, 1.3 s after the last sign.
  private func lateNode(_ way: Way) throws -> TestNode {
    let node = TestNode.follower(of: Array(log[..<2]))
    node.core.linkOpened(TestNode.name("b"))
    node.pass(.milliseconds(1300))
    let claim = try #require(node.transaction)
    node.clear()
    bringLate(way, to: node, claim)
    #expect(node.transactions.isEmpty)
    return node
  }

  @Test(arguments: Way.allCases)
  func lateSignsPutATakeoverOffByTwoBeats(way: Way) throws {
    let node = try lateNode(way)
    node.pass(.milliseconds(350))
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(150))
    #expect(node.transactions.count == 1)
  }

  @Test(arguments: Way.allCases)
  func aLeaderThatShowsItselfAgainIsWaitedForAsBefore(way: Way) throws {
    let node = try lateNode(way)
    node.pass(.milliseconds(300))
    node.core.watched([beat(80)], in: TestNode.store)
    node.pass(.milliseconds(950))
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(100))
    #expect(node.transactions.count == 1)
  }

  /// A message over a link is never an old sign.
  @Test(arguments: [true, false])
  func aLinkedLeaderIsWaitedForAsBefore(isCurrent: Bool) throws {
    let node = try lateNode(.watch)
    let message = ClusterMessage.beat(log[0].entry.leader, position: 3, isCurrent: isCurrent)
    node.core.received(message, from: TestNode.name("b"))
    node.pass(.milliseconds(450))
    // A leader that waits for the store says so again and again.
    if !isCurrent { node.core.received(message, from: TestNode.name("b")) }
    node.pass(.milliseconds(450))
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(150))
    #expect(node.transactions.count == 1)
  }

  /// A short silence says nothing.
  @Test func aSignAfterAShortSilenceCounts() {
    let node = TestNode.follower(of: Array(log[..<2]))
    node.clear()
    node.pass(.milliseconds(700))
    node.watch([log[2]])
    node.pass(.milliseconds(950))
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(100))
    #expect(node.transactions.count == 1)
  }

  /// Another node that has taken over just now is no old leader.
  @Test func aNewLeaderIsWaitedForAsBefore() throws {
    let node = TestNode.follower(of: Array(log[..<2]))
    node.pass(.milliseconds(1300))
    node.clear()
    let other = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    node.watch([TestNode.entry(after: node.core.point, other, .opening)])
    node.pass(.milliseconds(950))
    #expect(node.transactions.isEmpty)
    node.pass(.milliseconds(100))
    #expect(node.transactions.count == 1)
  }
}
