import ReplicaCore
import TestFeatures
import TestSupport
import Testing
import Wire

/// Subscriptions that are moved to other parts.
@Suite struct MoveTests {
  /// The program that had moved a window beyond the end of a short list once waited for it for ever.
  @Test func aMoveToAnEqualPartIsReported() throws {
    let world = BoardWorld(seed: 1)
    try world.settle()
    try world.send(.addItems(2), from: world.clients[0])
    let client = world.clients[1]
    let items = StatePath<Board.State, Board.State>().items.steps
    let part = client.subscribe(ValueMirror(), to: items + [.window(start: 0, count: 8)])
    try world.settle()
    let id = ObjectIdentifier(part.mirror)
    #expect(client.lastRevisions[id] != nil && part.bytes() != nil)
    client.lastRevisions[id] = nil
    let path = items + [.window(start: 0, count: 9)]
    client.contents[id] = BoardWorld.Client.Part(mirror: part.mirror, path: path, bytes: part.bytes)
    client.replica.move(part.mirror, to: path)
    try world.settle()
    #expect(client.lastRevisions[id] != nil)
  }
}
