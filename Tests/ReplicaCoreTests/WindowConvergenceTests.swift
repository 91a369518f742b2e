import ComposableArchitecture
import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// Windows of a hub's collections, over random histories: a window is always the slice of the hub's state at its revision.
@Suite(.computing) struct WindowConvergenceTests {
  private static let board = StatePath<Board.State, Board.State>()

  private static func randomWindow(_ random: inout SplitMix) -> PathStep {
    .window(start: Int.random(in: -4...5, using: &random), count: Int.random(in: 1...4, using: &random))
  }

  /// A random place with windows: a collection that is always there, one in an element, and a plain array.
  private static func randomPath(_ random: inout SplitMix) -> [PathStep] {
    let collection = [board.items.steps, board.items[id: 2].subitems.steps, board.numbers.steps]
    return (collection.randomElement(using: &random) ?? []) + [randomWindow(&random)]
  }

  private static func subscribe(_ path: [PathStep], by client: BoardWorld.Client) {
    switch path.dropLast() {
    case board.items.steps[...]:
      client.parts.append(client.subscribe(TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>(), to: path))
    case board.numbers.steps[...]: client.parts.append(client.subscribe(TypedMirror<Window<[Int]>>(), to: path))
    default: client.parts.append(client.subscribe(TypedMirror<Window<IdentifiedArrayOf<Board.Subitem>>>(), to: path))
    }
    client.parts.append(client.subscribe(ValueMirror(), to: path))
  }

  /// Moves a random window over its collection.
  private static func move(_ client: BoardWorld.Client, _ random: inout SplitMix) {
    guard let index = client.parts.indices.randomElement(using: &random) else { return }
    let part = client.parts[index]
    let path = part.path.dropLast() + [randomWindow(&random)]
    client.replica.move(part.mirror, to: Array(path))
    client.parts[index] = BoardWorld.Client.Part(mirror: part.mirror, path: Array(path), bytes: part.bytes)
    client.contents[ObjectIdentifier(part.mirror)] = client.parts[index]
  }

