import ComposableArchitecture
import Features
import TestSupport
import Testing
import TurnLog
import Wire

@testable import HubCore

/// A hub with a log hands over its connections to the hub that recovers from the log. ReplicaCoreTests covers hubs
/// without a log.
@Suite struct HandOverTests {
  private let increment = Action.counter(.incrementButtonTapped)

  private func open(_ hub: Hub) throws -> ConnectionID {
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.turn()
    hub.store()
    #expect(hub.turn(id).map(\.kind) == [.welcome])
    return id
  }

  /// Returns the hub of the next process, with the connection.
  private func handOver(
    _ hub: Hub, _ id: ConnectionID, unsent: [UInt8] = [], durability: Durability = .sync
  ) throws -> (Hub, ConnectionID) {
    let record = hub.core.handOver { $0 == id ? (42, unsent) : nil }
    let read = try HandOver(reading: try #require(record).encoded())
    #expect(read.tokens == [42])
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), durability: durability, seed: 8, continuing: read)
    try read.check(against: next.engine, HubHistory?.some(history(of: next)))
    let nextID = next.connect(isTakenOver: true)
    _ = next.core.takeOver(read, 0, on: nextID, at: next.now)
    return (next, nextID)
  }

  @Test func aConnectionKeepsItsNumber() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let (next, nextID) = try handOver(hub, id)
    next.send([increment], from: 1, on: nextID)
    next.turn()
    #expect([hub, next].map { $0.log.last?.sessions.last?.connection } == [1 << 16, 1 << 16])
  }

  /// The configuration may have changed in the meantime.
  @Test(arguments: [true, false]) func aRefusalFollowsTheRestOfTheEarlierOutput(isPermitted: Bool) throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    var writer = FrameWriter()
    writer.frame(Pong(number: 7))
    let record = try #require(hub.core.handOver { $0 == id ? (42, Array(writer.bytes)) : nil })
    var limits = HubLimits()
    limits.connections = 1
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), limits: limits, seed: 8, continuing: record)
    if isPermitted { _ = next.connect() } else { next.core.setPolicy(AccessPolicy(), at: next.now) }
    let nextID = next.connect(isTakenOver: true)
    let isReadable = next.core.takeOver(record, 0, on: nextID, at: next.now)
    #expect(!isReadable)
    #expect(next.turn(nextID).map(\.kind) == [.pong, .error])
    #expect(next.closed.contains(nextID))
  }

  // MARK: Another schema

  /// A client that was told the schema of one type is told of a hub with that of another.
  private func goodbye<Old: Replicated, New: Replicated>(_: Old.Type, _ new: New, knowsEarlier: Bool = true) throws
    -> Goodbye?
  {
    let old = Schema(state: Old.self, action: Int.self)
    let session = HandedConnection(token: 5, user: 0, phase: .greeting, unread: [], unsent: [1, 2, 3])
    let closing = HandedConnection(token: 6, user: 0, phase: .closing, unread: [], unsent: [4])
    let record = HandOver(
      schema: old.fingerprint, history: 1, position: 9, revision: 4, hubRevision: 0, state: nil, sessions: [],
      connections: [session, closing])
    let history = HubHistory(
      id: 1, isLogged: true, position: 10, sessions: [], versions: [], earlierSchema: knowsEarlier ? old : nil)
    let engine = FeatureEngine(initialState: new, reducer: EmptyReducer<New, Int>())
    let bytes = record.goodbyes(engine, history)
    if bytes.isEmpty { return nil }
    // An error was the last frame of the other one.
    #expect(bytes[6] == [4] && bytes[5]?.starts(with: [1, 2, 3]) == true)
    var found: Goodbye?
    var decoder = FrameDecoder(payloadLimit: 4096)
    let frame = Array(try #require(bytes[5]).dropFirst(3))
    try decoder.feed(frame.span.bytes) { header, payload in
      #expect(header.kind == FrameKind.goodbye.rawValue)
      found = try? Goodbye(decoding: payload)
    }
    return found
  }

  @Test func aClientThatWasToldAnotherSchemaLearnsTheDifference() throws {
    #expect(try goodbye(First.self, First()) == nil)
    let refused = try #require(try goodbye(First.self, Second()))
    #expect(refused.code == .otherSchema)
    #expect(refused.reason.contains("which refuses clients with the earlier schema: "), "\(refused.reason)")
    #expect(refused.reason.contains("'count'"), "\(refused.reason)")
    let fitting = try #require(try goodbye(First.self, Third()))
    #expect(
      fitting.code == .otherSchema
        && fitting.reason.hasSuffix("which clients with the earlier schema fit; connect again"))
    let unknown = try #require(try goodbye(First.self, Second(), knowsEarlier: false))
    #expect(unknown.reason == "this hub was upgraded to another version of the feature; connect again")
  }

  @Replicated struct First: Equatable { var count = "" }
  @Replicated struct Second: Equatable { var count = 0 }
  @Replicated struct Third: Equatable {
    var note = ""
    var count = ""
  }

  private func history(of hub: Hub) -> HubHistory {
    HubHistory(id: 1, isLogged: true, position: hub.log.last?.position ?? 0, sessions: [], versions: [])
  }

  @Test(arguments: [Durability.sync, .async])
  func aClientGoesOnByDeltaAndItsNumbersGoOn(durability: Durability) throws {
    let hub = try Hub(recovering: [], durability: durability)
    let id = hub.connect()
    hub.send(Hello(name: "test"), on: id)
    hub.send(Attach(path: []), on: id)
    hub.turn()
    hub.store()
    hub.turn()
    hub.send([increment, increment], from: 1, on: id)
    hub.turn()
    hub.store()
    hub.turn()

    let (next, nextID) = try handOver(hub, id, durability: durability)
    #expect(next.turn(nextID).isEmpty)
    // The first one took effect already and is skipped, the second is not.
    next.send([increment, increment], from: 2, on: nextID)
    next.turn()
    next.store()
    let frames = next.turn(nextID)
    #expect(next.engine.state.counter.count == 3)
    #expect(durability == .async || frames.map(\.kind) == [.delta, .applied])
    #expect(frames.allSatisfy { $0.kind != .snapshot })
  }

  /// The metrics have revisions of their own, and the next hub begins with new ones.
  @Test func aSubscriberOfTheMetricsGoesOnWithLaterFigures() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    hub.send(Attach(root: .metrics), scope: 1, on: id)
    hub.turn()
    for number in 1...20 as ClosedRange<UInt64> {
      hub.send([increment], from: number, on: id)
      hub.turn()
      hub.store()
      hub.now += .seconds(1)
      hub.turn()
    }
    let last = try #require(hub.received(by: id).filter { $0.scope == 1 }.map(\.revision).max())
    let (next, nextID) = try handOver(hub, id)
    let snapshot = try #require(next.turn(nextID).first { $0.scope == 1 })
    #expect(snapshot.kind == .snapshot && snapshot.revision > last)
    let bytes = [UInt8](try SnapshotPiece(CBORDecoder(snapshot.payload.span.bytes)).bytes)
    #expect(try HubMetrics(decoding: bytes.span.bytes).durability == "sync")
  }

  @Test func nothingIsHandedOverWhileTurnsAreNotStored() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    hub.send([increment], from: 1, on: id)
    hub.turn()
    let early = hub.core.handOver { _ in (1, []) }
    #expect(early == nil)
    hub.store()
    hub.turn()
    let late = hub.core.handOver { _ in (1, []) }
    #expect(late != nil)
  }

  @Test func whatWasNotSentStandsBeforeWhatIsNew() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    var writer = FrameWriter()
    writer.frame(Pong(number: 7))
    let (next, nextID) = try handOver(hub, id, unsent: writer.bytes)
    next.send(Ping(number: 8), on: nextID)
    #expect(try next.turn(nextID).map { try $0.number } == [7, 8])
  }

  @Test func aLogThatEndsElsewhereIsRefused() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let left = hub.core.handOver { $0 == id ? (1, []) : nil }
    let record = try #require(left)
    let other = try Hub(recovering: [])
    #expect(throws: HandOverRefusal.otherLog) { try record.check(against: other.engine, history(of: other)) }
    #expect(throws: HandOverRefusal.otherLog) { try record.check(against: other.engine, nil) }
  }

  @Test func anotherUsersConnectionIsNotGivenTheSession() throws {
    let hub = try Hub(recovering: [])
    let id = try open(hub)
    let left = hub.core.handOver { $0 == id ? (1, []) : nil }
    let record = try #require(left)
    let next = try Hub(recovering: hub.log, continuing: record)
    let stranger = next.connect(user: 4711)
    let isReadable = next.core.takeOver(record, 0, on: stranger, at: next.now)
    #expect(!isReadable)
    next.turn()
    #expect(next.closed.contains(stranger))
  }

  /// At first the next hub has all sessions of the log without a connection, which may be more than it keeps.
  @Test func theSessionsOfConnectionsDoNotCountAsDetached() throws {
    let hub = try Hub(recovering: [])
    let ids = [try open(hub), try open(hub), try open(hub)]
    let left = hub.core.handOver { id in ids.firstIndex(of: id).map { (UInt64($0), []) } }
    let record = try #require(left)
    var limits = HubLimits()
    limits.detachedSessions = 1
    let next = try Hub(
      recovering: hub.log, sessions: hub.log.flatMap(\.sessions), limits: limits, seed: 8, continuing: record)
    // The first connection has ended in the meantime, and the second one ends while it is taken over.
    let second = next.connect()
    _ = next.core.takeOver(record, 1, on: second, at: next.now)
    next.disconnect(second)
    _ = next.core.takeOver(record, 2, on: next.connect(), at: next.now)
    next.turn()
    let turn = try #require(next.log.last)
    #expect(turn.sessions.filter(\.hasEnded).count == 1)
    #expect(next.core.connectionCount == 1)
    #expect(next.core.detachedSessionCount == 1)
  }

  @Test func aHubWhoseLogHasFailedHandsOverNothing() throws {
    let hub = try Hub(recovering: [])
    _ = try open(hub)
    hub.core.logFailed(reason: "a test", at: hub.now)
    let record = hub.core.handOver { _ in (1, []) }
    #expect(record == nil)
  }
}
