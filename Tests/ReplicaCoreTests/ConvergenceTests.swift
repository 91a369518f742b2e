import Features
import HubCore
import ReplicaCore
import TestSupport
import Testing
import Wire

/// The guarantees of a hub, over random histories of disconnections, delays, split and joined bytes, and full sockets.
@Suite(.computing) struct ConvergenceTests {
  @Test(arguments: [UInt64](0..<40))
  func everyClientEndsWithTheHubsStateAndEveryActionTakesEffectOnce(block: UInt64) throws {
    for seed in block * 10..<block * 10 + 10 {
      let world = AppWorld(seed: seed, clientCount: 4, toolCount: 1)
      for _ in 0..<300 { try world.step() }
      try world.settle()

      #expect(world.hub.revision == UInt64(world.sentCount), "seed \(seed)")
      for client in world.clients {
        #expect(client.replica.connection == .live, "seed \(seed)")
        #expect(client.whole == nil || client.state == world.engine.state, "seed \(seed)")
        #expect(client.untyped?.value?.encoded() == world.engine.state.encoded(), "seed \(seed)")
        #expect(client.pending.isEmpty && client.failed.isEmpty, "seed \(seed)")
        #expect(client.replica.pendingActionCount == 0, "seed \(seed)")
      }
      #expect(world.clients.reduce(0) { $0 + $1.applied } == world.sentCount, "seed \(seed)")
    }
  }

  @Test func theOracleSeesADeltaOnTheWrongState() throws {
    let world = AppWorld(seed: 1, clientCount: 1)
    try world.settle()
    world.forgedHistory[1] = AppFeature.State()
    try world.send(.incrementButtonTapped, from: world.clients[0])

    #expect(throws: WorldViolation.stateIsNotTheHubs(revision: 1)) { try world.settle() }
  }
}
