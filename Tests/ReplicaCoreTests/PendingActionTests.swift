import ComposableArchitecture
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// The pending actions of a client, frame by frame.
@Suite struct PendingActionTests {
  @Test func actionsAreSplitIntoFramesWithinTheHubsLimit() throws {
    var conversation = PendingConversation()
    conversation.welcome(payloadLimit: 40)
    for number in 0..<20 { try conversation.replica.send(Board.Action.setTitle(number, "title")) }
    let frames = try conversation.endTurn()
    #expect(frames.count > 1)
    var next: UInt64 = 1
    for frame in frames {
      #expect(frame.first == next)
      next += UInt64(frame.actions.count)
    }
    #expect(frames.flatMap(\.actions) == (0..<20).map { .setTitle($0, "title") })
  }

  /// A client that is never idle releases the bytes of acknowledged actions too.
  @Test func aBusyClientKeepsNoAcknowledgedActions() throws {
    var conversation = PendingConversation()
    conversation.welcome()
    let title = String(repeating: "x", count: 100_000)
    try conversation.replica.send(Board.Action.setTitle(0, title))
    for number in 1...200 {
      try conversation.replica.send(Board.Action.setTitle(number, title))
      _ = try conversation.endTurn()
      conversation.receive(.applied, UInt64(number).encoded())
      let byteCount = conversation.replica.pending.byteCount
      try #require(byteCount < 3 << 20)
    }
    #expect(conversation.applied.count == 200 && conversation.failed.isEmpty)
  }

  @Test func anActionThatIsTooLargeForThisHubFailsAloneAndKeepsItsPlaceFree() throws {
    var conversation = PendingConversation()
    let small = try conversation.replica.send(Board.Action.setCount(1))
    let large = try conversation.replica.send(Board.Action.setTitle(1, String(repeating: "x", count: 100)))
    let last = try conversation.replica.send(Board.Action.setCount(2))
    conversation.welcome(payloadLimit: 64)
    let frames = try conversation.endTurn()
    #expect(frames.flatMap(\.actions) == [.setCount(1), .setCount(2)])
    #expect(conversation.failed == [large])
    conversation.receive(.applied, UInt64(2).encoded())
    #expect(conversation.applied == [small, last])
  }

