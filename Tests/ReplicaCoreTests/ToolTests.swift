import HubCore
import ReplicaCore
import SchemaNames
import TestFeatures
import TestSupport
import Testing
import Wire

/// A client that was compiled without the feature.
@Suite struct ToolTests {
  private func world(isDocumented: Bool = false) throws -> World<Board.State, Board.Action> {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var options = ReplicaOptions()
    (options.subscribesToWholeState, options.requestsDocumentation) = (false, isDocumented)
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

  @Test func itTakesTheDocumentationIfItWantsIt() throws {
    let world = try world(isDocumented: true)
    try world.settle()
    let (schema, documentation) = (world.clients[1].replica.schema, world.clients[1].replica.documentation)
    #expect(schema == Schema(state: Board.State.self, action: Board.Action.self))
    #expect(documentation == SchemaDocumentation(state: Board.State.self, action: Board.Action.self))
    #expect(!documentation.isEmpty)

    let other = try self.world()
    try other.settle()
    let none = other.clients[1].replica.documentation
    #expect(none.isEmpty)
  }

  @Test func aHubWithoutDocumentationAnswersWithTheSchemaAlone() throws {
    var options = ReplicaOptions()
    options.requestsDocumentation = true
    var replica = ReplicaCore(schema: nil, options: options)
    replica.start()
    replica.connected(at: .zero)
    let schema = Schema(state: Board.State.self, action: Board.Action.self)
    var writer = FrameWriter()
    writer.frame(
      Welcome(
        version: 1, session: SessionID(high: 1, low: 1), isResumed: false, processed: 0, payloadLimit: 1 << 20,
        hub: "hub", schema: schema.fingerprint))
    writer.frame(FrameHeader(kind: .schema)) { schema.encode(to: &$0) }
    replica.received(writer.bytes.span.bytes, at: .zero)
    let (phase, taken, documentation) = (replica.phase, replica.schema, replica.documentation)
    #expect(phase == .open && taken == schema && documentation.isEmpty)
  }

  /// The list of clients and the metrics need more rights than the parts of the feature.
  @Test func withoutTheRightToTheHubsOwnStateTheRestGoesOn() throws {
    let world = try world()
    let client = world.clients[0]
    let path = try Schema(state: Board.State.self, action: Board.Action.self).path(named: "count")
    let (own, metrics, count) = (TypedMirror<HubState>(), TypedMirror<HubMetrics>(), TypedMirror<Int>())
    world.hub.setPolicy(AccessPolicy(everyone: AccessGrant(read: [path])), at: world.now)
    client.replica.subscribe(own, to: [], of: .hub)
    client.subscribe(count, to: path)
    try world.settle()
    client.replica.subscribe(metrics, to: [], of: .metrics)
    try world.settle()
    #expect(count.part == 0 && own.part == nil && metrics.part == nil)
    #expect(own.revision != nil && metrics.revision != nil)
    let (connection, refusal) = (client.replica.connection, client.replica.ownStateRefusal)
    #expect(connection == .live && refusal?.contains("the list of clients") == true)

    // The welcome of the next connection says so, and the client does not ask.
    let refused = world.hub.metrics.refused
    world.cut(client)
    try world.settle()
    #expect(world.hub.metrics.refused == refused && client.replica.connection == .live)
    #expect(client.replica.ownStateRefusal?.contains("the list of clients") == true)
    let rights = client.replica.rights
    #expect(rights == ClientRights(readablePaths: [path], actionPrefixes: []))

    // The next connection asks again.
    world.hub.setPolicy(.open, at: world.now)
    world.cut(client)
    try world.settle()
    let newRights = client.replica.rights
    #expect(newRights == nil)
    #expect(own.part != nil && metrics.part != nil && count.part == 0)

    // A part of the feature is necessary.
    world.hub.setPolicy(AccessPolicy(everyone: AccessGrant()), at: world.now)
    try world.settle()
    guard case .refused(let reason) = client.replica.connection else {
      Issue.record("the client goes on without the part")
      return
    }
    #expect(reason.contains("may not read count;"))
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
