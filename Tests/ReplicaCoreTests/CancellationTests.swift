import ComposableArchitecture
import TestFeatures
import TestSupport
import Testing
import Wire

@testable import ReplicaCore

/// Clients cancel the effects of their actions in the hub, and learn which ones the hub has let go of.
@Suite struct CancellationTests {
  /// An action that was sent, one that never is, and one whose hub knows nothing of cancellations.
  @Test func cancellationsNameTheNumbersOfSentActions() throws {
    var conversation = PendingConversation()
    conversation.welcome(payloadLimit: 64, cancelsEffects: true)
    var tickets = [try conversation.replica.send(Board.Action.setCount(1))]
    #expect(try conversation.endTurn().map(\.mayCancel) == [true])
    conversation.receive(.applied, UInt64(1).encoded())
    tickets.append(try conversation.replica.send(Board.Action.setCount(2)))
    conversation.replica.cancelEffects(of: tickets[1])
    conversation.replica.cancelEffects(of: tickets[0])
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [2, 1])

    // Without a connection the request waits, like the action.
    conversation.replica.disconnected(reason: "cut", at: .zero)
    let last = try conversation.replica.send(Board.Action.setCount(3))
    for ticket in [tickets[1], last] { conversation.replica.cancelEffects(of: ticket) }
    let retry = conversation.replica.deadline
    conversation.replica.expire(at: try #require(retry))
    // In a new session, only the action that was not sent before has effects.
    conversation.welcome(cancelsEffects: true)
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [2, 1, 1])
    conversation.replica.disconnected(reason: "cut", at: .zero)
    let again = conversation.replica.deadline
    conversation.replica.expire(at: try #require(again))
    conversation.welcome(processed: 1)
    conversation.replica.cancelEffects(of: last)
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [2, 1, 1])
  }

  @Test func anActionThatFailedBeforeItWasSentHasNoNumber() throws {
    var conversation = PendingConversation()
    let first = try conversation.replica.send(Board.Action.setCount(1))
    let failed = try conversation.replica.send(Board.Action.setTitle(1, String(repeating: "x", count: 100)))
    let last = try conversation.replica.send(Board.Action.setCount(2))
    conversation.welcome(payloadLimit: 64, cancelsEffects: true)
    for ticket in [failed, last, first] { conversation.replica.cancelEffects(of: ticket) }
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [2, 1])
  }

  /// As with a hub of an earlier version, which does not have them.
  @Test func anActionThatFailsWhenItIsSentAgainLeavesItsNumberToTheNext() throws {
    var conversation = PendingConversation()
    func title(_ count: Int) -> Board.Action { .setTitle(1, String(repeating: "x", count: count)) }
    // The fourth one is never sent.
    let tickets = try [.setCount(1), title(100), title(100), title(300), .setCount(5)].map {
      try conversation.replica.send($0 as Board.Action)
    }
    conversation.welcome(payloadLimit: 200, cancelsEffects: true)
    #expect(try conversation.endTurn().map(\.first) == [1, 3])
    conversation.replica.cancelEffects(of: tickets[4])
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [4])

    try conversation.reconnect(processed: 1, payloadLimit: 64)
    let last = try conversation.replica.send(Board.Action.setCount(6))
    for ticket in [tickets[1], last] { conversation.replica.cancelEffects(of: ticket) }
    #expect(try conversation.endTurn().flatMap(\.actions) == [.setCount(5), .setCount(6)])
    #expect(conversation.failed == [tickets[3], tickets[1], tickets[2]])
    #expect(conversation.cancelled == [4, 2, 3])
    conversation.receive(.released, UInt64(2).encoded())
    let released = conversation.replica.releasedTicket
    #expect(released == tickets[4])
  }

  /// Each failure before a sent action is remembered for the cancellations, but not for ever.
  @Test func manyActionsThatFailedBeforeTheyWereSentAreForgotten() throws {
    var conversation = PendingConversation()
    var sent: [ActionTicket] = []
    let text = String(repeating: "x", count: 100)
    for number in 1...PendingActions.runLimit + 10 {
      _ = try conversation.replica.send(Board.Action.setTitle(1, text))
      sent.append(try conversation.replica.send(Board.Action.setCount(number)))
    }
    conversation.welcome(payloadLimit: 64, cancelsEffects: true)
    for index in [0, 4000, sent.count - 1] { conversation.replica.cancelEffects(of: sent[index]) }
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [4001, UInt64(sent.count)])
  }

  /// The requests are sent again until a pong proves that the hub has read them.
  @Test func aCancellationSurvivesCuts() throws {
    var conversation = PendingConversation()
    conversation.welcome(cancelsEffects: true)
    let tickets = try (1...3).map { try conversation.replica.send(Board.Action.setCount($0)) }
    _ = try conversation.endTurn()
    conversation.replica.cancelEffects(of: tickets[0])
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1] && conversation.kinds == [.actions, .cancel, .ping])
    // Neither the acknowledgement of an earlier action proves it, nor the pong of an earlier ping.
    conversation.receive(.applied, UInt64(3).encoded())
    conversation.receive(.pong, Pong(number: conversation.lastPing - 1).encoded())

    try conversation.reconnect(processed: 3)
    conversation.replica.cancelEffects(of: tickets[1])
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1, 1, 2])
    let first = conversation.lastPing
    conversation.replica.cancelEffects(of: tickets[2])
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1, 1, 2, 3])
    conversation.receive(.pong, Pong(number: first).encoded())

    // Pings of another connection have other numbers.
    try conversation.reconnect(processed: 3)
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1, 1, 2, 3, 3])
    conversation.receive(.pong, Pong(number: conversation.lastPing).encoded())
    try conversation.reconnect(processed: 3)
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1, 1, 2, 3, 3])
    let count = conversation.replica.cancellationCount
    #expect(count == 0)
  }

  /// The hub answers a ping before its log has stored the actions. If it ends then, they start their effects again.
  @Test func theCancellationOfAnActionThatIsSentAgainIsToo() throws {
    var conversation = PendingConversation()
    conversation.welcome(cancelsEffects: true)
    let tickets = try (1...2).map { try conversation.replica.send(Board.Action.setCount($0)) }
    for ticket in tickets { conversation.replica.cancelEffects(of: ticket) }
    _ = try conversation.endTurn()
    conversation.receive(.applied, UInt64(1).encoded())
    conversation.receive(.pong, Pong(number: conversation.lastPing).encoded())
    var count = conversation.replica.cancellationCount
    #expect(conversation.cancelled == [1, 2] && count == 1)

    // The next hub has lost the second action.
    try conversation.reconnect(processed: 1)
    #expect(try conversation.endTurn().flatMap(\.actions) == [.setCount(2)])
    #expect(conversation.cancelled == [1, 2, 2])
    conversation.receive(.pong, Pong(number: conversation.lastPing).encoded())
    conversation.receive(.applied, UInt64(2).encoded())
    count = conversation.replica.cancellationCount
    #expect(count == 0)
  }

  /// The hub must have started the effects, so an action that is sent again comes first.
  @Test func theCancellationOfAPendingActionFollowsIt() throws {
    var conversation = PendingConversation()
    conversation.welcome(cancelsEffects: true)
    _ = try conversation.replica.send(Board.Action.setCount(1))
    _ = try conversation.endTurn()
    let ticket = try conversation.replica.send(Board.Action.setCount(2))
    conversation.replica.cancelEffects(of: ticket)
    _ = try conversation.endTurn()
    // The hub has read the first action only.
    try conversation.reconnect(processed: 1)
    let sent = try conversation.replica.send(Board.Action.setCount(3))
    conversation.replica.cancelEffects(of: sent)
    let frames = try conversation.endTurn()
    #expect(frames.map(\.first) == [2] && frames.flatMap(\.actions) == [.setCount(2), .setCount(3)])
    #expect(conversation.cancelled == [2, 2, 3])
    #expect(conversation.kinds == [.actions, .actions, .cancel, .ping, .actions, .cancel, .cancel, .ping])
  }

  @Test func theNumberOfKeptCancellationsIsLimited() throws {
    var conversation = PendingConversation(pendingActions: 3)
    conversation.welcome(cancelsEffects: true)
    for number: UInt64 in 1...2 {
      for _ in 0..<3 {
        let ticket = try conversation.replica.send(Board.Action.setCount(1))
        _ = try conversation.endTurn()
        conversation.replica.cancelEffects(of: ticket)
      }
      _ = try conversation.endTurn()
      #expect(conversation.cancelled == [1, 2, 3])
      conversation.receive(.applied, (3 * number).encoded())
    }
    conversation.receive(.pong, Pong(number: conversation.lastPing).encoded())
    let last = try conversation.replica.send(Board.Action.setCount(1))
    conversation.replica.cancelEffects(of: last)
    _ = try conversation.endTurn()
    #expect(conversation.cancelled == [1, 2, 3, 7])
  }

  @Test func aClientThatClosesCancelsBefore() throws {
    var conversation = PendingConversation()
    conversation.welcome(cancelsEffects: true)
    let ticket = try conversation.replica.send(Board.Action.setCount(1))
    _ = try conversation.endTurn()
    conversation.replica.cancelEffects(of: ticket)
    conversation.replica.close()
    _ = try conversation.endTurn()
    #expect(conversation.kinds == [.actions, .cancel, .ping, .leave])
  }

  // MARK: What the hub lets go of

  @Test func theHubTellsWhoseEffectsItHasLetGoOf() throws {
    var conversation = PendingConversation()
    let first = try conversation.replica.send(Board.Action.setCount(1))
    // Without a number, since the hub does not accept its size.
    _ = try conversation.replica.send(Board.Action.setTitle(1, String(repeating: "x", count: 100)))
    let tickets = try (2...3).map { try conversation.replica.send(Board.Action.setCount($0)) }
    conversation.welcome(payloadLimit: 64, cancelsEffects: true)
    _ = try conversation.endTurn()
    var released = conversation.replica.releasedTicket
    #expect(released == nil)
    conversation.receive(.released, UInt64(1).encoded())
    released = conversation.replica.releasedTicket
    #expect(try #require(released) >= first && tickets[0] > first)
    conversation.receive(.released, UInt64(2).encoded())
    released = conversation.replica.releasedTicket
    #expect(released == tickets[0])
    // Again, and earlier.
    for number: UInt64 in [2, 1] { conversation.receive(.released, number.encoded()) }
    conversation.receive(.applied, UInt64(3).encoded())

    // A session that the hub does not know any more holds nothing.
    let unsent = try conversation.replica.send(Board.Action.setCount(4))
    try conversation.reconnect(processed: 0)
    released = conversation.replica.releasedTicket
    #expect(released == tickets[1] && unsent > tickets[1])
  }
}
