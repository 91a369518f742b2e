import Simulation
import TestSupport
import Testing

@Suite(.computing) struct SeedTests {
  @Test(arguments: [UInt64](0..<20)) func theHubKeepsItsPromises(seed: UInt64) throws {
    try Simulation(SimulationPlan(seed: seed)).run()
  }
}
