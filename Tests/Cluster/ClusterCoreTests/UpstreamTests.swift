import ClusterCore
import ClusterLog
import Testing
import Wire

/// A node that relays follow.
@Suite struct UpstreamTests {
  private let log = TestNode.log(turns: 3)
  private let session = ClusterSession(node: TestNode.name("r"), user: 1000, id: SessionID(high: 0, low: 1))

  /// A follower that has seen the last entries of the log itself, with a link to a relay.
  private func upstream(
    from count: Int = 2, bytes: Int = 4 << 20, isProved: Bool = true
  ) -> TestNode {
    let node = TestNode(
      journal: TestNode.journal(Array(log.prefix(count))),
      change: {
        $0.relays = ["r", "s"].map(TestNode.name).reduce(into: []) { $0.insert($1) }
        $0.relayBytes = bytes
      })
    if isProved {
      node.answer(.written(revision: 50))
      node.watch(Array(log.dropFirst(count)))
      node.findNoMore()
    }
    node.link("r")
    return node
  }

  private func request(_ position: Int, _ history: LogHistory? = TestNode.history) -> ClusterMessage {
    .follow(
      FollowRequest(
        history: history, position: UInt64(position), checksum: position > 0 ? log[position - 1].checksum : 0))
  }

  private func next(_ node: TestNode, _ turn: UInt8) -> EncodedEntry {
    TestNode.entry(
      after: node.core.point, log[0].entry.leader, .turns(first: node.core.point.turn + 1, [[turn]]))
  }

  // MARK: Entries

  @Test func aRelayGetsWhatItLacksAndWhatComes() {
    let node = upstream()
    node.receive(request(2), from: "r")
    #expect(node.answers(to: "r") == [.accepted(TestNode.history)] && node.entries(to: "r") == [3, 4])
    let entry = next(node, 9)
    node.watch([entry])
    #expect(node.entries(to: "r") == [3, 4, 5])
    node.receive(.follow(nil), from: "r")
    node.watch([next(node, 10)])
    #expect(node.entries(to: "r") == [3, 4, 5])
  }

  @Test func onlyRelaysOfTheConfigurationAreServed() {
    let node = upstream()
    node.link("x")
    node.receive(request(2), from: "x")
    #expect(node.sent(to: "x").isEmpty)
  }

  @Test func aLeaderServesItsOwnEntries() {
    let node = TestNode.leader(of: log) { $0.relays = [TestNode.name("r")] }
    node.link("r")
    node.receive(request(4), from: "r")
    #expect(node.entries(to: "r") == [5])
    node.core.append([[7]])
    node.take()
    #expect(node.entries(to: "r") == [5])
    node.answer(.written(revision: 70))
    #expect(node.entries(to: "r") == [5, 6])
  }

