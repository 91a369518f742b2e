import ComposableArchitecture
import Features
import Foundation
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A reducer reads who has sent the action: `@Dependency(\.sender)`.
@Suite struct SenderTests {
  /// A feature that notes the senders of its actions.
  struct Minutes: Reducer, Sendable {
    @Replicated
    struct State: Equatable, Sendable {
      var senders: [String] = []
    }

    @Replicated
    enum Action: Sendable {
      case note
      case noteTwice
      case noteLater
      case noteAfterEffect
    }

    @Dependency(\.sender) var sender

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.senders.append(Self.text(sender))
        switch action {
        case .note: return .none
        case .noteTwice: return .send(.note)
        case .noteLater: return .run { send in await send(.note) }
        case .noteAfterEffect: return .concatenate(.run { _ in }, .send(.note))
        }
      }
    }

    static func text(_ sender: Sender) -> String {
      guard let client = sender.client else { return "\(sender)" }
      return "\(client) of \(client.user.groups), process \(client.process), connection \(client.connection)"
    }
  }

  private func makeHub() throws -> FeatureHub<Minutes.State, Minutes.Action> {
    try FeatureHub(Minutes.State(), Minutes(), isLogged: true)
  }

  private let client = "1 of [1], process 1, connection 65536"

  @Test func aClientsActionAndThoseThatFollowAtOnceAreItsOwn() throws {
    let hub = try makeHub()
    try hub.send([.note, .noteTwice])
    #expect(hub.engine.state.senders == [client, client, client])
  }

  @Test func theProgramsActionsAreTheHubs() throws {
    let hub = try makeHub()
    hub.sendOwn(.note)
    #expect(hub.engine.state.senders == ["the hub"])
  }

  @Test func actionsOfEffectsAndTheStepsAfterThemAreTheEffects() throws {
    let hub = try makeHub()
    try hub.send([.noteLater, .noteAfterEffect])
    #expect(hub.started.count == 2)
    _ = hub.core.apply(AnyAction(Minutes.Action.note), from: hub.started[0])
    hub.core.finish(hub.started[1])
    #expect(hub.engine.state.senders == [client, client, "an effect", "an effect"])
    // The next action of the client is its own again.
    try hub.send([.note])
    #expect(hub.engine.state.senders.last == client)
  }

  @Test func theLogHasTheSenderOfEachAction() throws {
    let hub = try makeHub()
    try hub.send([.noteLater])
    hub.sendOwn(.note)
    _ = hub.core.apply(AnyAction(Minutes.Action.note), from: hub.started[0])
    try hub.turn()
    let actions = hub.turns.flatMap { $0.decodedActions(hub.engine.schema) }
    #expect(actions.map(\.origin.name) == ["client", "hub", "effect"])
    let texts = actions.map { $0.sender.map { Minutes.text($0) } }
    #expect(texts == [client, "the hub", "an effect"])
    #expect(texts == hub.engine.state.senders)
  }

  /// Nothing else in the log says that an effect has ended.
  @Test func theLogHasTheActionsThatFollowTheEndOfAnEffect() throws {
    let hub = try makeHub()
    try hub.send([.noteAfterEffect])
    hub.core.finish(hub.started[0])
    try hub.turn()
    let turn = try #require(hub.turns.last)
    #expect(turn.decodedActions(hub.engine.schema).map(\.origin) == [.effect])
    #expect(turn.revision - turn.baseRevision == 1)
  }

  // MARK: Connections

  @Test func twoClientsOfOneNameHaveDifferentConnections() throws {
    let hub = try Hub(recovering: [])
    let (_, first) = try hub.openStored()
    let (_, second) = try hub.openStored()
    let (one, other) = (try #require(first.client), try #require(second.client))
    #expect(one.name == other.name && one.user == other.user)
    #expect(one.connection != other.connection && one.session != other.session)
  }

  @Test func aResumedSessionHasANewConnectionAndKeepsItsIdentity() throws {
    let hub = try Hub(recovering: [])
    let (id, first) = try hub.openStored()
    hub.disconnect(id)
    let (_, second) = try hub.openStored(session: first.session, history: first.history)
    #expect(second.isResumed)
    let (before, after) = (try #require(first.client), try #require(second.client))
    #expect(before.session == after.session && before.connection < after.connection)
  }

  /// A hub that is killed and started again gives no number a second time, however many each process has given.
  @Test(arguments: [UInt64](0..<20)) func noConnectionOfTheHistoryIsRepeated(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var (turns, seen): ([LoggedTurn], Set<UInt64>) = ([], [])
    for _ in 0..<4 {
      let hub = try Hub(recovering: turns, seed: random.next())
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        // Several in one turn, of which a killed hub may have stored nothing and shown nothing.
        let ids = (0..<Int.random(in: 1...4, using: &random)).map { _ in hub.connect() }
        for id in ids { hub.send(Hello(name: "test"), on: id) }
        hub.turn()
        guard Bool.random(using: &random) else { break }
        hub.store()
        hub.turn()
        turns = hub.log
        for id in ids {
          let frame = try #require(hub.received(by: id).first { $0.kind == .welcome })
          let welcome: Welcome = try frame.decoded()
          let connection = try #require(welcome.client).connection
          #expect(seen.insert(connection).inserted, "seed \(seed): connection \(connection)")
        }
      }
    }
  }

  @Test func theIdentityOfASessionDoesNotTellItsID() {
    let id = SessionID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)
    let similar = SessionID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3211)
    #expect(id.identity == id.identity && id.identity != similar.identity)
    #expect(![id.high, id.low].contains(id.identity))
  }
}
