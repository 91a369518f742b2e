import Features
import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The guarantees of a hub for subscribers to parts of its state, over random histories.
@Suite(.computing) struct ScopeConvergenceTests {
  typealias BoardWorld = World<Board.State, Board.Action>

  /// Subscribes to a part of a state, whose type is unknown to the test, typed and untyped.
  private static func subscribe(_ path: [PathStep], by client: BoardWorld.Client) {
    func add<Part>(_ part: StatePath<Board.State, Part>) {
      client.parts.append(client.subscribe(TypedMirror<Part>(), to: part.steps))
      client.parts.append(client.subscribe(ValueMirror(), to: part.steps))
    }
    let board = StatePath<Board.State, Board.State>()
    let note = board.mode.enumCase("edit", Board.Note.self)
    switch path {
    case [0]: add(board.title)
    case [1]: add(board.count)
    case [2]: add(board.items)
    case [3]: add(board.chosen)
    case [3, 0]: add(board.chosen.unwrapped())
    case [3, 0, 0]: add(board.chosen.text)
    case [4]: add(board.mode)
    case [4, 1]: add(note)
    case [4, 1, 1]: add(note.stars)
    case [5]: add(board.numbers)
    case board.items[id: 1].steps: add(board.items[id: 1])
    case board.items[id: 1].title.steps: add(board.items[id: 1].title)
    case board.items[id: 1].note.steps: add(board.items[id: 1].note)
    case board.items[id: 1].note.stars.steps: add(board.items[id: 1].note.stars)
    case board.items[id: 2].subitems.steps: add(board.items[id: 2].subitems)
    case board.items[id: 2].subitems[id: 1].isDone.steps: add(board.items[id: 2].subitems[id: 1].isDone)
    default: add(board)
    }
  }

  private func world(seed: UInt64) -> BoardWorld {
    var random = SplitMix(seed: seed &* 31)
    var limits = HubLimits()
    limits.versions = Int.random(in: 1...8, using: &random)
    limits.bookmarkInterval = UInt64.random(in: 1...20, using: &random)
    limits.hashInterval = UInt64.random(in: 1...10, using: &random)
    limits.deltaBytes = Bool.random(using: &random) ? 20 : 1 << 20
    let engine = FeatureEngine(initialState: Board.State(), reducer: Board())
    var options = ReplicaOptions()
    options.subscribesToWholeState = Bool.random(using: &random)
    return BoardWorld(seed: seed, clientCount: 3, engine: engine, limits: limits, options: options, toolCount: 1) {
      random, _ in
      .change(random.next())
    }
  }

  @Test(arguments: [UInt64](0..<40))
  func everyPartIsTheHubsAtItsRevisionAndInTheEnd(block: UInt64) throws {
    for seed in block * 10..<block * 10 + 10 {
      let world = world(seed: seed)
      for _ in 0..<250 {
        let client = world.clients[Int.random(in: 0..<3, using: &world.random)]
        switch Int.random(in: 0..<20, using: &world.random) {
        case 0: Self.subscribe(Board.State.paths.randomElement(using: &world.random) ?? [], by: client)
        case 1:
          guard let index = client.parts.indices.randomElement(using: &world.random) else { break }
          client.replica.unsubscribe(client.parts.remove(at: index).mirror)
        default: break
        }
        try world.step()
      }
      try world.settle()

      #expect(world.hub.revision == UInt64(world.sentCount), "seed \(seed)")
      for client in world.clients {
        #expect(client.replica.connection == .live, "seed \(seed)")
        #expect(client.pending.isEmpty && client.failed.isEmpty, "seed \(seed)")
        for part in client.parts {
          #expect(part.mirror.revision != nil, "seed \(seed), \(part.path)")
          let theirs = world.engine.state.part(at: part.path[...])?.encoded()
          #expect(part.bytes() == theirs, "seed \(seed), \(part.path)")
        }
      }
    }
  }

  @Test func aWrongPartIsSeen() throws {
    let world = world(seed: 4)
    let client = world.clients[0]
    Self.subscribe([1], by: client)
    try world.settle()
    world.forgedHistory[1] = Board.State()
    try world.send(.setCount(5), from: client)

    #expect(throws: WorldViolation.stateIsNotTheHubs(revision: 1)) { try world.settle() }
  }

  @Test func theOracleSeesADeltaOnTheWrongState() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    try world.settle()
    world.forgedHistory[1] = AppFeature.State()
    try world.send(.incrementButtonTapped, from: world.clients[0])

    #expect(throws: WorldViolation.stateIsNotTheHubs(revision: 1)) { try world.settle() }
  }
}
