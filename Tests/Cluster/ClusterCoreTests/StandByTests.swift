import ClusterCore
import ClusterLog
import Testing
import Wire

/// A node of a version with another schema than the log.
@Suite struct StandByTests {
  private let log = TestNode.log(turns: 3)
  private let newer = SchemaFingerprint(ofBytes: [2])

  private func opening(_ name: String, of schema: SchemaFingerprint) -> EncodedEntry {
    EncodedEntry(
      LogEntry(
        position: 5, leader: Leadership(term: 2, node: TestNode.name(name), process: 3), schema: schema,
        previous: log[3].checksum, content: .opening))
  }

  /// A follower that stands by.
  private func node(after log: [EncodedEntry]) -> TestNode {
    let node = TestNode(journal: TestNode.journal(log)) { [newer] in $0.schemas = [TestNode.schema, newer] }
    node.answer(.written(revision: 50))
    node.findNoMore()
    node.clear()
    return node
  }

  private func claims(_ node: TestNode) -> [SchemaFingerprint] {
    node.transactions.compactMap {
      for case .put(.entry, let bytes) in $0.writes { return try? EncodedEntry(decoding: bytes).entry.schema }
      return nil
    }
  }

  @Test func itFollowsALogOfItsOwnOrTheEarlierSchema() {
    let node = node(after: Array(log.prefix(3)))
    node.watch([log[3]])
    #expect(node.applied == [[[3]]])
    node.watch([opening("c", of: newer)])
    #expect(node.core.point.position == 5 && node.core.standing == .current(leads: false))
  }

  /// A node of the version with the log's schema may be left, and the operator may have upgraded only one.
  @Test func itTakesOverLaterThanOthers() {
    let node = node(after: log)
    let silence = node.core.options.takeoverAfter
    for _ in 0..<40 { node.pass(silence / 10) }
    #expect(claims(node).isEmpty)
    for _ in 0..<20 { node.pass(silence / 10) }
    #expect(claims(node) == [newer])
  }

  @Test func itLeadsAtOnceIfTheLeadershipIsPassedOnToIt() {
    let node = node(after: log)
    let handover = TestNode.entry(
      after: TestNode.journal(log).point, Leadership(term: 1, node: TestNode.name("b"), process: 9),
      .handover(to: TestNode.name("a")))
    node.watch([handover])
    node.pass(.milliseconds(1))
    #expect(claims(node) == [newer])
  }

  /// An empty journal has nothing that the log would contradict. It gets the state when a node of this version has it.
  @Test func anEmptyJournalWaitsForASnapshotOfItsSchema() {
    let node = TestNode { [newer] in $0.schemas = [newer] }
    node.core.linkOpened(TestNode.name("b"))
    node.take()
    node.answer(.refused([TestNode.stored(.history, TestNode.history), nil, nil, nil, nil]))
    node.answer(.written(revision: 50))
    node.watch([log[0]])
    #expect(node.core.needsSnapshot && node.core.lacksSchema && node.core.standing == .starting)
    #expect(node.snapshotRequests == [TestNode.name("b")])
    #expect(node.core.objection(toSnapshotAt: place(of: log[3])) != nil)
    let place = place(of: opening("b", of: newer))
    #expect(node.core.objection(toSnapshotAt: place) == nil)
    node.core.snapshotArrived(place)
    node.take()
    node.answer(.written(revision: 60)) { _ in true }
    #expect(node.installed == [place] && !node.core.lacksSchema)
  }

  private func place(of entry: EncodedEntry) -> JournalPlace {
    JournalPlace(history: TestNode.history, last: entry, turn: 3)
  }
}
