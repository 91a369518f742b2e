import Features
import HubCore
import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// The guarantees of a hub for subscribers to parts of its state, over random histories.
@Suite(.computing) struct ScopeConvergenceTests {
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

  @Test(arguments: [UInt64](0..<40))
  func everyPartIsTheHubsAtItsRevisionAndInTheEnd(block: UInt64) throws {
    for seed in block * 10..<block * 10 + 10 {
      let world = BoardWorld(seed: seed)
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
      world.expectConvergence(seed: seed)
    }
  }

  @Test func aWrongPartIsSeen() throws {
    let world = BoardWorld(seed: 4)
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
