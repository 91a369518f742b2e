import ClusterCore
import ClusterLink
import ClusterLog
import Testing
import Wire

/// Who may be at the other end, and what it may do.
@Suite struct AdmissionTests {
  /// The reason why b does not accept the hello of a, changed like this.
  private func end(
    _ b: TestEnd = TestEnd("b"), _ change: (inout LinkHello) -> Void
  ) -> LinkEnd? {
    var hello = Frames.hello
    change(&hello)
    b.receive(.hello(hello))
    #expect(b.opened == nil)
    return b.link.end
  }

  @Test func theVersionsMustOverlap() {
    #expect(end { $0.versions = 5...9 } == .version(own: 1...4, other: 5...9))
    let b = TestEnd("b")
    var hello = Frames.hello
    hello.versions = 0...9
    b.receive(.hello(hello))
    #expect(b.opened?.version == 4)
  }

  @Test func aNameMustBelongToAMemberAndToItsCertificate() {
    let stranger = TestEnd.name("z")
    #expect(end { $0.node = stranger } == .stranger(stranger))
    #expect(
      end { $0.node = TestEnd.name("c") } == .certificate(TestEnd.name("c"), names: Array(TestEnd.members.dropLast())))
    #expect(end(TestEnd("b", expected: "c")) { _ in } == .otherNode(TestEnd.name("a"), expected: TestEnd.name("c")))
  }

  @Test func theReasonsAreWordsForTheLog() {
    let refused = LinkEnd.there(LinkGoodbye(.notAdmitted, "e is no member"))
    #expect("\(refused)" == "the other node has ended the link (not admitted): e is no member")
    #expect(refused.isRefusal && !LinkEnd.there(LinkGoodbye(.leaves, "")).isRefusal && !LinkEnd.lost.isRefusal)
    #expect("\(LinkEnd.silent(.nanoseconds(4_000_352_590)))" == "nothing has arrived for 4.0 s")
    #expect("\(LinkEnd.silent(.milliseconds(12_250)))" == "nothing has arrived for 12.2 s")
  }

  @Test func aMachineWithTheSameNameIsToldSo() throws {
    let b = TestEnd("b")
    #expect(end(b) { $0.node = TestEnd.name("b") } == .ownName(TestEnd.name("b")))
    guard case .goodbye(let goodbye)? = try b.takeFrames().last else {
      Issue.record("no goodbye")
      return
    }
    #expect(goodbye.reason == .notAdmitted && goodbye.text.contains("its own name"))
  }

  @Test func theConfigurationsMustAgree() {
    for change: (inout LinkHello) -> Void in [{ $0.sharesUsers = true }, { $0.payloadLimit = 1000 }] {
      guard case .configuration? = end(TestEnd("b"), change) else {
        Issue.record("it was accepted")
        continue
      }
    }
  }

  @Test func theNumbersOfUsersMustAgree() throws {
    let ranges: [NodeName: ClosedRange<UInt32>] = [
      TestEnd.name("a"): 0...99_999, TestEnd.name("b"): 100_000...199_999,
    ]
    func end(_ users: ClosedRange<UInt32>?, isShared: Bool = false) throws -> LinkEnd? {
      let b = TestEnd("b") { ($0.sharesUsers, $0.userRanges) = (isShared, isShared ? [:] : ranges) }
      var hello = Frames.hello
      (hello.sharesUsers, hello.users) = (isShared, users)
      #expect(try LinkHello(decoding: hello.encoded().span.bytes) == hello)
      b.receive(.hello(hello))
      return b.link.end
    }
    #expect(try end(0...99_999) == nil && end(nil, isShared: true) == nil)
    for users in [0...199_999, nil] as [ClosedRange<UInt32>?] {
      guard case .configuration(let text)? = try end(users) else { Issue.record("accepted"); continue }
      #expect(text.contains("'uid-bases'"))
    }
    let (a, b) = TestEnd.pair { ($0.sharesUsers, $0.userRanges) = (false, ranges) }
    #expect(a.opened?.node == TestEnd.name("b") && b.opened?.node == TestEnd.name("a"))
  }

  @Test func numbersOfUsersThatAreNoneAreRefused() {
    var hello = Frames.hello
    hello.users = 5...5
    var bytes = hello.encoded()
    bytes[bytes.count - 1] = 4
    #expect(throws: WireError.self) { try LinkHello(decoding: bytes.span.bytes) }
  }

  // MARK: Ceilings

  /// A node acts for its own users and groups, and for those of the relays below it by their own ceilings.
  @Test func aRelaysUsersAreThoseOfItsOwnCeiling() throws {
    let d = TestEnd.name("d")
    func ceiling(_ range: ClosedRange<UInt32>) -> NodeCeiling {
      var ceiling = NodeCeiling.default
      (ceiling.users, ceiling.groups) = ([range], [range])
      return ceiling
    }
    let (a, b) = TestEnd.pair {
      $0.relays = [d]
      $0.ceilings = [TestEnd.name("a"): ceiling(100_000...199_999), d: ceiling(200_000...299_999)]
    }
    func refusal(_ number: UInt32, _ user: UInt32, _ group: UInt32, from origin: NodeName? = nil) throws -> LinkFrame? {
      let id = SessionID(high: 0, low: UInt64(number))
      b.receive(.session(LinkSession(number: number, id: id, user: user, group: group, origin: origin)))
      return try b.takeFrames().first
    }
    #expect(a.opened != nil)
    // The node's own.
    #expect(try refusal(1, 101_000, 100_050) == nil)
    #expect(try refusal(2, 101_000, .max) == nil)
    #expect(try refusal(3, 201_000, .max) == .sessionRefused(3, .user))
    #expect(try refusal(4, 101_000, 200_000) == .sessionRefused(4, .user))
    #expect(try refusal(5, 1000, .max) == .sessionRefused(5, .user))
    // Its relay's.
    #expect(try refusal(6, 201_000, .max, from: d) == nil)
    #expect(try refusal(7, 101_000, .max, from: d) == .sessionRefused(7, .user))
    #expect(try refusal(8, 201_000, 100_050, from: d) == .sessionRefused(8, .user))
    #expect(try refusal(9, 201_000, .max, from: TestEnd.name("c")) == .sessionRefused(9, .relay))
    #expect(b.link.end == nil)
  }

  private func leader(_ ceiling: NodeCeiling) -> (TestEnd, TestEnd) {
    let (a, b) = TestEnd.pair { $0.ceilings[TestEnd.name("a")] = ceiling }
    return (a, b)
  }

  private func act(_ a: TestEnd, _ b: TestEnd, _ session: ClusterSession) {
    a.link.send(.actions(term: 3, session, first: 1, [[1]]))
    a.exchange(with: b)
  }

  @Test func actionsOfOtherUsersAreNotPerformed() {
    let (a, b) = leader(NodeCeiling(users: [1000...1999], mayAct: true, sessions: 10, bytesPerSecond: 1000))
    act(a, b, TestEnd.session(1, user: 1500))
    act(a, b, TestEnd.session(2, user: 0))
    #expect(b.messages.count == 1 && a.refused == [.user] && b.link.end == nil)
    // The node sends no more of them.
    a.link.send(.actions(term: 3, TestEnd.session(2, user: 0), first: 2, [[1]]))
    #expect(a.link.takeOutput(limit: 1) == [])
  }

  @Test func aNodeMayBeAllowedToReadOnly() {
    let (a, b) = leader(NodeCeiling(users: [0...9999], mayAct: false, sessions: 10, bytesPerSecond: 1000))
    act(a, b, TestEnd.session(1))
    #expect(b.messages.isEmpty && a.refused == [.node])
  }

  @Test func sessionsAreLimited() {
    let (a, b) = leader(NodeCeiling(users: [0...9999], mayAct: true, sessions: 2, bytesPerSecond: 1000))
    for low in UInt64(1)...3 { act(a, b, TestEnd.session(low)) }
    #expect(b.messages.count == 2 && a.refused == [.tooMany])
    a.link.sessionEnded(TestEnd.session(1))
    act(a, b, TestEnd.session(4))
    #expect(b.messages.count == 3 && b.link.end == nil)
  }

  /// The node would connect again, and announce them all again.
  @Test func farTooManySessionsDoNotEndTheLink() {
    let (a, b) = leader(NodeCeiling(users: [0...9999], mayAct: true, sessions: 2, bytesPerSecond: 1000))
    for low in UInt64(1)...9 { act(a, b, TestEnd.session(low)) }
    #expect(b.messages.count == 2 && a.refused == .init(repeating: .tooMany, count: 7) && b.link.end == nil)
    for low in UInt64(1)...9 { a.link.sessionEnded(TestEnd.session(low)) }
    a.exchange(with: b)
    act(a, b, TestEnd.session(10))
    #expect(b.messages.count == 3 && b.link.end == nil)
  }

  @Test func aNodeThatSendsTooMuchIsReadLater() throws {
    let (a, b) = leader(NodeCeiling(users: [0...9999], mayAct: true, sessions: 2, bytesPerSecond: 1000))
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 1, [[UInt8](repeating: 1, count: 1500)]))
    a.exchange(with: b)
    let time = b.link.readsAgainAt
    let again = try #require(time)
    #expect(again > b.now + .milliseconds(400) && again < b.now + .milliseconds(600))
    #expect(b.messages.count == 1 && b.link.nextTime == again)
    b.pass(.milliseconds(600))
    #expect(b.link.readsAgainAt == nil && b.link.end == nil)
  }

  @Test func aLongPauseOfReadingIsNoSilence() {
    let (a, b) = leader(NodeCeiling(users: [0...9999], mayAct: true, sessions: 2, bytesPerSecond: 1000))
    a.link.send(.actions(term: 3, TestEnd.session(1), first: 1, [[UInt8](repeating: 1, count: 11_000)]))
    a.exchange(with: b)
    b.pass(.milliseconds(10_100))
    #expect(b.link.readsAgainAt == nil && b.link.end == nil)
    b.pass(.milliseconds(4000))
    #expect(b.link.end == .silent(.milliseconds(4000)))
  }
}
