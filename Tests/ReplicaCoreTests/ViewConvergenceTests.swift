import ComposableArchitecture
import HubCore
import IdentifiedCollections
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// Views of a hub's feature, over random histories: the value of a view is always that of the hub's state at its revision.
@Suite(.computing) struct ViewConvergenceTests {
  private typealias ViewWorld = World<Chores.State, Chores.Action>

  /// The user of all clients of a world.
  private static let user: UInt32 = 1
  private static let chores = StatePath<IdentifiedArrayOf<Chores.Chore>, IdentifiedArrayOf<Chores.Chore>>()

  private func engine(
    _ views: StateViews<Chores.State> = Chores.views(), record: StateRecord<Chores.State> = StateRecord()
  ) -> FeatureEngine<Chores.State, Chores.Action> {
    FeatureEngine(initialState: Chores.State(), reducer: Recorded(base: Chores(), record: record), views: views)
  }

  private func world(
    seed: UInt64, _ views: StateViews<Chores.State> = Chores.views(),
    record: StateRecord<Chores.State> = StateRecord()
  ) -> ViewWorld {
    var random = SplitMix(seed: seed &* 31)
    var limits = HubLimits()
    (limits.views, limits.viewsPerUser) = (1_000, 10_000)
    limits.scopes = 1_000
    limits.versions = Int.random(in: 1...8, using: &random)
    limits.bookmarkInterval = UInt64.random(in: 1...20, using: &random)
    limits.hashInterval = UInt64.random(in: 1...10, using: &random)
    // First values may take many turns.
    limits.viewSteps = Bool.random(using: &random) ? Int.random(in: 1...40, using: &random) : 4096
    limits.deltaBytes = Bool.random(using: &random) ? 20 : 1 << 20
    var options = ReplicaOptions()
    options.subscribesToWholeState = Bool.random(using: &random)
    return ViewWorld(
      seed: seed, clientCount: 3, engine: engine(views, record: record), limits: limits, options: options, toolCount: 1,
      record: record
    ) { random, _ in
      Chores.randomAction(owners: [1, 2], limit: 8, &random)
    }
  }

  /// Subscribes a typed mirror and one of a tool to a part of a view.
  private func subscribe<Value: Replicated, Part: Replicated>(
    _ client: ViewWorld.Client, _ name: ViewName<Value>, _ path: StatePath<Value, Part>,
    _ value: @escaping (Chores.State) -> Value
  ) {
    let (typed, untyped) = (TypedMirror<Part>(), ValueMirror())
    client.replica.subscribe(
      typed, to: name.reference, at: path.steps, schema: Schema(state: Value.self, action: Never.self))
    client.replica.subscribe(untyped, to: name.reference, at: path.steps, schema: nil)
    let expected = { (state: Chores.State) in value(state).part(at: path.steps[...])?.encoded() ?? [] }
    for part in [
      ViewWorld.Client.Part(mirror: typed, path: path.steps, bytes: { typed.part?.encoded() ?? [] }, view: expected),
      ViewWorld.Client.Part(
        mirror: untyped, path: path.steps, bytes: { untyped.value?.encoded() ?? [] }, view: expected),
    ] {
      client.parts.append(part)
      client.contents[ObjectIdentifier(part.mirror)] = part
    }
  }

  private typealias Owners = IdentifiedArrayOf<GroupCount<UInt32>>

  private static func byTitle(_ chores: IdentifiedArrayOf<Chores.Chore>) -> IdentifiedArrayOf<Chores.Chore> {
    IdentifiedArray(uniqueElements: Array(chores).sorted { $0.title < $1.title })
  }

  private func subscribeToRandomView(_ client: ViewWorld.Client, _ random: inout SplitMix) {
    let (owner, isDone) = (UInt32.random(in: 1...2, using: &random), Bool.random(using: &random))
    switch Int.random(in: 0..<11, using: &random) {
    case 0: subscribe(client, ViewName("counts"), StatePath()) { Chores.Counts($0.chores) }
    case 1: subscribe(client, ViewName("open"), Self.chores) { $0.chores.filter { !$0.isDone } }
    case 2:
      let window = Self.chores[window: 1..<3]
      subscribe(client, ViewName("open"), window) { $0.chores.filter { !$0.isDone } }
    case 3:
      let choice = Chores.Choice(owner: owner, isDone: isDone)
      subscribe(client, ViewName("chosen", choice), Self.chores) { $0.chores.filter(choice.includes) }
    case 4: subscribe(client, ViewName("mine"), Self.chores) { $0.chores.filter { $0.owner == Self.user } }
    case 5:
      let window = Self.chores[window: 1..<3]
      subscribe(client, ViewName("byTitle"), window) { Self.byTitle($0.chores.filter { !$0.isDone }) }
    case 6: subscribe(client, ViewName("byTitle"), Self.chores) { Self.byTitle($0.chores.filter { !$0.isDone }) }
    case 7:
      let choice = Chores.Choice(owner: owner, isDone: isDone)
      subscribe(client, ViewName("chosenByTitle", choice), Self.chores) {
        Self.byTitle($0.chores.filter(choice.includes))
      }
    case 8:
      subscribe(client, ViewName("owners"), StatePath<Owners, Owners>()) { state in
        let counts = Dictionary(grouping: state.chores, by: \.owner).sorted { $0.key < $1.key }
        return Owners(uniqueElements: counts.map { GroupCount(id: $0.key, count: $0.value.count) })
      }
    case 9:
      subscribe(client, ViewName("firstOfMine", 2), Self.chores) {
        IdentifiedArray(uniqueElements: $0.chores.filter { $0.owner == Self.user }.prefix(2))
      }
    default:
      subscribe(client, ViewName("titles", isDone), StatePath<[String], [String]>()) {
        $0.chores.filter { $0.owner == Self.user && $0.isDone == isDone }.map(\.title)
      }
    }
  }

