import Simulation
import TestSupport
import Testing

/// A tree of relays, with the cost of each step.
@Suite(.computing) struct TreeTests {
  private func run(seed: UInt64 = 1, _ change: (inout TreePlan) -> Void) throws -> TreeReport {
    var plan = TreePlan(seed: seed)
    (plan.relayCount, plan.fanOut, plan.clientCount, plan.rate, plan.seconds) = (20, 4, 2300, 200, 2)
    plan.losesRelay = false
    change(&plan)
    let simulation = TreeSimulation(plan)
    try simulation.run()
    return simulation.report
  }

  @Test func eachLevelIsOneHopFurther() throws {
    let report = try run { _ in }
    #expect(report.levels.map(\.nodeCount) == [3, 12, 8] && report.levels.map(\.clientCount) == [300, 1200, 800])
    let fresh = report.levels.map { $0.freshness.quantile(0.5) }
    #expect(fresh[0] < fresh[1] && fresh[1] < fresh[2] && fresh[2] < 20_000, "\(fresh) µs")
    #expect(report.actions > 200 && report.levels.allSatisfy { $0.answers.count > 0 })
  }

  @Test func theStoreServesTheMembersOnly() throws {
    let reports = try [0, 10, 40].map { count in try run { $0.relayCount = count } }
    #expect(reports.map(\.watches) == [3, 3, 3])
    let bytes = reports.map { Double($0.watchedBytes) / Double($0.actions) }
    #expect(bytes.allSatisfy { $0 < bytes[0] * 1.2 }, "\(bytes) bytes for an action")
  }

  @Test(arguments: 0..<4) func clientsBelowALostRelayGoOn(seed: UInt64) throws {
    let report = try run(seed: seed) { $0.losesRelay = true }
    #expect(report.movedCount > 0 && report.gaps.count > 0)
    // Until its silence is noticed, and the next node has sent what was missed.
    #expect(report.gaps.quantile(1) < 1_600_000, "\(report.gaps.quantile(1)) µs")
  }

  @Test func moreThanANodeCanCarryShows() throws {
    let report = try run { ($0.clientCount, $0.fanOut) = (23 * 20_000, 20) }
    #expect(report.levels[0].freshness.quantile(0.99) > 20_000)
  }

  @Test func theSameSeedDoesTheSame() throws {
    let texts = try (0..<2).map { _ in try run { $0.losesRelay = true }.text }
    #expect(texts[0] == texts[1])
  }
}
