import ComposableArchitecture
import Features
import HubCore
import ReplicaCore
import TestSupport
import Testing
import TurnLog
import Wire

/// The connections of one hub continue with another hub in another process. `Simulation` does this at random points, also
/// with a log and after crashes.
@Suite(.computing) struct HandOverTests {
  @Test func nobodyConnectsAgain() throws {
    let world = AppWorld(seed: 7, clientCount: 3)
    try world.settle()
    for _ in 0..<50 {
      for client in world.clients { try world.act(client) }
      try world.turn()
      try world.handOver(to: AppWorld.engine())
      #expect(world.clients.allSatisfy { $0.connection != nil && $0.replica.connection == .live })
      for client in world.clients { world.deliver(client, atMost: 30) }
      try world.turn()
    }
    try world.settle()
    #expect(world.clients.reduce(0) { $0 + $1.applied } == 150)
  }

  @Test func aSessionWithoutAConnectionCanBeResumedInTheNextProcess() throws {
    let world = AppWorld(seed: 3, clientCount: 2)
    try world.settle()
    for _ in 0..<5 { try world.send(.incrementButtonTapped, from: world.clients[0]) }
    try world.settle()
    world.cut(world.clients[0])
    #expect(world.hub.detachedSessionCount == 1)
    try world.handOver(to: AppWorld.engine())
    #expect(world.hub.detachedSessionCount == 1)
    try world.send(.incrementButtonTapped, from: world.clients[0])
    try world.settle()
    #expect(world.hub.revision == 6 && world.clients[0].failed.isEmpty)
    #expect(world.hub.detachedSessionCount == 0)
  }

  @Test func clientsThatWereToldAnotherSchemaAreRefused() throws {
    let record = try #require(HubCore(AppWorld.engine()).handOver { _ in nil })
    let read = try HandOver(reading: record.encoded())
    #expect(read == record)
    let other = FeatureEngine(initialState: Counter.State(), reducer: Counter())
    #expect(throws: HandOverRefusal.otherSchema) { try read.check(against: other, nil) }
  }

  /// Two versions of a feature, of which the second one has lost a case.
  enum Old {
    @Replicated struct State { var mode = Mode.simple }
    @Replicated enum Mode { case simple, expert }
  }
  enum New {
    @Replicated struct State { var mode = Mode.simple }
    @Replicated enum Mode { case simple }
  }

  /// The hub would continue with its initial state, as if it had the old revision.
  @Test func aStateThatTheNextVersionCannotHaveIsRefused() throws {
    let reducer = Reduce<Old.State, Old.Mode> { state, mode in
      state.mode = mode
      return .none
    }
    let engine = FeatureEngine(initialState: Old.State(), reducer: reducer)
    engine.send(.expert)
    let record = try #require(HubCore(engine).handOver { _ in nil })
    let next = FeatureEngine(initialState: New.State(), reducer: EmptyReducer<New.State, New.Mode>())
    let error = #expect(throws: HandOverRefusal.self) { try record.restore(next, id: 1) }
    #expect("\(try #require(error))".contains("has a value that this feature does not have"))
    engine.send(.simple)
    let other = try #require(HubCore(engine).handOver { _ in nil })
    #expect(try other.restore(next, id: 1) != nil && next.revision == 2)
  }

  /// If the connections cannot be taken over, their clients connect again and resume.
  @Test func theRecordHasTheSessionsOfConnectedClients() throws {
    let world = AppWorld(seed: 5, clientCount: 2)
    try world.settle()
    for _ in 0..<3 { try world.send(.incrementButtonTapped, from: world.clients[0]) }
    try world.settle()
    let record = try #require(world.hub.handOver { id in id == world.clients[0].connection ? (1, []) : nil })
    let history = try HandOver(reading: record.encoded()).restore(AppWorld.engine(), id: 2)
    #expect(history?.sessions.map(\.processed).sorted() == [3])
  }

  @Test func aRecordOfAnotherFormIsRefused() throws {
    let record = try #require(HubCore(AppWorld.engine()).handOver { _ in nil }).encoded()
    var other = record
    // After the head of the array.
    other[1] = 2
    #expect(throws: HandOverRefusal.self) { try HandOver(reading: other) }
    #expect(throws: HandOverRefusal.self) { try HandOver(reading: Array(record.dropLast())) }
    #expect(throws: HandOverRefusal.self) { try HandOver(reading: []) }
  }
}
