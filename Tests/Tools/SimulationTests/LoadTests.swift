import Simulation
import TestSupport
import Testing

/// The time that a hub takes is divided fairly, on a virtual processor.
@Suite(.computing) struct LoadTests {
  @Test(arguments: [UInt64](0..<10)) func turnsAreShortAndAllAreAnswered(seed: UInt64) throws {
    let simulation = LoadSimulation(seed: seed)
    do { try simulation.run() } catch { Issue.record("seed \(seed): \(error)") }
    #expect(simulation.report.turns > 0 && simulation.report.actions > 0)
  }

  /// The seeds contain what they are for.
  @Test func clientsCompete() throws {
    var (contended, longest, wait) = (0, UInt64(0), UInt64(0))
    for seed in UInt64(100)..<110 {
      let simulation = LoadSimulation(seed: seed)
      try simulation.run()
      contended += simulation.report.contendedTurns
      longest = max(longest, simulation.report.longestTurn)
      wait = max(wait, simulation.report.longestWait)
    }
    #expect(contended > 100 && longest > 500_000 && wait > 100_000, "\(contended), \(longest) ns, \(wait) ns")
  }

  @Test func theSameSeedDoesTheSame() throws {
    let reports = try (0..<2).map { _ in
      let simulation = LoadSimulation(seed: 3)
      try simulation.run()
      return simulation.report
    }
    #expect(reports[0] == reports[1])
  }
}
