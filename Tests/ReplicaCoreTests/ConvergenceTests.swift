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

      world.expectExactlyOnce(seed: seed)
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
