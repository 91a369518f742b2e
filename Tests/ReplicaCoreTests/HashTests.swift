import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// A replica whose state differs from the hub's.
@Suite struct HashTests {
  private func board() throws -> (World<Board.State, Board.Action>, World<Board.State, Board.Action>.Client) {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = World<Board.State, Board.Action>(seed: 1, clientCount: 1, engine: engine, mirrorsUntyped: false) {
      random, _ in
      .change(random.next())
    }
    try world.settle()
    return (world, world.clients[0])
  }

  /// Changes the count in the client's copy of the hub's state.
  private func corrupt(_ world: World<Board.State, Board.Action>) throws {
    let client = world.clients[0]
    try world.send(.setCount(5), from: client)
    try world.turn()
    world.deliver(client, atMost: .max)
    world.checksStates = false
    try world.turn()
    let place = try #require(client.fromHub.lastIndex(of: 5))
    client.fromHub[place] = 6
    try world.settle()
    let count = client.state?.count
    try #require(count == 6)
  }

  @Test func whatIsTheSameIsNotReplaced() throws {
    let (world, client) = try board()
    try world.send(.addItems(100), from: client)
    try world.settle()
    if let whole = client.whole { client.replica.verify(whole) }
    try world.settle()
    #expect(client.divergences.isEmpty)
  }

  @Test func whatIsAnotherIsToldAndReplaced() throws {
    let (world, client) = try board()
    try corrupt(world)
    if let whole = client.whole { client.replica.verify(whole) }
    try world.settle()

    #expect(client.divergences.count == 1)
    #expect(client.divergences[0].here != client.divergences[0].there)
    let state = client.state
    #expect(state == world.engine.state)
    try world.send(.setCount(9), from: client)
    try world.settle()
    let count = client.state?.count
    #expect(count == 9)
  }

  @Test func theHubStatesHashesOfItsOwnAccord() throws {
    var limits = HubLimits()
    limits.hashInterval = 10
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = World<Board.State, Board.Action>(
      seed: 1, clientCount: 1, engine: engine, limits: limits, mirrorsUntyped: false
    ) {
      random, _ in
      .change(random.next())
    }
    try world.settle()
    try corrupt(world)
    let client = world.clients[0]
    for _ in 0..<12 {
      try world.send(.addItems(1), from: client)
      try world.settle()
    }
    #expect(client.divergences.count == 1)
    let state = client.state
    #expect(state == world.engine.state)
  }

  /// A hub of another release sends fields that the client's type lacks, and hashes them.
  @Test func theHubsOwnStateIsNotReplacedForItsHash() throws {
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    var replica = ReplicaCore(schema: schema, random: SplitMix(seed: 1))
    let mirror = replica.subscribeToHub(StatePath<HubState, HubState>())
    replica.start()
    replica.connected(at: .zero)
    var writer = FrameWriter()
    writer.welcome(schema)
    let state = HubState().encoded()
    writer.frame(FrameHeader(kind: .snapshot, flags: 1, scope: 0, revision: 1)) {
      SnapshotPiece.encodeHead(.attached, offset: 0, byteCount: state.count, to: &$0)
      $0.append(state.span.bytes)
    }
    writer.frame(FrameHeader(kind: .hash, scope: 0, revision: 1)) { $0.unsigned(1) }
    let bytes = writer.bytes
    replica.received(bytes.span.bytes, at: .zero)
    #expect(replica.connection == .live)
    #expect(!replica.commands.contains { if case .diverged = $0 { true } else { false } })
    let value = mirror.part
    #expect(value == HubState())
  }
}
