import ClusterCore
import ClusterLog
import Testing
import Wire

/// A name belongs to one process. Of two machines with the same name, the later one stops.
@Suite struct RegistrationTests {
  private let log = TestNode.log()

  private func refused(by found: StoredValue?) -> TransactionOutcome {
    .refused([
      TestNode.stored(.history, TestNode.history), TestNode.stored(log[1]), TestNode.stored(log[0]),
      TestNode.stored(log[1]), found,
    ])
  }

  /// Passes the time until the next look at the registration, and answers it.
  private func look(_ node: TestNode, _ found: StoredValue?) throws {
    node.clear()
    node.pass(.milliseconds(2100))
    var number: UInt64?
    for case .read(let read, .registration(TestNode.name("a"))) in node.commands { number = read }
    node.core.readEnded(try #require(number), in: TestNode.store, .registration(found))
    node.take()
  }

  private func registrations(_ node: TestNode) -> [LogTransaction] {
    node.transactions.filter { if case .put(.node, _)? = $0.writes.first { true } else { false } }
  }

  @Test func aStartReplacesTheRegistrationOfTheLastProcess() throws {
    let node = TestNode(journal: TestNode.journal(log))
    let found = TestNode.registration(process: 8, ordinal: 6, revision: 40)
    node.answer(refused(by: found))
    let (_, proof) = try #require(node.transaction)
    #expect(proof.conditions.last == .value(.node(TestNode.name("a")), found.bytes))
    let own = NodeRegistration(process: 42, ordinal: 7, position: 2)
    #expect(proof.writes == [.put(.node(TestNode.name("a")), own.encoded())])
    node.answer(.written(revision: 50))
    node.findNoMore()
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func anAttemptThatSucceededWithoutAnAnswerIsNoOtherProcess() {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(.unknown)
    node.answer(
      refused(by: TestNode.stored(.node(TestNode.name("a")), NodeRegistration(process: 42, ordinal: 1, position: 2))))
    node.findNoMore()
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func theEarlierProcessRestoresItsRegistrationAndGoesOn() throws {
    let node = TestNode.follower(of: log)
    let newcomer = TestNode.registration(process: 8, ordinal: 2, revision: 60)
    try look(node, newcomer)
    let own = NodeRegistration(process: 42, ordinal: 1, position: 2)
    #expect(
      registrations(node) == [.register(TestNode.name("a"), as: own, replacing: newcomer.bytes)])
    #expect(node.core.leadingTerm == nil)
    if case .refused = node.core.standing { Issue.record("\(node.core.standing)") }
  }

  @Test func theLaterProcessStopsForGood() throws {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(refused(by: TestNode.registration(process: 8, ordinal: 1, revision: 40)))
    node.answer(.written(revision: 50))
    try look(node, TestNode.registration(process: 8, ordinal: 1, revision: 60))
    #expect(node.core.standing == .refused(.nameTaken(TestNode.name("a"))))
    #expect(node.core.nextTime == nil)
    node.clear()
    node.pass(.seconds(60))
    #expect(node.transactions.isEmpty)
  }

  /// A member that lags behind shows the registration that this process has replaced itself.
  @Test func aLateReadAccusesNobody() throws {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(refused(by: TestNode.registration(process: 8, ordinal: 1, revision: 40)))
    node.answer(.written(revision: 50))
    try look(node, TestNode.registration(process: 8, ordinal: 1, revision: 40))
    if case .refused = node.core.standing { Issue.record("\(node.core.standing)") }
    #expect(registrations(node).isEmpty)
  }

  /// The first attempt of the process before, which did not know the node's registration, arrives when the operator has
  /// removed the node and taken it back.
  @Test func aLateFirstAttemptOfTheProcessBeforeIsReplaced() throws {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(refused(by: TestNode.registration(process: 8, ordinal: 6, revision: 40)))
    node.answer(.written(revision: 50))
    let late = TestNode.registration(process: 8, ordinal: 1, revision: 60)
    try look(node, late)
    let own = NodeRegistration(process: 42, ordinal: 7, position: 2)
    #expect(registrations(node) == [.register(TestNode.name("a"), as: own, replacing: late.bytes)])
    if case .refused = node.core.standing { Issue.record("\(node.core.standing)") }
    // The same one again changes nothing. A process that still runs registers again, with a low number if it was
    // removed and taken back.
    try look(node, late)
    if case .refused = node.core.standing { Issue.record("\(node.core.standing)") }
    try look(node, TestNode.registration(process: 8, ordinal: 1, revision: 80))
    #expect(node.core.standing == .refused(.nameTaken(TestNode.name("a"))))
  }

  /// The operator has removed the node, because its process was stopped for a while.
  @Test func aRemovedProcessThatGoesOnRegistersAgain() throws {
    let node = TestNode.follower(of: log)
    try look(node, nil)
    let own = NodeRegistration(process: 42, ordinal: 1, position: 2)
    #expect(registrations(node) == [.register(TestNode.name("a"), as: own, replacing: nil)])
    if case .refused = node.core.standing { Issue.record("\(node.core.standing)") }
    // Its claim finds that out, too.
    let removed = TestNode.follower(of: log)
    removed.clear()
    removed.pass(.milliseconds(1300))
    removed.answer(
      .refused([
        TestNode.stored(.leader, log[0].entry.leader), nil, TestNode.stored(log[1]), nil,
        TestNode.stored(.history, TestNode.history), nil,
      ]))
    #expect(registrations(removed) == [.register(TestNode.name("a"), as: own, replacing: nil)])
  }

  // MARK: Removed nodes

  private func removal(revision: UInt64) -> StoredValue {
    TestNode.stored(.node(TestNode.name("a")), NodeRegistration.removal(position: 2), revision: revision)
  }

  @Test func aRemovedNodeDoesNotServeUntilItIsTakenBack() throws {
    let node = TestNode(journal: TestNode.journal(log))
    node.answer(refused(by: removal(revision: 40)))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    #expect(registrations(node).allSatisfy { $0.conditions.last == .absent(.node(TestNode.name("a"))) })
    // It looks again, and does not register over it.
    node.clear()
    node.pass(.seconds(2))
    #expect(node.transaction?.1.conditions.last == .absent(.node(TestNode.name("a"))))
    node.answer(refused(by: removal(revision: 40)))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    node.pass(.seconds(2))
    node.answer(.written(revision: 50))
    node.findNoMore()
    #expect(node.core.standing == .current(leads: false))
  }

  @Test func aProcessThatIsRemovedWhileItRunsStops() throws {
    let node = TestNode.follower(of: log)
    node.findNoMore()
    try look(node, removal(revision: 60))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    #expect(registrations(node).isEmpty)
    // The own registration, which the removal has replaced, is not the one that it expects.
    node.pass(.seconds(2))
    node.answer(refused(by: removal(revision: 60)))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    // The operator takes it back.
    node.pass(.seconds(2))
    node.answer(refused(by: nil))
    #expect(node.transaction?.1.conditions.last == .absent(.node(TestNode.name("a"))))
    node.answer(.written(revision: 70))
    node.findNoMore(at: 70)
    #expect(node.core.standing == .current(leads: false))
  }

  /// The next look is not waited for: the claim is the first to find it out.
  @Test func aClaimOfARemovedNodeEndsIt() {
    let node = TestNode.follower(of: log)
    node.pass(.milliseconds(1300))
    node.answer(
      .refused([
        TestNode.stored(.leader, log[0].entry.leader), nil, TestNode.stored(log[1]), nil,
        TestNode.stored(.history, TestNode.history), removal(revision: 60),
      ]))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    #expect(node.core.leadingTerm == nil)
  }

  @Test func aLeaderThatWasRemovedLeadsNoMore() throws {
    let node = TestNode.leader(of: log)
    #expect(node.core.leadingTerm == 2)
    try look(node, removal(revision: 90))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))) && node.core.leadingTerm == nil)
    #expect(node.cancels > 0 || node.starts.isEmpty)
  }

  @Test func aRemovedNodeThatIsBehindAsksForNoSnapshot() {
    let node = TestNode(journal: TestNode.journal(Array(log[..<1])))
    node.core.linkOpened(TestNode.name("b"), givesSnapshots: true)
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[1]), TestNode.stored(log[1]),
        removal(revision: 40),
      ]))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
    #expect(node.snapshotRequests.isEmpty && registrations(node).count == 1)
  }

  /// Before there is a log, the first claim would begin it.
  @Test func aRemovedNodeBeginsNoLog() {
    let node = TestNode()
    node.answer(.refused([nil, nil, nil, nil, removal(revision: 40)]))
    #expect(node.core.standing == .refused(.removed(TestNode.name("a"))))
  }

  /// Earlier versions know no removals. For them it is the registration of an earlier process.
  @Test func forEarlierVersionsARemovalIsAnEarlierProcess() throws {
    let removal = NodeRegistration.removal(position: 7)
    let found = try NodeRegistration(decoding: removal.encoded().span.bytes)
    #expect(found == removal && found.ordinal == 1 && found.isRemoval)
    #expect(!NodeRegistration(process: 42, ordinal: 1, position: 0).isRemoval)
  }

  /// A process that lacks entries cannot prove its journal before it has a snapshot. The other one learns of it before.
  @Test func aProcessThatIsBehindIsRegisteredToo() throws {
    let node = TestNode(journal: TestNode.journal(Array(log[..<1])))
    node.answer(
      .refused([
        TestNode.stored(.history, TestNode.history), nil, TestNode.stored(log[1]), TestNode.stored(log[1]), nil,
      ]))
    #expect(registrations(node).last?.conditions == [.absent(.node(TestNode.name("a")))])
    #expect(node.core.standing == .starting)
  }
}
