import ClusterCore
import ClusterLink
import ClusterLog
import Testing
import Wire

/// The link of a relay, r, with the node that it follows, b.
@Suite struct RelayLinkTests {
  private let request = FollowRequest(history: TestEnd.history, position: 0, checksum: 0)

  private func pair(relays: [String] = ["r", "s"], change: (inout LinkOptions) -> Void = { _ in }) -> (TestEnd, TestEnd)
  {
    let r = TestEnd("r", certificate: ["b"], expected: "b") {
      $0.relays = [TestEnd.name("s")]
      change(&$0)
    }
    let b = TestEnd("b", certificate: ["r"]) {
      $0.relays = Set(relays.map(TestEnd.name))
      change(&$0)
    }
    r.exchange(with: b)
    return (r, b)
  }

  @Test func onlyRelaysThatAreNamedAreLinked() {
    let (r, b) = pair()
    #expect(r.opened?.node == TestEnd.name("b") && b.opened?.node == TestEnd.name("r"))
    #expect(pair(relays: ["s"]).1.link.end == .stranger(TestEnd.name("r")))
  }

  @Test(arguments: [1, 7, 1000])
  func aRelayGetsEntriesWithTheirParts(size: Int) {
    let (r, b) = pair()
    let beat = ClusterMessage.relayBeat(RelayBeat(position: 1, age: 3, way: 0, path: []))
    r.link.send(.follow(request))
    r.exchange(with: b, by: size)
    #expect(b.messages == [.follow(request)])
    let answers: [ClusterMessage] = [
      .followed(.accepted(TestEnd.history)), .entry(Frames.entry, parts: []),
      .entry(Frames.inParts, parts: Frames.parts), .entry(Frames.entry, parts: []),
    ]
    for answer in answers { b.link.send(answer) }
    #expect(b.link.hasOutput == true)
    b.link.send(beat)
    b.exchange(with: r, by: size)
    // Entries wait for what is shorter.
    #expect(r.messages == [answers[0], beat] + answers.dropFirst() && b.link.hasOutput == false)
    #expect(r.link.end == nil && b.link.end == nil)
  }

  /// The entries that wait are bounded by the core, and are no reason to end a link.
  @Test func entriesDoNotCountAmongTheBytesThatWait() {
    let (_, b) = pair { $0.waitingBytes = 100 }
    for _ in 0..<10 { b.link.send(.entry(Frames.entry, parts: [])) }
    #expect(b.link.end == nil && b.link.waitingCount == 0 && b.link.hasOutput == true)
  }

  /// Whoever asks again and again, however slowly it reads, gets nothing of what it has asked for before.
  @Test func anotherRequestReplacesTheEntriesThatWait() throws {
    let (r, b) = pair { $0.chunkBytes = 1 }
    r.link.send(.follow(request))
    for _ in 0..<3 {
      b.link.send(.followed(.accepted(TestEnd.history)))
      for _ in 0..<5 { b.link.send(.entry(Frames.inParts, parts: Frames.parts)) }
      // The first one is begun.
      r.receive(b.link.takeOutput(limit: 1))
    }
    b.exchange(with: r)
    #expect(r.messages.count { if case .entry = $0 { true } else { false } } <= 7 && r.link.end == nil)
  }

  // MARK: Sessions

  @Test func aSessionNamesTheRelayOfItsClient() throws {
    let (r, b) = pair()
    for node in ["r", "s"] { r.link.send(.actions(term: 3, TestEnd.session(1, of: node), first: 1, [[1]])) }
    r.link.cancel(action: 1, of: TestEnd.session(1, of: "s"), term: 3)
    r.link.sessionEnded(TestEnd.session(1, of: "s"))
    r.exchange(with: b)
    #expect(
      b.messages == ["r", "s"].map { .actions(term: 3, TestEnd.session(1, of: $0), first: 1, [[1]]) })
    #expect(b.cancelled == ["1: 1"] && b.ended == [TestEnd.session(1, of: "s")])
  }

  /// If machines have users of their own, a session is judged by those of its client's machine.
  @Test func aSessionOfAnotherRelayHasTheUsersOfThat() {
    let (r, b) = pair { options in
      for (node, users) in [("r", [0...99_999]), ("s", [100_000...199_999])] as [(String, [ClosedRange<UInt32>])] {
        var ceiling = NodeCeiling.default
        ceiling.users = users
        options.ceilings[TestEnd.name(node)] = ceiling
      }
    }
    for (number, user) in [(1, 100_001), (2, 5)] as [(UInt64, UInt32)] {
      r.link.send(.actions(term: 3, TestEnd.session(number, of: "s", user: user), first: 1, [[1]]))
    }
    r.exchange(with: b)
    #expect(b.messages.count == 1 && r.refused == [.user] && b.link.end == nil)
  }

  @Test func aRelayThatIsNotNamedIsRefused() {
    let (r, b) = pair()
    r.link.send(.actions(term: 3, TestEnd.session(1, of: "z"), first: 1, [[1]]))
    // Nor may it speak for a member.
    r.link.send(.actions(term: 3, TestEnd.session(1, of: "a"), first: 1, [[1]]))
    r.exchange(with: b)
    #expect(r.refused == [.relay, .relay] && b.messages.isEmpty && b.link.end == nil)
  }

  /// A node that has just gone elsewhere may get its own sessions back.
  @Test func anOwnSessionThatComesBackIsIgnored() {
    let (r, b) = pair()
    r.link.send(.actions(term: 3, TestEnd.session(1, of: "b"), first: 1, [[1]]))
    r.exchange(with: b)
    #expect(r.refused.isEmpty && b.messages.isEmpty && b.link.end == nil)
  }

  @Test func aRefusalFromFurtherUpIsPassedOn() {
    let (r, b) = pair()
    r.link.send(.actions(term: 3, TestEnd.session(1, of: "s"), first: 1, [[1]]))
    r.exchange(with: b)
    b.link.refuse(TestEnd.session(1, of: "s"), .user)
    b.link.refuse(TestEnd.session(1, of: "s"), .user)
    b.link.refuse(TestEnd.session(2, of: "s"), .user)
    b.exchange(with: r)
    #expect(r.refused == [.user])
  }

  // MARK: Bytes that no node sends

  @Test func whatDoesNotFitEndsTheLink() {
    let (history, large) = (TestEnd.history, [UInt8](repeating: 1, count: 4))
    let sequences: [(isAsked: Bool, frames: [LinkFrame])] = [
      (false, [.followed(.accepted(history))]), (false, [.entry(Frames.entry)]), (true, [.part([1])]),
      (true, [.entry(Frames.inParts), .entry(Frames.entry)]), (true, [.entry(Frames.inParts), .part([])]),
      (true, [.entry(Frames.inParts), .part(large)]), (true, [.entry(Frames.entry), .part([1])]),
      // Too few bytes, and others.
      (true, [.entry(Frames.inParts), .part([1]), .part([3])]),
      (true, [.entry(Frames.inParts), .part([1, 2]), .part([4])]),
      // The other end is no relay of this one.
      (true, [.follow(request)]),
    ]
    for (isAsked, frames) in sequences {
      let r = pair().0
      if isAsked { r.link.send(.follow(request)) }
      for frame in frames { r.receive(frame) }
      #expect(r.violation != nil, "\(frames)")
    }
  }
}
