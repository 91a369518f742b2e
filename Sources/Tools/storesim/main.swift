import Glibc
import ProgramOptions
import Simulation

// Runs simulations of a hub and its clients: one seed, or many.

let options = ProgramOptions(
  program: "storesim",
  purpose: "Simulates a hub, its clients, the network, the disk and the clock from a seed, and checks all guarantees.",
  options: [
    .init("seed", short: "s", argument: "S", "run only this seed and print a summary"),
    .init("trace", "print every event", if: .option("seed")),
    .init("bug", argument: "NAME", "plant a bug, which an oracle should detect; 'list' prints the names"),
    .init("seeds", short: "n", argument: "N", "the number of seeds to run; default 1000"),
    .init("from", argument: "S", "the first seed; default 0"),
    .init("jobs", short: "j", argument: "J", "the number of processes; default 1"),
    .init(
      "stride", argument: "K", "run only every K-th seed, and print a line for each, as the processes of --jobs do"),
  ],
  sections: [
    .init(
      "EXIT STATUS",
      [
        .terms([
          ("0", "no seed has failed"), ("1", "a seed has failed; the output names it and what it has violated"),
          ("2", "the command line is wrong"), ("141", "SIGPIPE: the reader of the output has closed it"),
        ])
      ])
  ])

enum Job {
  case listBugs
  case one(seed: UInt64, isTraced: Bool)
  case many(Campaign)
  case worker(Campaign, stride: UInt64)
}

let (job, bug) = options.read { (parsed) throws(UsageError) -> (Job, PlantedBug?) in
  // A seed alone is one run in this process, and --stride one of several processes.
  try parsed.checkAlternatives([
    ["seed", "seeds"], ["seed", "from"], ["seed", "jobs"], ["seed", "stride"], ["stride", "jobs"],
  ])
  let bugs = PlantedBug.allCases.map { ($0.rawValue, $0) }
  if parsed.string("bug") == "list" { return (.listBugs, nil) }
  let bug: PlantedBug? =
    parsed.flag("bug") ? try parsed.choice("bug", of: bugs, default: .shellDropsAWrite) : nil
  let largest = Int(Int64.max)
  if parsed.flag("seed") {
    let seed = try parsed.integer("seed", in: 0...largest, default: 0)
    return (.one(seed: UInt64(seed), isTraced: parsed.flag("trace")), bug)
  }
  let campaign = Campaign(
    first: UInt64(try parsed.integer("from", in: 0...largest, default: 0)),
    count: UInt64(try parsed.integer("seeds", in: 1...Int(Int32.max), default: 1000)),
    jobs: try parsed.integer("jobs", in: 1...256, default: 1), bug: bug)
  guard parsed.flag("stride") else { return (.many(campaign), bug) }
  return (.worker(campaign, stride: UInt64(try parsed.integer("stride", in: 1...Int(Int32.max), default: 1))), bug)
}

switch job {
case .listBugs:
  for bug in PlantedBug.allCases { print(bug.rawValue) }
case .one(let seed, let isTraced):
  let plan = SimulationPlan(seed: seed)
  print(plan.text)
  let simulation = Simulation(plan, bug: bug, print: isTraced ? { print($0) } : nil)
  let result = Result { try simulation.run() }
  print(simulation.report.text)
  print("events \(simulation.report.events), hash \(String(simulation.report.hash, radix: 16))")
  if case .failure(let error) = result {
    printError("storesim: seed \(seed): \(error)")
    exit(1)
  }
case .worker(let campaign, let stride):
  exit(campaign.work(stride: stride) ? 0 : 1)
case .many(let campaign):
  exit(campaign.run() ? 0 : 1)
}
