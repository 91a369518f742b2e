import TestSupport
import Testing

@testable import Simulation

/// A hub and its clients keep their guarantees under all faults.
@Suite(.computing) struct SeedTests {
  @Test(arguments: [UInt64](0..<12)) func promisesAreKept(block: UInt64) throws {
    for seed in block * 5..<block * 5 + 5 {
      do { try Simulation(SimulationPlan(seed: seed)).run() } catch { Issue.record("seed \(seed): \(error)") }
    }
  }

  /// Seeds that have found bugs in the cores or the simulator, with the bugs.
  @Test(
    arguments: [
      // Outcomes that arrived before the schemas were compared were dropped.
      1, 29, 64, 86, 90,
      // The oracle reported a change as missing that later turns had undone before the acknowledgement.
      201622,
      // The hub was not notified that a client had closed its socket with unread bytes.
      200867,
    ] as [UInt64]) func whatWasFoundStaysFixed(seed: UInt64) throws
  {
    var plan = SimulationPlan(seed: seed)
    // They are younger than these seeds.
    plan.faults.removeSuccessions()
    plan.restoration = 0
    plan.removeLater()
    try Simulation(plan).run()
  }

  @Test(
    arguments: [
      // A restarted hub ended sessions beyond the limit of detached ones, whose connections it then took over.
      105, 347, 456,
      // The same, while a connection ended during the taking over.
      5960,
      // A client claimed to have a part that the hub before an upgrade did not have.
      4135,
      // Two clients starved each other: the one whose snapshot was read first took the whole budget of every turn.
      3003548,
      // The simulated settling gave a snapshot of many pieces less time than the changes between them.
      4006025,
      // A hub passed connections on while the feature reacted to the end of others.
      4006005, 4012645,
      // A stopping hub ended two turns before its output was sent, and a scope that was attached between them got the
      // change since the first one as the change since the client's revision.
      4036413,
      // The oracle reported a connection as lost that had exceeded the limit of rejections.
      4062113,
    ] as [UInt64]) func whatWasFoundInSuccessionsStaysFixed(seed: UInt64) throws
  {
    var plan = SimulationPlan(seed: seed)
    plan.restoration = 0
    plan.removeLater()
    try Simulation(plan).run()
  }

  @Test(
    arguments: [
      // The oracle reported an action as refused that a hub applied whose log another one had continued.
      3715,
      // The oracle did not expect a client to read the output of an older hub after the upgrade.
      212, 363,
      // The last check did not know sessions whose connection had ended before the welcome.
      389, 490,
      // The oracle allowed too little for the heads of collections in a state near its limit.
      20050982,
      // A hub refused an action while its count of a small state went on, after many clients had come and gone.
      100055327,
      // The oracle reported a refusal by a halted hub, which did not know yet that the operator had granted the right.
      70022956,
      // A recovery from a snapshot of before a downgrade kept the versions of before it for clients.
      70049300,
      // A simulated socket that grew did not tell the client, which waited for room, that it had room again.
      150017275,
      // A subscriber that had resumed its session, or had read a snapshot, got its bookmarks too late.
      300000362, 300001159, 300001422, 300004062,
      // A cancellation named another action, and a client trapped, after actions had failed that were to be sent again.
      900118, 900221,
      // A client did not repeat the cancellation of an action that it sent again, because the hub had read it.
      2208,
      // The oracle did not know that a client had left its session, or could not store it, before its next process.
      320000177, 320013066, 320014285,
      // A client whose outbox was full went on in a session whose hub had lost outcomes that the client had reported.
      320006224,
      // The simulated hub began effects after its stop, and their actions were turns beyond the limit.
      330064087,
    ] as [UInt64]) func whatWasFoundUnderLoadStaysFixed(seed: UInt64) throws
  {
    try Simulation(SimulationPlan(seed: seed)).run()
  }

  @Test func theSameSeedDoesTheSame() throws {
    var lines: [[String]] = []
    var reports: [SimulationReport] = []
    for _ in 0..<2 {
      var trace: [String] = []
      let simulation = Simulation(SimulationPlan(seed: 3), print: { trace.append($0) })
      try simulation.run()
      lines.append(trace)
      reports.append(simulation.report)
    }
    #expect(lines[0] == lines[1])
    #expect(reports[0] == reports[1])
    #expect(reports[0].events > 100)
    let other = Simulation(SimulationPlan(seed: 4))
    try other.run()
    #expect(other.report.hash != reports[0].hash)
  }

  /// Otherwise the memory of a campaign grows with its seeds.
  @Test func noProcessOutlivesItsSimulation() throws {
    final class Seen {
      weak var simulation: Simulation?
      weak var client: ClientProcess?
      weak var hub: HubProcess?
      var count = 0
    }
    let seen = Seen()
    for seed in UInt64(3)..<6 {
      let simulation = Simulation(SimulationPlan(seed: seed)) { _ in
        guard let hub = seen.simulation?.hub, let client = seen.simulation?.clients.last else { return }
        (seen.hub, seen.client) = (hub, client)
        seen.count += 1
      }
      seen.simulation = simulation
      try simulation.run()
      #expect(seen.count > 0 && seen.client == nil && seen.hub == nil)
    }
  }

  /// Without faults, all actions of the feature take effect and only unknown ones are rejected.
  @Test(arguments: SimulationPlan.Storage.allCases)
  func withoutFaultsEveryActionTakesEffect(storage: SimulationPlan.Storage) throws {
    var plan = SimulationPlan(seed: 5)
    (plan.storage, plan.faults) = (storage, .none)
    plan.removeLater()
    let simulation = Simulation(plan)
    try simulation.run()
    let report = simulation.report
    #expect(report.unknown == 0)
    #expect(report.rejected == report.withoutEffect && report.rejected > 0)
    #expect(report.applied == report.sent - report.refusedLocally - report.withoutEffect)
    #expect(report.applied > 100)
  }

  /// Events that are rare otherwise happen here.
  @Test func faultsHappen() throws {
    var sum = [Int](repeating: 0, count: SimulationReport().numbers.count)
    for seed in Array(UInt64(265)..<294) + [1222] {
      let simulation = Simulation(SimulationPlan(seed: seed))
      try simulation.run()
      for (index, number) in simulation.report.numbers.enumerated() { sum[index] += number }
    }
    let report = SimulationReport(numbers: sum)
    #expect(report.numbers.allSatisfy { $0 > 0 }, "\(report.text)")
  }
}
