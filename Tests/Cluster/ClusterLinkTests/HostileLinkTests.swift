import ClusterCore
import ClusterLink
import ClusterLog
import Testing
import Wire

/// Frames that are well-formed, and that no node sends in this place.
@Suite struct HostileLinkTests {
  private func open(change: (inout LinkOptions) -> Void = { _ in }) throws -> TestEnd {
    let b = TestEnd.pair(change: change).1
    _ = try b.takeFrames()
    return b
  }

  @Test func nothingComesBeforeTheHello() {
    for frame in Frames.all.dropFirst(2) {
      let b = TestEnd("b")
      b.receive(frame)
      #expect(b.violation?.contains("before the hello") == true, "\(frame)")
    }
  }

  @Test func whatDoesNotFitEndsTheLink() throws {
    let session = LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100)
    let other = LinkSession(number: 2, id: session.id, user: 1000, group: 100)
    let place = JournalPlace(history: TestEnd.history, last: Frames.entry, turn: 1)
    let head = SnapshotHead(place, byteCount: 3, checksum: 0)
    let sequences: [[LinkFrame]] = [
      [.hello(Frames.hello)], [.pong(1, time: 5)], [.beat(TestEnd.leadership, position: 1, isCurrent: true)],
      [.session(session), .session(session)], [.session(session), .session(other)], [.sessionEnded(1)],
      [.actions(LinkActions(term: 1, session: 1, first: 1, [[]]))],
      [.session(session), .sessionEnded(1), .actions(LinkActions(term: 1, session: 1, first: 1, [[]]))],
      [.snapshot(head)], [.piece([1])], [.snapshotNotice(.preparing)], [.snapshotNotice(.failed(""))],
      [.cancel(term: 1, session: 1, action: 1)],
    ]
    for frames in sequences {
      let b = try open()
      for frame in frames { b.receive(frame) }
      #expect(b.violation != nil, "\(frames)")
      guard case .goodbye(let goodbye)? = try b.takeFrames().last else {
        Issue.record("no goodbye after \(frames)")
        continue
      }
      #expect(goodbye.reason == .violation)
    }
  }

  private func head(_ byteCount: UInt64) -> LinkFrame {
    let place = JournalPlace(history: TestEnd.history, last: Frames.entry, turn: 1)
    return .snapshot(SnapshotHead(place, byteCount: byteCount, checksum: 1))
  }

  @Test func aSnapshotIsNoLargerThanItsLimitAndItsHead() throws {
    let sequences: [[LinkFrame]] = [
      [head(1001), head(3)], [head(1001), .piece([])], [head(3), .piece([1, 2, 3, 4])], [head(3), .piece([])],
      [head(3), head(3)],
      // Its checksum is another one.
      [head(3), .piece([1, 2]), .piece([3])], [head(0)],
    ]
    for frames in sequences {
      let b = try open { $0.snapshotBytes = 1000 }
      b.link.send(.needsSnapshot(after: 0))
      for frame in frames { b.receive(frame) }
      #expect(b.violation != nil && b.snapshots.isEmpty, "\(frames)")
    }
  }

  /// The head of a frame is enough to refuse it.
  @Test func aLengthAboveTheLimitIsRefusedBeforeItsBytesArrive() throws {
    let b = try open()
    b.receive([0xff, 0xff, 0xff, 0x7f, 13] + [UInt8](repeating: 0, count: 11))
    #expect(b.violation?.contains("exceeds the limit") == true)
  }

  @Test func noiseEndsTheLink() throws {
    for kind in UInt8(0)...20 {
      let b = try open()
      b.receive([4, 0, 0, 0, kind] + [UInt8](repeating: 0, count: 11) + [0xff, 0xff, 0xff, 0xff])
      #expect(b.violation != nil, "kind \(kind)")
    }
  }

  /// A session that was refused may have actions under way, but not any number of sessions is kept for that.
  @Test func refusedSessionsAreLimitedToo() throws {
    let b = try open {
      $0.ceilings[TestEnd.name("a")] = NodeCeiling(users: [], mayAct: true, sessions: 4, bytesPerSecond: 1000)
    }
    for number in UInt32(1)...9 {
      b.receive(.session(LinkSession(number: number, id: SessionID(high: 0, low: UInt64(number)), user: 0, group: 0)))
    }
    b.receive(.actions(LinkActions(term: 1, session: 9, first: 1, [[7]])))
    b.receive(.sessionEnded(9))
    #expect(b.messages.isEmpty && b.ended.isEmpty && b.violation == nil)
    // Those that are kept are still told apart.
    b.receive(.session(LinkSession(number: 1, id: SessionID(high: 0, low: 99), user: 0, group: 0)))
    #expect(b.violation?.contains("twice") == true)
  }

  /// A replayed number of a session that has ended stands for another one.
  @Test func actionsAreThoseOfTheSendersOwnClients() throws {
    let b = try open()
    b.receive(.session(LinkSession(number: 1, id: SessionID(high: 1, low: 2), user: 1000, group: 100)))
    b.receive(.actions(LinkActions(term: 1, session: 1, first: 1, [[7]])))
    let session = ClusterSession(node: TestEnd.name("a"), user: 1000, id: SessionID(high: 1, low: 2))
    #expect(b.messages == [.actions(term: 1, session, first: 1, [[7]])])
  }
}
