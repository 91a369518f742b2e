import Simulation

/// What is simulated from each seed, with the bug that is planted.
enum World {
  case hub(PlantedBug?)
  case cluster(PlantedClusterBug?)

  /// The outcome of a seed.
  struct Outcome {
    let statistics: any Statistics
    let events: Int
    let hash: UInt64
    /// The violation, if there is one.
    let failure: (any Error)?
  }

  /// Runs a seed, and passes each event as a line to `print`.
  func run(_ seed: UInt64, print: ((String) -> Void)? = nil) -> Outcome {
    switch self {
    case .hub(let bug):
      let simulation = Simulation(SimulationPlan(seed: seed), bug: bug, print: print)
      let failure = failure { try simulation.run() }
      let report = simulation.report
      return Outcome(statistics: report, events: report.events, hash: report.hash, failure: failure)
    case .cluster(let bug):
      let simulation = ClusterSimulation(ClusterPlan(seed: seed), bug: bug, print: print)
      let failure = failure { try simulation.run() }
      let report = simulation.report
      return Outcome(statistics: report, events: report.events, hash: report.hash, failure: failure)
    }
  }

  private func failure(of body: () throws -> Void) -> (any Error)? {
    do { try body() } catch { return error }
    return nil
  }

  /// The parameters that are drawn from a seed, for people.
  func plan(of seed: UInt64) -> String {
    switch self {
    case .hub: SimulationPlan(seed: seed).text
    case .cluster: ClusterPlan(seed: seed).text
    }
  }

  /// The statistics of many seeds from the sums of their numbers.
  func statistics(of numbers: [Int]) -> any Statistics {
    switch self {
    case .hub: SimulationReport(numbers: numbers)
    case .cluster: ClusterReport(numbers: numbers)
    }
  }

  /// The options that select this world.
  var options: [String] {
    switch self {
    case .hub(let bug): bug.map { ["--bug", $0.rawValue] } ?? []
    case .cluster(let bug): ["--cluster"] + (bug.map { ["--bug", $0.rawValue] } ?? [])
    }
  }

  /// The names of the bugs that can be planted.
  var bugNames: [String] {
    switch self {
    case .hub: PlantedBug.allCases.map(\.rawValue)
    case .cluster: PlantedClusterBug.allCases.map(\.rawValue)
    }
  }
}