  @Test func aRefusalThatIsRepeatedAfterACutIsReportedOnce() throws {
    var conversation = PendingConversation()
    conversation.welcome()
    let ticket = try conversation.replica.send(Board.Action.setCount(1))
    _ = try conversation.endTurn()
    let refusal = Rejected(sequence: 1, code: .unknownAction, reason: "unknown").encoded()
    conversation.receive(.rejected, refusal)
    conversation.replica.disconnected(reason: "cut", at: .zero)
    let retry = conversation.replica.deadline
    conversation.replica.expire(at: try #require(retry))
    conversation.welcome(processed: 1)
    conversation.receive(.rejected, refusal)
    conversation.receive(.applied, UInt64(1).encoded())
    #expect(conversation.failed == [ticket])
    #expect(conversation.applied == [])
    #expect(conversation.replica.pendingActionCount == 0)
  }

  /// The hub then knows which presentations its user could not have seen.
  @Test func aFrameSaysAfterWhichStateItsActionsWereSent() throws {
    var conversation = PendingConversation(isPresented: true)
    conversation.replica.subscribe(TypedMirror<PresentationState<Board.State>>(), to: [])
    try conversation.replica.send(Board.Action.setCount(1))
    conversation.welcome(history: 1)
    conversation.receive(.absent, [], revision: 3)
    for count in 2...3 { try conversation.replica.send(Board.Action.setCount(count)) }
    conversation.receive(.absent, [], revision: 5)
    try conversation.replica.send(Board.Action.setCount(4))
    let frames = try conversation.endTurn()
    #expect(frames.map(\.seen) == [nil, 3, 5] && frames.map(\.actions.count) == [1, 2, 1])
    #expect(frames.map(\.first) == [1, 2, 4])
  }

  /// Without presentations the hub has nothing to look for, so actions are not divided by the states before them.
  @Test func aFeatureWithoutPresentationsSaysNothing() throws {
    var conversation = PendingConversation()
    conversation.replica.subscribe(TypedMirror<Board.State>(), to: [])
    conversation.welcome()
    for revision: UInt64 in 3...5 {
      conversation.receive(.absent, [], revision: revision)
      try conversation.replica.send(Board.Action.setCount(Int(revision)))
    }
    let frames = try conversation.endTurn()
    #expect(frames.map(\.seen) == [nil] && frames.map(\.actions.count) == [3])
  }

  @Test func aPartThatTheClientHasLeftIsNotSeen() throws {
    var conversation = PendingConversation(isPresented: true)
    let mirror = ValueMirror()
    conversation.replica.subscribe(mirror, to: [])
    conversation.welcome()
    conversation.receive(.absent, [], revision: 3)
    try conversation.replica.send(Board.Action.setCount(1))
    conversation.replica.move(mirror, to: [0])
    try conversation.replica.send(Board.Action.setCount(2))
    #expect(try conversation.endTurn().map(\.seen) == [3, nil])
  }

  /// While no state arrives, all actions were sent after the same one: a long absence does not divide them.
  @Test func actionsOfALongAbsenceAreSentTogether() throws {
    var conversation = PendingConversation(isPresented: true)
    conversation.replica.subscribe(TypedMirror<PresentationState<Board.State>>(), to: [])
    conversation.welcome(history: 1)
    for revision: UInt64 in 3...4 {
      conversation.receive(.absent, [], revision: revision)
      try conversation.replica.send(Board.Action.setCount(Int(revision)))
      _ = try conversation.endTurn()
    }
    conversation.replica.disconnected(reason: "cut", at: .zero)
    for count in 0..<5000 {
      try conversation.replica.send(Board.Action.setCount(count))
      _ = try conversation.endTurn()
    }
    let retry = conversation.replica.deadline
    conversation.replica.expire(at: try #require(retry))
    conversation.welcome(processed: 1, history: 1)
    let frames = try conversation.endTurn()
    #expect(frames.map(\.first) == [2] && frames.map(\.actions.count) == [5001])
  }

  /// For a part that has not changed the hub sends nothing; the outcome of an action says that it has not.
  @Test func anOutcomeSaysWhatTheClientHasSeen() throws {
    var conversation = PendingConversation(isPresented: true)
    conversation.replica.subscribe(TypedMirror<PresentationState<Board.State>>(), to: [])
    conversation.welcome(history: 1)
    conversation.receive(.absent, [], revision: 3)
    var seen: [UInt64?] = []
    let refusal = Rejected(sequence: 2, code: .late, reason: "late").encoded()
    let answers: [(FrameKind, [UInt8])] = [(.applied, UInt64(1).encoded()), (.rejected, refusal), (.pong, [0])]
    for (kind, payload) in answers {
      try conversation.replica.send(Board.Action.setCount(1))
      seen += try conversation.endTurn().map(\.seen)
      conversation.receive(kind, payload, revision: UInt64(10 + seen.count))
    }
    #expect(seen == [3, 11, 12])
  }

  @Test func revisionsOfAnotherHistoryAreForgotten() throws {
    var conversation = PendingConversation(isPresented: true)
    conversation.replica.subscribe(TypedMirror<PresentationState<Board.State>>(), to: [])
    for history: UInt64 in 1...2 {
      conversation.welcome(history: history)
      if history == 1 {
        conversation.receive(.absent, [], revision: 3)
        try conversation.replica.send(Board.Action.setCount(1))
        conversation.replica.disconnected(reason: "cut", at: .zero)
        let retry = conversation.replica.deadline
        conversation.replica.expire(at: try #require(retry))
      }
    }
    try conversation.replica.send(Board.Action.setCount(2))
    let frames = try conversation.endTurn()
    #expect(frames.map(\.seen) == [nil] && frames.flatMap(\.actions) == [.setCount(1), .setCount(2)])
  }

  /// A hub that has lost its last actions may have lost a rejection too.
  @Test func anActionThatWasRejectedIsNotSentAgain() throws {
    var conversation = PendingConversation()
    conversation.welcome()
    let first = try conversation.replica.send(Board.Action.setCount(1))
    let refused = try conversation.replica.send(Board.Action.setCount(2))
    _ = try conversation.endTurn()
    conversation.receive(
      .rejected, Rejected(sequence: 2, code: .notPermitted, reason: "not permitted").encoded())
    conversation.replica.disconnected(reason: "cut", at: .zero)
    let retry = conversation.replica.deadline
    conversation.replica.expire(at: try #require(retry))
    conversation.welcome(processed: 1)
    let last = try conversation.replica.send(Board.Action.setCount(3))
    #expect(try conversation.endTurn().flatMap(\.actions) == [.setCount(3)])
    conversation.receive(.applied, UInt64(2).encoded())
    #expect(conversation.failed == [refused] && conversation.applied == [first, last])
  }

  /// A program may repeat an action that was not sent, but one that may have taken effect would be doubled.
  @Test func aClosedClientDistinguishesWhatItHasSent() throws {
    var conversation = PendingConversation()
    conversation.welcome()
    for number in 1...3 { try conversation.replica.send(Board.Action.setCount(number)) }
    _ = try conversation.endTurn()
    conversation.receive(.applied, UInt64(1).encoded())
    try conversation.replica.send(Board.Action.setCount(4))
    conversation.close()
    #expect(conversation.applied.count == 1)
    #expect(
      conversation.errors == [.outcomeUnknown, .outcomeUnknown, .notConnected(reason: "the client is closed")])
    #expect(conversation.replica.pendingActionCount == 0)
  }

  @Test func everyActionComesBackWithItsContext() throws {
    final class Context {}
    var conversation = PendingConversation()
    conversation.welcome()
    // More than are removed at once, with acknowledgements that do not match the frames.
    var contexts: [Context] = []
    for round in 1...30 {
      for _ in 0..<100 {
        contexts.append(Context())
        try conversation.replica.send(Board.Action.setCount(round), context: contexts.last)
      }
      _ = try conversation.endTurn()
      conversation.receive(.applied, UInt64(100 * round - 37).encoded())
    }
    conversation.receive(.applied, UInt64(3000).encoded())
    #expect(conversation.contexts.elementsEqual(contexts) { $0 === $1 })
    let count = conversation.replica.pendingActionCount
    #expect(count == 0)
  }
}