  private func world(seed: UInt64) -> BoardWorld {
    var limits = HubLimits()
    (limits.scopes, limits.windowElements) = (1 << 15, 1 << 20)
    return BoardWorld(seed: seed, limits: limits)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func everyWindowIsTheSliceOfTheHubsState(block: UInt64) throws {
    for seed in block * 10..<block * 10 + 10 {
      let world = world(seed: seed)
      for _ in 0..<250 {
        let client = world.clients[Int.random(in: 0..<3, using: &world.random)]
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0: Self.subscribe(Self.randomPath(&world.random), by: client)
        case 1:
          guard let index = client.parts.indices.randomElement(using: &world.random) else { break }
          client.replica.unsubscribe(client.parts.remove(at: index).mirror)
        case 2: Self.move(client, &world.random)
        default: break
        }
        try world.step()
      }
      try world.settle()
      world.expectConvergence(seed: seed)
      for client in world.clients { #expect(client.divergences.isEmpty, "seed \(seed)") }
    }
  }

  @Test func aWrongWindowIsSeen() throws {
    let world = world(seed: 4)
    let client = world.clients[0]
    Self.subscribe(Self.board.items[window: 0..<2].steps, by: client)
    try world.settle()
    world.forgedHistory[1] = Board.State()
    try world.send(.addItems(3), from: client)

    #expect(throws: WorldViolation.stateIsNotTheHubs(revision: 1)) { try world.settle() }
  }

  @Test func aMovedWindowShowsTheOldElementsUntilTheNewArrive() throws {
    let world = world(seed: 5)
    let client = world.clients[0]
    try world.settle()
    try world.send(.addItems(10), from: client)
    try world.settle()
    let mirror = TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>()
    client.subscribe(mirror, to: Self.board.items[window: 0..<3].steps)
    try world.settle()
    #expect(mirror.part?.elements.map(\.id) == [0, 1, 2])

    let path = Self.board.items[window: 5..<8].steps
    client.replica.move(mirror, to: path)
    client.contents[ObjectIdentifier(mirror)] = BoardWorld.Client.Part(mirror: mirror, path: path) {
      mirror.part?.encoded()
    }
    #expect(mirror.part?.elements.map(\.id) == [0, 1, 2])
    try world.settle()
    #expect(mirror.part?.elements.map(\.id) == [5, 6, 7] && mirror.part?.start == 5 && mirror.part?.count == 10)
    let connection = client.replica.connection
    #expect(connection == .live)
  }

  /// A tool has the number of rows, and those of some positions.
  @Test func aToolReadsTheRowsOfAWindow() throws {
    let world = world(seed: 5)
    let tool = world.clients[2]
    try world.settle()
    try world.send(.addItems(10), from: world.clients[0])
    let mirror = ValueMirror()
    tool.subscribe(mirror, to: Self.board.items[window: 2..<4].steps)
    #expect(mirror.window == nil)
    try world.settle()
    let window = try #require(mirror.window)
    #expect(window.count == 10 && window.positions == 2..<4)
    #expect(window[2]?.encoded() == world.engine.state.items[2].encoded() && window[1] == nil && window[4] == nil)
    #expect(window.type.schema.name(of: window.type.collection) == "IdentifiedArray<Int, Board.Item>")
    // A part is no window, whatever its value.
    let part = ValueMirror()
    tool.subscribe(part, to: Self.board.items.steps)
    try world.settle()
    #expect(part.value != nil && part.window == nil)
  }

  /// An older hub would take the request for a malformed one, close the connection, and the client would try for ever.
  @Test func aHubWithoutWindowsIsNotAskedForOne() throws {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var limits = HubLimits()
    limits.windowElements = 0
    let world = BoardWorld(seed: 1, clientCount: 1, engine: engine, limits: limits) { random, _ in
      .change(random.next())
    }
    let client = world.clients[0]
    let mirror = TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>()
    client.replica.subscribe(mirror, to: Self.board.items[window: 0..<3].steps)
    try world.settle()
    let (connection, refusal) = (client.replica.connection, client.replica.refusal(of: mirror))
    #expect(connection == .live && mirror.part == nil && mirror.revision != nil)
    #expect(refusal?.contains("no windows") == true)
  }

  @Test func aWindowThatIsTooLargeIsNotRequested() throws {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = BoardWorld(seed: 1, clientCount: 1, engine: engine) { random, _ in .change(random.next()) }
    let client = world.clients[0]
    let mirror = TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>()
    client.replica.subscribe(mirror, to: Self.board.items[window: 0..<4097].steps)
    try world.settle()
    let (connection, refusal) = (client.replica.connection, client.replica.refusal(of: mirror))
    #expect(connection == .live && mirror.part == nil && refusal?.contains("at most 4096") == true)
  }

  /// The hub limits the elements of all windows of a connection, and ends it beyond that.
  @Test func windowsThatAreTooLargeTogetherAreNotRequested() throws {
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    let world = BoardWorld(seed: 1, clientCount: 1, engine: engine) { random, _ in .change(random.next()) }
    let client = world.clients[0]
    let mirrors = (0..<5).map { _ in TypedMirror<Window<IdentifiedArrayOf<Board.Item>>>() }
    for mirror in mirrors { client.replica.subscribe(mirror, to: Self.board.items[window: 0..<1000].steps) }
    func arePresent() -> [Bool] { mirrors.map { $0.part != nil } }
    func areRefused() -> [Bool] { mirrors.map { client.replica.refusal(of: $0) != nil } }
    for isReconnected in [false, true] {
      if isReconnected { world.cut(client) }
      try world.settle()
      let connection = client.replica.connection
      #expect(connection == .live)
      #expect(arePresent() == [true, true, true, true, false])
      #expect(areRefused() == [false, false, false, false, true])
    }
    #expect(client.replica.refusal(of: mirrors[4])?.contains("4000 are in use") == true)
    // A smaller one has a place, and a larger one leaves it.
    client.replica.move(mirrors[0], to: Self.board.items[window: 0..<900].steps)
    try world.settle()
    #expect(areRefused() == [false, false, false, false, true])
    client.replica.move(mirrors[1], to: Self.board.items[window: 0..<100].steps)
    try world.settle()
    #expect(arePresent() == [true, true, true, true, true])
    client.replica.unsubscribe(mirrors[2])
    client.replica.move(mirrors[0], to: Self.board.items[window: 0..<1900].steps)
    try world.settle()
    let connection = client.replica.connection
    #expect(connection == .live && areRefused() == [false, false, false, false, false])
  }
}
