import Glibc
import ProgramOptions
import Simulation

// Runs simulations of a hub and its clients, or of a cluster: one seed, or many. Or that of a large tree of hubs.

let options = ProgramOptions(
  program: "storesim",
  purpose: "Simulates a hub, its clients, the network, the disk and the clock from a seed, and checks all guarantees.",
  options: [
    .init("seed", short: "s", argument: "S", "run only this seed and print a summary"),
    .init("cluster", "simulate several nodes over a replicated log instead of one hub"),
    .init("tree", "simulate a large tree of hubs with what each step costs, and print what its levels carry"),
    .init("relays", argument: "N", "the number of hubs below the three members; default 1000", if: .option("tree")),
    .init("fan-out", argument: "N", "the most hubs that follow one; default 32", if: .option("tree")),
    .init(
      "clients", argument: "N", "the clients of all hubs, each of which sees every change; default 1000000",
      if: .option("tree")),
    .init("rate", argument: "N", "the actions of all clients in a second; default 500", if: .option("tree")),
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
  case tree(TreePlan)
}

let (job, world) = options.read { (parsed) throws(UsageError) -> (Job, World) in
  // A seed alone is one run in this process, and --stride one of several processes.
  try parsed.checkAlternatives([
    ["seed", "seeds"], ["seed", "from"], ["seed", "jobs"], ["seed", "stride"], ["stride", "jobs"],
  ])
  let isCluster = parsed.flag("cluster")
  if parsed.flag("tree") {
    try parsed.checkAlternatives(["cluster", "trace", "bug", "seeds", "from", "jobs", "stride"].map { ["tree", $0] })
    return (.tree(try treePlan(of: parsed)), .cluster(nil))
  }
  if parsed.string("bug") == "list" { return (.listBugs, isCluster ? .cluster(nil) : .hub(nil)) }
  let world: World =
    if isCluster {
      .cluster(try plantedBug(in: parsed))
    } else {
      .hub(try plantedBug(in: parsed))
    }
  let largest = Int(Int64.max)
  if parsed.flag("seed") {
    let seed = try parsed.integer("seed", in: 0...largest, default: 0)
    return (.one(seed: UInt64(seed), isTraced: parsed.flag("trace")), world)
  }
  let campaign = Campaign(
    first: UInt64(try parsed.integer("from", in: 0...largest, default: 0)),
    count: UInt64(try parsed.integer("seeds", in: 1...Int(Int32.max), default: 1000)),
    jobs: try parsed.integer("jobs", in: 1...256, default: 1), world: world)
  guard parsed.flag("stride") else { return (.many(campaign), world) }
  return (.worker(campaign, stride: UInt64(try parsed.integer("stride", in: 1...Int(Int32.max), default: 1))), world)
}

/// The tree that the options describe.
func treePlan(of parsed: ParsedOptions) throws(UsageError) -> TreePlan {
  var plan = TreePlan(seed: UInt64(try parsed.integer("seed", in: 0...Int(Int64.max), default: 0)))
  plan.relayCount = try parsed.integer("relays", in: 0...10_000, default: plan.relayCount)
  plan.fanOut = try parsed.integer("fan-out", in: 1...1000, default: plan.fanOut)
  plan.clientCount = try parsed.integer("clients", in: 0...100_000_000, default: plan.clientCount)
  plan.rate = try parsed.integer("rate", in: 1...100_000, default: plan.rate)
  return plan
}

/// The bug that `--bug` names.
func plantedBug<Bug: CaseIterable & RawRepresentable>(
  in parsed: ParsedOptions
) throws(UsageError) -> Bug? where Bug.RawValue == String {
  let bugs = Bug.allCases.map { ($0.rawValue, Optional($0)) }
  return try parsed.choice("bug", of: bugs, default: nil)
}

switch job {
case .listBugs:
  for name in world.bugNames { print(name) }
case .one(let seed, let isTraced):
  print(world.plan(of: seed))
  let outcome = world.run(seed, print: isTraced ? { print($0) } : nil)
  print(outcome.statistics.text)
  print("events \(outcome.events), hash \(String(outcome.hash, radix: 16))")
  if let error = outcome.failure {
    printError("storesim: seed \(seed): \(error)")
    exit(1)
  }
case .worker(let campaign, let stride):
  exit(campaign.work(stride: stride) ? 0 : 1)
case .many(let campaign):
  exit(campaign.run() ? 0 : 1)
case .tree(let plan):
  print(plan.text)
  let simulation = TreeSimulation(plan)
  do { try simulation.run() } catch {
    printError("storesim: \(error)")
    exit(1)
  }
  print(simulation.report.text)
}
