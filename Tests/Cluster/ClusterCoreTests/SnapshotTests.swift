import ClusterCore
import ClusterLog
import Testing

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

  private func snapshot() throws -> ClusterSnapshot {
    try #require(TestNode.follower("b", of: log).snapshot([1, 2]))
  }

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

  @Test func theLeaderIsAskedFirst() {
    let node = TestNode("a", journal: TestNode.journal(Array(log[..<2])))
    for name in ["b", "c"] { node.core.linkOpened(TestNode.name(name)) }
    let leader = Leadership(term: 2, node: TestNode.name("c"), process: 3)
    node.core.received(.beat(leader, position: 4, isCurrent: true), from: TestNode.name("c"))
    node.answer(behind)
    #expect(node.snapshotRequests == [TestNode.name("c")])
  }

  @Test func aPieceGivesTheSenderTime() {
    let node = late(linkedTo: ["b"])
    for _ in 0..<5 {
      node.pass(.milliseconds(800))
      node.core.snapshotAdvanced(from: TestNode.name("b"))
    }
    #expect(node.snapshotRequests.count == 1)
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
    node.core.received(.snapshot(try snapshot()), from: TestNode.name("b"))
    node.take()
    #expect(!node.commands.contains { if case .install = $0 { true } else { false } })
    let (_, proof) = try #require(node.pendingProof)
    #expect(proof.conditions.contains(.value(.entry(2), log[1].bytes)))
    node.answer(behind) { $0 == proof }
    #expect(node.commands.contains { if case .install = $0 { true } else { false } })
    #expect(node.snapshotRequests.isEmpty)
  }
}