  @Test func olderEntriesComeFromTheStore() {
    let node = upstream(from: 4)
    node.receive(request(0, nil), from: "r")
    #expect(node.answers(to: "r") == [.accepted(TestNode.history)] && node.entries(to: "r").isEmpty)
    guard case .read(let number, .entries(from: 1))? = node.lastRead else { return #expect(Bool(false), "no read") }
    node.core.readEnded(number, in: TestNode.store, .entries(log.map(TestNode.stored), first: 1, beat: nil, at: 60))
    node.take()
    #expect(node.entries(to: "r") == [1, 2, 3, 4])
  }

  @Test func aReadThatFailsIsRepeated() {
    let node = upstream(from: 4)
    node.receive(request(0, nil), from: "r")
    guard case .read(let number, _)? = node.lastRead else { return #expect(Bool(false), "no read") }
    node.clear()
    node.core.readEnded(number, in: TestNode.store, .failed)
    node.take()
    // Not at once: the store may refuse every connection.
    #expect(!node.commands.contains { if case .read = $0 { true } else { false } })
    node.pass(.milliseconds(300))
    #expect(node.commands.contains { if case .read(_, .entries(from: 1)) = $0 { true } else { false } })
  }

  @Test func entriesThatTheStoreLacksAreRefused() {
    let node = upstream(from: 4)
    node.receive(request(0, nil), from: "r")
    guard case .read(let number, _)? = node.lastRead else { return #expect(Bool(false), "no read") }
    node.core.readEnded(
      number, in: TestNode.store, .entries([TestNode.stored(log[3])], first: 4, beat: nil, at: 60))
    node.take()
    #expect(node.answers(to: "r").last == .refused(.lacks(TestNode.history)) && node.entries(to: "r").isEmpty)
  }

  @Test func aRelayThatIsFollowedRefusesWhatItDoesNotHave() {
    let node = TestNode.relay(of: log) { $0.relays = [TestNode.name("s")] }
    node.link("s")
    node.receive(request(2), from: "s")
    #expect(node.answers(to: "s") == [.refused(.lacks(TestNode.history))])
    node.receive(request(4), from: "s")
    #expect(node.answers(to: "s").last == .accepted(TestNode.history))
    node.receive(.entry(next(node, 9), parts: []), from: "b")
    #expect(node.entries(to: "s") == [5])
  }

  /// What is under way to a relay is bounded, however slow its disk is.
  @Test func aRelayThatStoresNothingGetsNoMore() {
    let node = upstream(bytes: log[3].bytes.count + 1)
    node.receive(request(3), from: "r")
    #expect(node.entries(to: "r") == [4])
    let entries = [next(node, 9)]
    node.watch(entries)
    #expect(node.entries(to: "r") == [4, 5])
    node.watch([next(node, 10)])
    #expect(node.entries(to: "r") == [4, 5])
    node.receive(.status(history: 6, stored: 5), from: "r")
    #expect(node.entries(to: "r") == [4, 5])
    node.receive(.status(history: 5, stored: 4), from: "r")
    #expect(node.entries(to: "r") == [4, 5, 6])
  }

  // MARK: Refusals

  @Test func aPlaceThatIsNotThatOfTheLogIsRefused() {
    let node = upstream()
    let other = LogHistory(id: 6, store: 9)
    let (here, foreign) = (LogHistory(id: 5, store: 77), TestNode.log(by: "c", turns: 3))
    node.receive(.follow(FollowRequest(history: here, position: 4, checksum: foreign[3].checksum)), from: "r")
    node.receive(.follow(FollowRequest(history: other, position: 4, checksum: foreign[3].checksum)), from: "r")
    node.receive(.follow(FollowRequest(history: other, position: 9, checksum: 1)), from: "r")
    node.receive(.follow(FollowRequest(history: here, position: 9, checksum: 1)), from: "r")
    #expect(
      node.answers(to: "r") == [
        .refused(.diverged), .refused(.otherHistory(here)), .refused(.otherHistory(here)), .refused(.ahead),
      ])
    // The same place under another name: the log was continued.
    node.receive(request(4, other), from: "r")
    #expect(node.answers(to: "r").last == .accepted(here))
  }

  @Test func aNodeThatDoesNotServeRefuses() {
    let node = upstream(isProved: false)
    node.receive(request(2), from: "r")
    #expect(node.sent(to: "r") == [.followed(.refused(.notReady))])
  }

  @Test func aNodeThatStopsServingSaysSo() {
    let node = upstream()
    node.receive(request(4), from: "r")
    node.core.received(.needsSnapshot(after: 0), from: TestNode.name("b"))
    node.watch([TestNode.log(by: "c", turns: 3)[3]])
    #expect(node.answers(to: "r").last == .refused(.notReady))
  }

  @Test func aRelayDoesNotServeTheOneThatItFollows() {
    let node = TestNode.relay(of: log) { $0.relays = [TestNode.name("s")] }
    node.hear(position: 4, path: ["s", "b"], from: "b")
    node.link("s")
    node.receive(request(4), from: "s")
    #expect(node.answers(to: "s") == [.refused(.loop)])
  }

  // MARK: Beats

  private func lastBeat(_ node: TestNode) -> RelayBeat? {
    node.sent(to: "r").compactMap { if case .relayBeat(let beat) = $0 { beat } else { nil } }.last
  }

  @Test func relaysHearHowOldTheStateIs() {
    let node = upstream()
    #expect(lastBeat(node)?.age == 1 && lastBeat(node)?.position == 4)
    node.pass(.milliseconds(300))
    node.pass(.milliseconds(300))
    #expect(lastBeat(node)?.age == 601 && lastBeat(node)?.path == [])
    // It is passed on at once when it is known better.
    node.link("b")
    node.clear()
    node.receive(.beat(log[0].entry.leader, position: 4, isCurrent: true), from: "b")
    #expect(lastBeat(node)?.age == 1 && lastBeat(node)?.way != 0)
  }

  @Test func eachLevelAddsItsName() {
    let node = TestNode.relay(of: log) { $0.relays = [TestNode.name("s")] }
    node.hear(position: 4, age: 300, way: 3, path: ["x"], from: "b")
    node.link("s")
    guard case .relayBeat(let beat)? = node.sent(to: "s").last else { return #expect(Bool(false), "no beat") }
    #expect(beat.path == ["x", "r"].map(TestNode.name) && beat.way != 0)
    // The best that the relay knows.
    #expect(beat.age == 2)
  }

  // MARK: Actions

  @Test func actionsOfARelayGoOnToTheLeader() {
    let node = upstream()
    node.link("b")
    node.receive(.beat(log[0].entry.leader, position: 4, isCurrent: true), from: "b")
    node.clear()
    for (term, name, first) in [(1, "r", 1), (2, "r", 2), (1, "x", 1)] as [(UInt64, String, UInt64)] {
      let session = ClusterSession(node: TestNode.name(name), user: 1000, id: SessionID(high: 0, low: 1))
      node.receive(.actions(term: term, session, first: first, [[1]]), from: "r")
    }
    #expect(node.sent(to: "b") == [.actions(term: 1, session, first: 1, [[1]])])
    node.core.linkClosed(TestNode.name("b"))
    node.take()
    #expect(lastBeat(node)?.way == 0)
    node.clear()
    node.receive(.actions(term: 1, session, first: 2, [[2]]), from: "r")
    #expect(node.sentActions.isEmpty)
  }

  @Test func aLeaderPerformsThem() {
    let node = TestNode.leader(of: log) { $0.relays = [TestNode.name("r")] }
    node.link("c")
    node.receive(.actions(term: 2, session, first: 1, [[1]]), from: "c")
    #expect(node.performed == ["r: 1 01"])
  }

  /// A leader of the earlier version would take the session for one of this node.
  @Test func aLeaderThatDoesNotKnowRelaysGetsNone() {
    let node = upstream()
    node.core.linkOpened(TestNode.name("b"), knowsRelays: false)
    node.receive(.beat(log[0].entry.leader, position: 4, isCurrent: true), from: "b")
    #expect(lastBeat(node)?.way == 0)
    node.receive(.actions(term: 1, session, first: 1, [[1]]), from: "r")
    #expect(node.sentActions.isEmpty)
  }

  @Test func aRelayCannotLead() {
    let node = TestNode.leader(of: log) { $0.relays = [TestNode.name("r")] }
    node.link("r")
    #expect(!node.transfer(to: "r") && node.core.bestSuccessor == nil)
    node.receive(.status(history: 5, stored: 5), from: "r")
    #expect(node.core.stored(by: TestNode.name("r")) == 0)
  }
}
