import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// A client that was compiled without the feature.
@Suite struct ToolTests {
  private func world() throws -> World<Board.State, Board.Action> {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var options = ReplicaOptions()
    options.subscribesToWholeState = false
    return World<Board.State, Board.Action>(
      seed: 1, clientCount: 2, engine: engine, options: options, toolCount: 1
    ) { random, _ in .change(random.next()) }
  }

  @Test func itTakesTheSchemaOfTheHub() throws {
    let world = try world()
    let tool = world.clients[1]
    let none = tool.replica.schema
    #expect(none == nil)
    try world.settle()
    let connection = tool.replica.connection
    #expect(connection == .live)
    let taken = tool.replica.schema
    let schema = try #require(taken)
    #expect(schema == Schema(state: Board.State.self, action: Board.Action.self))

    // Finds the field by its name, and subscribes to it.
    guard case .definition(let index) = schema.state, case .fields(let fields) = schema.definitions[index].content
    else {
      Issue.record("the state is not a struct")
      return
    }
    let items = try #require(fields.first { $0.name == "items" })
    let part = tool.subscribe(ValueMirror(), to: [.key(items.key)])
    try world.send(.addItems(2), from: world.clients[0])
    try world.settle()
    #expect(part.bytes() == world.engine.state.items.encoded())
    #expect((part.mirror as? ValueMirror)?.type?.type == items.type)

    // Sends an action built from the schema.
    let action = CBORValue.array([.unsigned(1), .unsigned(9)])
    tool.pending.insert(try tool.replica.send { action.encode(to: &$0) })
    try world.settle()
    #expect(world.engine.state.count == 9)
  }

  @Test func itComparesTheHashOfWhatItReadByTheSchema() throws {
    let world = try world()
    let tool = world.clients[1]
    try world.settle()
    let mirror = ValueMirror()
    tool.subscribe(mirror, to: [])
    try world.send(.addItems(3), from: world.clients[0])
    try world.settle()
    #expect(mirror.lastComparison == nil)
    tool.replica.verify(mirror)
    let asked = tool.replica.ping(at: world.now)
    try world.settle()
    let comparison = try #require(mirror.lastComparison)
    #expect(comparison.here == world.engine.state.stateHash() && comparison.there == comparison.here)
    #expect(comparison.revision == mirror.revision)
    #expect(tool.divergences.isEmpty)
    let answer = tool.replica.lastPong
    #expect(answer?.number == asked && answer?.revision == mirror.revision)
  }

  @Test func aPathThatTheSchemaDoesNotHaveLeadsToNothing() throws {
    let world = try world()
    let tool = world.clients[1]
    let part = tool.subscribe(ValueMirror(), to: [.key(77)])
    try world.settle()
    let connection = tool.replica.connection
    #expect(connection == .live)
    #expect(part.mirror.revision == 0)
    #expect(part.bytes() == nil)
  }

  @Test func theHubsOwnStateHasASchemaToo() throws {
    let world = try world()
    let tool = world.clients[1]
    let mirror = ValueMirror()
    tool.replica.subscribe(mirror, to: [.key(0)], of: .hub)
    try world.settle()
    guard case .elements(let attendees)? = mirror.value else {
      Issue.record("the attendees are not a list with ids")
      return
    }
    #expect(attendees.count == 2)
  }
}
