import ClusterCore
import ClusterLink
import ClusterLog
import Testing
import Wire

/// Two honest ends.
@Suite struct ClusterLinkTests {
  @Test func bothEndsOpenWithTheOthersHello() {
    let (a, b) = TestEnd.pair()
    #expect(a.opened?.node == TestEnd.name("b") && a.opened?.process == 7)
    #expect(a.opened?.history == TestEnd.history && a.opened?.version == 4)
    #expect(b.opened?.node == TestEnd.name("a") && a.link.end == nil && b.link.end == nil)
  }

  @Test(arguments: [1, 7, 1000])
  func messagesArriveHoweverTheyAreCut(size: Int) {
    let (a, b) = TestEnd.pair()
    let session = TestEnd.session(1)
    let messages: [ClusterMessage] = [
      .status(history: 5, stored: 8), .actions(term: 3, session, first: 4, [[1], [2, 3]]), .needsSnapshot(after: 6),
      .actions(term: 3, session, first: 6, [[]]), .actions(term: 3, session, first: 1, []),
    ]
    for message in messages { a.link.send(message) }
    a.exchange(with: b, by: size)
    #expect(b.messages == messages)
    b.link.send(.beat(TestEnd.leadership, position: 9, isCurrent: true))
    b.exchange(with: a, by: size)
    #expect(a.messages == [.beat(TestEnd.leadership, position: 9, isCurrent: true)])
  }

