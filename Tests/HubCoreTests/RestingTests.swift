import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// Connections at rest that a hub continues after a crash of the previous process.
@Suite struct RestingTests {
  private let increment = Action.counter(.incrementButtonTapped)

  /// Opens a session that has received the whole state.
  private func open(_ hub: Hub, attaching root: StateRoot = .feature) throws -> ConnectionID {
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.send(Attach(root: root, path: []), on: id)
    settle(hub)
    return id
  }

  private func settle(_ hub: Hub) {
    for _ in 0..<3 {
      hub.turn()
      hub.store()
    }
    hub.turn()
  }

  private func resting(_ hub: Hub, _ id: ConnectionID) -> [UInt8]? { hub.core.resting(id, token: 42) }

  /// Recovers a hub from the log and takes over a record.
  private func recover(
    _ hub: Hub, _ record: [UInt8], user: UInt32 = 1000
  ) throws -> (hub: Hub, id: ConnectionID, handOver: HandOver?) {
    var random = SplitMix(seed: 3)
    let engine = try Hub(recovering: hub.log).engine
    let history = HubHistory(id: 1, isLogged: true, position: hub.log.last?.position ?? 0, sessions: [], versions: [])
    let handOver = HandOver(resting: [record], engine: engine, history: history, random: &random)
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), seed: 8, continuing: handOver)
    let id = next.connect(user: user)
    if let handOver { _ = next.core.takeOver(handOver, 0, on: id, at: next.now) }
    return (next, id, handOver)
  }

  @Test func aClientAtRestGoesOnByDelta() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    hub.send([increment, increment], from: 1, on: id)
    settle(hub)
    let (next, nextID, handOver) = try recover(hub, try #require(resting(hub, id)))
    #expect(handOver?.isAfterCrash == true && handOver?.tokens == [42])
    #expect(next.turn(nextID).isEmpty)
    next.send([increment, increment], from: 2, on: nextID)
    next.turn()
    next.store()
    #expect(next.turn(nextID).map(\.kind) == [.delta, .applied])
    #expect(next.engine.state.counter.count == 3)
    #expect(next.core.detachedSessionCount == 0)
  }

  /// After the record was written, other clients changed the state, and the log has stored the changes.
  @Test func whatWasStoredAfterTheRecordIsSentByDelta() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let other = hub.connect()
    hub.send(Hello(name: "other"), on: other)
    hub.send([increment], from: 1, on: id)
    settle(hub)
    let record = try #require(resting(hub, id))
    hub.send([increment], from: 1, on: other)
    hub.turn()
    // The log has stored the action, and the process was killed before the log reported it.
    let (next, nextID, _) = try recover(hub, record)
    #expect(next.turn(nextID).map(\.kind) == [.delta])
    #expect(next.engine.state.counter.count == 2)
  }

  @Test func aConnectionIsNotAtRestWhileSomethingIsOnItsWay() throws {
    let hub = try Hub(recovering: [])
    let greeting = hub.connect()
    #expect(resting(hub, greeting) == nil)
    let id = try open(hub)
    #expect(hub.turn(id).map(\.kind) == [.welcome, .snapshot])
    #expect(resting(hub, id) != nil)
    // An incomplete frame.
    var writer = FrameWriter()
    writer.frame(Ping(number: 7))
    hub.send(Array(writer.bytes.dropLast()), on: id)
    hub.turn()
    #expect(resting(hub, id) == nil)
    hub.send(Array(writer.bytes.suffix(1)), on: id)
    #expect(resting(hub, id) == nil)
    #expect(hub.turn(id).map(\.kind) == [.pong])
    #expect(resting(hub, id) != nil)
    // An action that is not stored, then one whose outcome was not sent.
    hub.send([increment], from: 1, on: id)
    #expect(resting(hub, id) == nil)
    hub.turn()
    #expect(resting(hub, id) == nil)
    hub.store()
    #expect(resting(hub, id) == nil)
    hub.turn()
    #expect(resting(hub, id) != nil)
    // A socket that has not accepted all output.
    hub.blocked = [id]
    hub.send([increment], from: 2, on: id)
    settle(hub)
    #expect(resting(hub, id) == nil)
    hub.unblock(id)
    hub.turn()
    #expect(resting(hub, id) != nil)
    // A client that has closed its sending side, and one that has disconnected.
    hub.core.inputEnded(id, at: hub.now)
    #expect(resting(hub, id) == nil)
    hub.turn()
    #expect(resting(hub, id) == nil)
  }

  @Test func framesThatWaitAreOnTheirWay() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let frame = actionsFrame([increment.encoded(), increment.encoded()], from: 1)
    hub.core.received(frame.span.bytes, on: id, at: hub.now, limit: 1)
    settle(hub)
    #expect(hub.hasBacklog && resting(hub, id) == nil)
    while hub.hasBacklog { hub.work(limit: 1) }
    settle(hub)
    #expect(resting(hub, id) != nil)
  }

  @Test func aSnapshotThatIsUnderWayIsNoRest() throws {
    var limits = HubLimits()
    limits.snapshotBytesPerTurn = 1
    let hub = try Hub(recovering: [], limits: limits)
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.turn()
    hub.store()
    hub.turn()
    for index in 1...50 {
      hub.send([.todos(.addButtonTapped(text: String(repeating: "x", count: 4000)))], from: UInt64(index), on: id)
      settle(hub)
    }
    #expect(resting(hub, id) != nil)
    hub.send(Attach(path: []), on: id)
    hub.turn()
    #expect(hub.core.needsAnotherTurn && resting(hub, id) == nil)
    while hub.core.needsAnotherTurn { hub.turn() }
    #expect(resting(hub, id) != nil)
  }

  @Test(arguments: [nil, Durability.async]) func onlyAHubWhoseClientsNeverKnowMoreThanItsLogKeepsConnections(
    durability: Durability?
  ) throws {
    let hub = try durability.map { try Hub(recovering: [], durability: $0) } ?? Hub()
    let id = try open(hub)
    #expect(!hub.core.keepsConnectionsAtRest && resting(hub, id) == nil)
  }

  @Test func aHubWhoseLogHasFailedKeepsNone() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    hub.core.logFailed(reason: "a test", at: hub.now)
    #expect(!hub.core.keepsConnectionsAtRest && resting(hub, id) == nil)
  }

  @Test func rejectionsAreNotSentTwiceNorForgotten() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    // An invalid action.
    hub.send(actionsFrame([[0x82, 0x18, 0x63, 0x00]], from: 1), on: id)
    settle(hub)
    let (next, nextID, _) = try recover(hub, try #require(resting(hub, id)))
    #expect(next.turn(nextID).isEmpty)
    // The rejection is sent again if the session is resumed elsewhere, because it was not acknowledged.
    guard case .live(let connection) = next.core.phase(of: nextID) else {
      Issue.record("not live")
      return
    }
    #expect(connection.session.rejections.map(\.sequence) == [1] && connection.sentRejections == 1)
  }

  /// The log decides: a record that contradicts the logged session is rejected.
  @Test func aSessionThatTheLogHasOtherwiseIsClosed() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let old = try #require(resting(hub, id))
    hub.send([increment], from: 1, on: id)
    settle(hub)
    let (next, nextID, handOver) = try recover(hub, old)
    #expect(handOver != nil)
    next.turn()
    #expect(next.closed.contains(nextID))
    #expect(next.core.detachedSessionCount == 1)
  }

  @Test func anotherUsersConnectionIsNotGivenTheSession() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let (next, nextID, _) = try recover(hub, try #require(resting(hub, id)), user: 4711)
    next.turn()
    #expect(next.closed.contains(nextID))
  }

  @Test func recordsThatDoNotFitTheHubAreLeftOut() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    hub.send([increment], from: 1, on: id)
    settle(hub)
    let record = try #require(resting(hub, id))
    var random = SplitMix(seed: 3)
    func connections(_ record: [UInt8], _ turns: [LoggedTurn], history: UInt64 = 1, isLogged: Bool = true) throws -> Int
    {
      let history = HubHistory(id: history, isLogged: isLogged, position: 0, sessions: [], versions: [])
      let engine = try Hub(recovering: turns).engine
      return HandOver(resting: [record], engine: engine, history: history, random: &random)?.connectionCount ?? 0
    }
    #expect(try connections(record, hub.log) == 1)
    #expect(try connections(record, hub.log, history: 2) == 0)
    #expect(try connections(record, hub.log, isLogged: false) == 0)
    // A log without its last turn.
    #expect(try connections(record, hub.log.dropLast()) == 0)
    #expect(try connections(Array(record.dropLast()), hub.log) == 0)
    var other = record
    other[1] = 2
    #expect(try connections(other, hub.log) == 0)
    let counter = FeatureEngine(initialState: Counter.State(), reducer: Counter())
    let history = HubHistory(id: 1, isLogged: true, position: 0, sessions: [], versions: [])
    #expect(HandOver(resting: [record], engine: counter, history: history, random: &random) == nil)
  }

  /// A client at rest is between two frames, so it can be told why its connection ends.
  @Test func aClientThatWasToldAnotherSchemaLearnsTheDifference() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let record = try #require(resting(hub, id))
    func goodbye<State, Action>(_ engine: FeatureEngine<State, Action>, earlier: Schema?) throws -> Goodbye? {
      let history = HubHistory(id: 1, isLogged: true, position: 0, sessions: [], versions: [], earlierSchema: earlier)
      let goodbyes = HandOver.goodbyes(resting: [record, Array(record.dropLast())], engine, history)
      #expect(Set(goodbyes.keys).isSubset(of: [42]))
      var found: Goodbye?
      var decoder = FrameDecoder(payloadLimit: 4096)
      let bytes = goodbyes[42] ?? []
      try decoder.feed(bytes.span.bytes) { header, payload in
        #expect(header.kind == FrameKind.goodbye.rawValue && found == nil)
        found = try? Goodbye(decoding: payload)
      }
      return found
    }
    #expect(try goodbye(hub.engine, earlier: nil) == nil)
    let counter = FeatureEngine(initialState: Counter.State(), reducer: Counter())
    let known = try #require(try goodbye(counter, earlier: hub.engine.schema))
    #expect(known.code == .otherSchema)
    #expect(known.reason.contains("which refuses clients with the earlier schema: "), "\(known.reason)")
    let unknown = try #require(try goodbye(counter, earlier: nil))
    #expect(unknown.reason == "this hub was upgraded to another version of the feature; connect again")
  }

  /// The log does not contain the revisions of the hub's own state.
  @Test func theHubsOwnStateIsSentAnewAtALaterRevision() throws {
    let hub = try Hub(recovering: [])
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.send(Attach(root: .hub, path: []), on: id)
    var sent: UInt64 = 0
    for _ in 0..<3 {
      sent = max(sent, hub.turn(id).map(\.revision).max() ?? 0)
      hub.store()
    }
    let (next, nextID, _) = try recover(hub, try #require(resting(hub, id)))
    let frames = next.turn(nextID)
    #expect(frames.map(\.kind) == [.snapshot])
    #expect(try #require(frames.first).revision > sent)
  }
}