  private func expectConvergence(_ world: ViewWorld, seed: UInt64) {
    for client in world.clients {
      #expect(client.replica.connection == .live && client.divergences.isEmpty, "seed \(seed)")
      for part in client.parts {
        #expect(client.replica.refusal(of: part.mirror) == nil && part.mirror.revision != nil, "seed \(seed)")
        #expect(part.bytes() == part.expected(in: world.engine.state), "seed \(seed)")
      }
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func everyValueIsThatOfTheHubsState(block: UInt64) throws {
    for seed in block * 3..<block * 3 + 3 {
      let world = world(seed: seed)
      for _ in 0..<200 {
        let client = world.clients[Int.random(in: 0..<3, using: &world.random)]
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0: subscribeToRandomView(client, &world.random)
        case 1:
          guard let index = client.parts.indices.randomElement(using: &world.random) else { break }
          client.replica.unsubscribe(client.parts.remove(at: index).mirror)
        default: break
        }
        try world.step()
      }
      try world.settle()
      expectConvergence(world, seed: seed)
    }
  }

  @Test func viewsContinueWithTheNextProcess() throws {
    let record = StateRecord<Chores.State>()
    let world = world(seed: 3, record: record)
    for client in world.clients { subscribeToRandomView(client, &world.random) }
    try world.settle()
    for _ in 0..<20 {
      for client in world.clients { try world.act(client) }
      try world.turn()
      try world.handOver(to: engine(record: record))
    }
    try world.settle()
    expectConvergence(world, seed: 3)
  }

  @Test func aProcessWithOtherViewsDoesNotContinueConnections() throws {
    let record = try #require(HubCore(engine()).handOver { _ in nil })
    let other = engine(StateViews { StateView("note", of: \.note) { $0 } })
    #expect(throws: HandOverRefusal.otherSchema) { try HandOver(reading: record.encoded()).check(against: other, nil) }
    try HandOver(reading: record.encoded()).check(against: engine(), nil)
  }

  @Test func aViewThatTheHubDoesNotDeclareIsAbsentWithAReason() throws {
    let world = world(seed: 1)
    let client = world.clients[0]
    let mirror = TypedMirror<Int>()
    client.replica.subscribe(
      mirror, to: ViewReference(name: "nothing"), schema: Schema(state: Int.self, action: Never.self))
    let other = TypedMirror<Chores.Choice>()
    client.replica.subscribe(
      other, to: ViewReference(name: "counts"), schema: Schema(state: Chores.Choice.self, action: Never.self))
    try world.settle()
    #expect(client.replica.connection == .live)
    #expect(client.replica.refusal(of: mirror) == "the feature declares no view 'nothing'")
    #expect(client.replica.refusal(of: other)?.hasPrefix("view:counts has another type on this hub") == true)
    #expect(mirror.part == nil && other.part == nil)
  }

  @Test func aHubWithoutViewsIsNotAskedForThem() throws {
    let world = world(seed: 1, StateViews())
    let mirror = TypedMirror<Chores.Counts>()
    world.clients[0].replica.subscribe(
      mirror, to: ViewReference(name: "counts"), schema: Schema(state: Chores.Counts.self, action: Never.self))
    try world.settle()
    #expect(world.clients[0].replica.connection == .live && mirror.part == nil)
    let refusal = world.clients[0].replica.refusal(of: mirror)
    #expect(refusal?.contains("declares no views") == true)
  }

  /// The fields of the hub's value have other keys than the client's.
  @Test func aValueOfAnotherReleaseIsMappedByName() throws {
    let views = StateViews<Chores.State> {
      StateView("counts", of: \.chores) { Swapped(all: $0.count, open: $0.count { !$0.isDone }) }
    }
    let world = world(seed: 2, views)
    let client = world.clients[0]
    let mirror = TypedMirror<Chores.Counts>()
    client.replica.subscribe(
      mirror, to: ViewReference(name: "counts"), schema: Schema(state: Chores.Counts.self, action: Never.self))
    try world.settle()
    try world.send(.add(owner: 1, title: "a"), from: client)
    try world.send(.add(owner: 1, title: "b"), from: client)
    try world.send(.setDone(1, true), from: client)
    try world.settle()
    #expect(mirror.part?.all == 2 && mirror.part?.open == 1)
  }

  @Replicated
  struct Swapped: Equatable {
    var all: Int
    var open: Int
  }

  @Test func anotherValueOfTheParameterReplacesTheFirst() throws {
    let world = world(seed: 5)
    let client = world.clients[0]
    for owner in [1, 2] as [UInt32] { try world.send(.add(owner: owner, title: "of \(owner)"), from: client) }
    let mirror = TypedMirror<IdentifiedArrayOf<Chores.Chore>>()
    func name(_ owner: UInt32) -> ViewReference {
      ViewReference(name: "chosen", parameter: Chores.Choice(owner: owner, isDone: false).encoded())
    }
    client.replica.subscribe(
      mirror, to: name(1), schema: Schema(state: IdentifiedArrayOf<Chores.Chore>.self, action: Never.self))
    try world.settle()
    #expect(mirror.part?.map(\.title) == ["of 1"])
    client.replica.move(mirror, to: name(2), at: [])
    try world.settle()
    #expect(mirror.part?.map(\.title) == ["of 2"])
  }
}