  @Test func aSessionIsAnnouncedOnceWithItsCredentials() throws {
    let (a, _) = TestEnd.pair()
    for first in UInt64(1)...2 { a.link.send(.actions(term: 3, TestEnd.session(1), first: first, [[1]]), group: 100) }
    let announced = LinkSession(number: 1, id: SessionID(high: 0, low: 1), user: 1000, group: 100)
    #expect(
      try a.takeFrames() == [
        .session(announced), .actions(LinkActions(term: 3, session: 1, first: 1, [[1]])),
        .actions(LinkActions(term: 3, session: 1, first: 2, [[1]])),
      ])
    a.link.sessionEnded(TestEnd.session(1))
    a.link.sessionEnded(TestEnd.session(2))
    #expect(try a.takeFrames() == [.sessionEnded(1)])
  }

  @Test func theNameOfAClientGoesWithItsSession() {
    let (a, b) = TestEnd.pair()
    let session = TestEnd.session(1)
    for name in ["todo.py", "phone"] {
      a.link.send(.actions(term: 3, session, first: 1, []), group: 100, name: name)
      a.link.send(.actions(term: 3, TestEnd.session(2), first: 1, []), group: 100)
      a.exchange(with: b)
      #expect(b.link.name(of: session) == name && b.link.name(of: TestEnd.session(2)) == nil)
      a.link.sessionEnded(session)
      a.exchange(with: b)
      #expect(b.link.name(of: session) == nil)
    }
    #expect(b.link.end == nil)
  }

  /// One of version 3 refuses an array of six items.
  @Test(arguments: [(3, ""), (4, "todo.py")] as [(UInt64, String)])
  func anEarlierVersionGetsNoName(newest: UInt64, name: String) throws {
    let a = TestEnd("a", certificate: ["b"], expected: "b")
    a.receive(
      .hello(
        LinkHello(
          versions: 1...newest, node: TestEnd.name("b"), process: 8, history: TestEnd.history, payloadLimit: 2 << 20,
          sharesUsers: false)))
    _ = try a.takeFrames()
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 1, []), group: 100, name: "todo.py")
    let announced = LinkSession(number: 1, id: SessionID(high: 0, low: 1), user: 1000, group: 100, name: name)
    #expect(try a.takeFrames().first == .session(announced))
  }

  /// As in the hello of a client.
  @Test(arguments: [String(repeating: "n", count: 129), "a\u{1b}[2J"]) func aNameIsLimited(name: String) {
    let (_, b) = TestEnd.pair()
    b.receive(.session(LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100, name: name)))
    #expect(b.violation != nil)
  }

  @Test func theOtherEndLearnsThatAClientIsGone() {
    let (a, b) = TestEnd.pair()
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 1, [[1]]), group: 100)
    a.link.sessionEnded(TestEnd.session(1))
    a.exchange(with: b)
    #expect(b.ended == [TestEnd.session(1)])
  }

  /// A cancellation names a session that the other end knows, and follows the actions that were sent before.
  @Test func aCancellationGoesWithTheActionsOfItsSession() throws {
    let (a, b) = TestEnd.pair()
    a.link.cancel(action: 4, of: TestEnd.session(1), term: 3)
    #expect(try a.takeFrames().isEmpty, "the session is unknown")
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 4, [[1]]))
    a.link.cancel(action: 4, of: TestEnd.session(1), term: 3)
    a.exchange(with: b)
    #expect(b.messages == [.actions(term: 3, TestEnd.session(1), first: 4, [[1]])] && b.cancelled == ["1: 4"])
  }

  @Test func manyActionsGoInFramesOfAModerateSize() throws {
    let (a, b) = TestEnd.pair { $0.chunkBytes = 100 }
    let actions = (0..<50).map { [UInt8](repeating: 1, count: $0) } + [[UInt8](repeating: 2, count: 5000)]
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 1, actions))
    a.exchange(with: b)
    var (next, arrived) = (UInt64(1), [[UInt8]]())
    for case .actions(3, _, let first, let some) in b.messages {
      #expect(first == next && (some.count == 1 || some.reduce(0) { $0 + $1.count } <= 100))
      next += UInt64(some.count)
      arrived += some
    }
    #expect(arrived == actions)
  }

  // MARK: Snapshots

  private let place = JournalPlace(history: TestEnd.history, last: Frames.entry, turn: 1)

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 100) } }

  @Test(arguments: [0, 1, 64 << 10, 200_000])
  func aSnapshotArrivesInPieces(count: Int) {
    let (a, b) = TestEnd.pair()
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(place, from: SnapshotBytes(bytes(count)))
    b.exchange(with: a, by: 10_000)
    #expect(a.snapshots.count == 1 && a.snapshots[0].place == place)
    #expect(a.snapshots[0].bytes.elementsEqual(bytes(count)))
    #expect(a.advances == (count + 65_535) / 65_536)
  }

  /// A node asks again after a while, also if the first answer is only late.
  @Test func eachRequestMayBeAnswered() throws {
    let (a, b) = TestEnd.pair()
    for _ in 0..<2 { a.link.send(.needsSnapshot(after: 0)) }
    for count in [10, 20] {
      a.exchange(with: b)
      b.link.send(place, from: SnapshotBytes(bytes(count)))
    }
    a.exchange(with: b)
    #expect(a.link.end == nil)
    #expect(a.snapshots.map(\.bytes.count) == [10, 20])
    b.link.send(place, from: SnapshotBytes(bytes(10)))
    a.exchange(with: b)
    #expect(a.link.end == .violation("a snapshot that was not asked for"))
  }

  /// A snapshot that no link takes is a reason for the operator of the node that needs it, and not the end of the link.
  @Test func aSnapshotAboveTheLimitIsNotSent() throws {
    let (a, b) = TestEnd.pair { $0.snapshotBytes = 1000 }
    for count in [1001, 1000] {
      a.link.send(.needsSnapshot(after: 0))
      a.exchange(with: b)
      b.link.send(place, from: SnapshotBytes(bytes(count)))
      a.exchange(with: b)
    }
    guard a.notices.count == 1, case .failed(let reason) = a.notices[0] else {
      Issue.record("\(a.notices)")
      return
    }
    #expect(reason.hasPrefix("it has 1001 bytes, and a link takes 1000 at most"), "\(reason)")
    #expect(reason.contains("`storectl cluster copy --into DIR`") && reason.hasSuffix("is stopped"), "\(reason)")
    #expect(a.advances == 1 && a.snapshots.map(\.bytes.count) == [1000])
    #expect(a.link.end == nil && b.link.end == nil)
    // With the greatest numbers, nothing is cut off.
    var options = LinkOptions(node: TestEnd.name("a"), process: 1, members: Set(TestEnd.members))
    options.snapshotBytes = .max
    let longest = try #require(options.objection(toSnapshotOf: .max))
    #expect(longest.utf8.count <= SnapshotNotice.textLimit - 2)
  }

  /// A node of an earlier version sends it: it passes by, and the next one can be used.
  @Test func aSnapshotAboveTheLimitIsIgnored() throws {
    let (a, b) = (TestEnd("a", expected: "b") { $0.snapshotBytes = 1000 }, TestEnd("b"))
    a.exchange(with: b)
    for count in [5000, 1000] {
      a.link.send(.needsSnapshot(after: 0))
      a.exchange(with: b)
      b.link.send(place, from: SnapshotBytes(bytes(count), pieceBytes: 500))
      a.exchange(with: b)
    }
    #expect(a.notices.count == 1 && a.advances == 2 && a.snapshots.map(\.bytes.count) == [1000])
    #expect(a.link.end == nil && b.link.end == nil)
    // It may also break off.
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(place, from: ShortSource())
    a.exchange(with: b)
    #expect(a.notices.count == 2 && a.link.end == nil)
  }

  @Test func aSnapshotDoesNotHoldUpMessages() throws {
    let (a, b) = TestEnd.pair { $0.chunkBytes = 1000 }
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(place, from: SnapshotBytes(bytes(100_000), pieceBytes: 1000))
    a.receive(b.link.takeOutput(limit: 5000))
    b.link.send(.beat(TestEnd.leadership, position: 9, isCurrent: true))
    a.receive(b.link.takeOutput(limit: 5000))
    #expect(a.messages == [.beat(TestEnd.leadership, position: 9, isCurrent: true)])
    b.exchange(with: a)
    #expect(a.messages.count == 1 && a.snapshots.count == 1)
  }

  /// A file that cannot be read to its end.
  private struct ShortSource: SnapshotSource {
    var byteCount: UInt64 { 3000 }
    var checksum: UInt64 { 1 }
    var pieces = 2

    mutating func nextPiece() -> [UInt8]? {
      pieces -= 1
      return pieces >= 0 ? [UInt8](repeating: 1, count: 1000) : nil
    }
  }

  /// A snapshot that breaks off does not end the link, and another one can follow.
  @Test func aSnapshotThatCannotBeReadIsNotOne() throws {
    let (a, b) = TestEnd.pair()
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(.preparing)
    b.link.send(place, from: ShortSource())
    b.exchange(with: a)
    #expect(a.notices == [.preparing, .failed("the snapshot cannot be read")] && a.snapshots.isEmpty)
    #expect(a.link.end == nil && !b.link.isSendingSnapshot)
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(place, from: SnapshotBytes(bytes(10)))
    b.exchange(with: a)
    #expect(a.snapshots.count == 1)
    a.link.send(.needsSnapshot(after: 0))
    a.exchange(with: b)
    b.link.send(.failed(String(repeating: "x", count: 1000)))
    b.exchange(with: a)
    #expect(a.notices.count == 3 && a.link.end == nil)
  }

  /// A node of version 1 reads no notices.
  @Test func anEarlierVersionGetsNoNotice() throws {
    let b = TestEnd("b")
    var hello = Frames.hello
    hello.versions = 1...1
    b.receive(.hello(hello))
    #expect(b.opened?.version == 1)
    _ = try b.takeFrames()
    b.link.send(.preparing)
    #expect(try b.takeFrames().isEmpty)
  }

  // MARK: Time

  @Test func aQuietLinkIsKeptAliveAndMeasured() {
    let (a, b) = TestEnd.pair()
    for _ in 0..<20 {
      for end in [a, b] { end.pass(.milliseconds(500)) }
      let bytes = a.link.takeOutput(limit: .max)
      b.pass(.milliseconds(20))
      b.receive(bytes)
      a.now = b.now
      b.exchange(with: a)
    }
    #expect(a.link.end == nil && b.link.end == nil)
    #expect(a.link.roundTrip == .milliseconds(20))
  }

  /// The clock of an end that asks shows the time of day `ahead` less than the other's; an answer takes `delay`.
  private func clocks(ahead: Duration, delay: Duration, traffic: Bool = false) -> [Duration] {
    let (a, b) = TestEnd.pair()
    let day = Duration.seconds(1_800_000_000)
    a.link.clock = LinkClock(wallTime: day, at: a.now)
    b.link.clock = LinkClock(wallTime: day + ahead, at: b.now)
    for _ in 0..<12 {
      if traffic { for end in [a, b] { end.link.send(.status(history: 5, stored: 8)) } }
      for end in [a, b] { end.pass(.milliseconds(500)) }
      let question = a.link.takeOutput(limit: .max)
      for end in [a, b] { end.pass(delay / 2) }
      b.receive(question)
      let answer = b.link.takeOutput(limit: .max)
      for end in [a, b] { end.pass(delay / 2) }
      a.receive(answer)
    }
    #expect(a.link.end == nil && b.link.end == nil)
    return a.clocks
  }

  @Test(arguments: [Duration.seconds(10), .seconds(-10), .zero])
  func theClocksOfTheEndsAreCompared(ahead: Duration) {
    let found = clocks(ahead: ahead, delay: .milliseconds(20))
    #expect(found.count > 3 && found.allSatisfy { $0 == ahead }, "\(found)")
    // Also by an end that has always something else to send.
    let busy = clocks(ahead: ahead, delay: .milliseconds(20), traffic: true)
    #expect(!busy.isEmpty && busy.allSatisfy { $0 == ahead }, "\(busy)")
  }

  /// After a pause of one of the two, an answer is old, and its time would seem to be that of a wrong clock.
  @Test func aSlowAnswerDoesNotTellTheClock() {
    #expect(clocks(ahead: .zero, delay: .milliseconds(1400)).isEmpty)
  }

  /// A clock before 1970, or one far away, is a difference like others.
  @Test func anyClockCanBeSent() {
    let (a, b) = TestEnd.pair()
    b.link.clock = LinkClock(wallTime: .seconds(-1_000_000), at: b.now)
    for _ in 0..<2 {
      for end in [a, b] { end.pass(.seconds(1)) }
      a.exchange(with: b)
      b.link.clock = LinkClock(wallTime: .seconds(Int64.max / 2), at: b.now)
    }
    #expect(a.clocks.count == 2 && a.link.end == nil && b.link.end == nil, "\(a.clocks)")
  }

  @Test func aSilentEndIsGivenUp() {
    let (a, _) = TestEnd.pair()
    a.pass(.milliseconds(3900))
    #expect(a.link.end == nil)
    a.pass(.milliseconds(200))
    #expect(a.link.end == .silent(.milliseconds(4100)) && a.link.nextTime == nil)
  }

  @Test func whoSaysNothingIsNotWaitedFor() {
    let a = TestEnd("a")
    a.pass(.milliseconds(4999))
    #expect(a.link.end == nil)
    a.pass(.milliseconds(1))
    #expect(a.link.end == .noHello)
  }

  @Test func anEndThatDoesNotReadIsGivenUp() {
    let (a, _) = TestEnd.pair { $0.waitingBytes = 1000 }
    for _ in 0..<100 { a.link.send(.status(history: 5, stored: 8)) }
    guard case .slow? = a.link.end else {
      Issue.record("\(String(describing: a.link.end))")
      return
    }
  }

  @Test func theReasonOfAnEndArrives() {
    let (a, b) = TestEnd.pair()
    a.link.close(.leaves)
    a.exchange(with: b)
    #expect(a.link.end == .here(.leaves) && b.link.end == .there(LinkGoodbye(.leaves, "")))
    // Nothing more is sent.
    a.link.send(.status(history: 5, stored: 8))
    #expect(a.link.takeOutput(limit: 1) == [])
  }
}
