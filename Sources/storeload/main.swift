import EventLoop
import Glibc
import LoadTest
import ProgramOptions

// Loads a hub and reports its throughput and latencies.

let options = ProgramOptions(
  program: "storeload",
  purpose: "Loads a hub with actions, and checks the state that they lead to.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath()),
    .init("connections", short: "c", argument: "C", "how many connections send; default 1"),
    .init("depth", short: "d", argument: "D", "how many actions each keeps in flight; default 1"),
    .init("actions", short: "n", argument: "N", "how many actions are sent in all; default 100000"),
    .init("workload", short: "w", argument: "NAME", "increment, add, edit, move, delete or toggle; default increment"),
    .init("todos", argument: "N", "add todos until the list has N, before the clock starts; default 0"),
    .init("hub-pid", argument: "PID", "also report the CPU time of the hub's process"),
    .init("json", "print the result as one JSON object"),
  ])
let (plan, isJSON) = options.read { (parsed) throws(UsageError) -> (LoadTest.Plan, Bool) in
  let plan = LoadTest.Plan(
    path: parsed.string("socket") ?? defaultSocketPath(),
    connections: try parsed.integer("connections", in: 1...10_000, default: 1),
    depth: try parsed.integer("depth", in: 1...65_536, default: 1),
    actions: try parsed.integer("actions", in: 1...Int(Int32.max), default: 100_000),
    workload: try parsed.choice("workload", of: Workload.allCases.map { ($0.rawValue, $0) }, default: .increment),
    todos: try parsed.integer("todos", in: 0...10_000_000, default: 0),
    process: parsed.flag("hub-pid") ? try parsed.integer("hub-pid", in: 1...Int(Int32.max), default: 0) : nil)
  return (plan, parsed.flag("json"))
}

do {
  let test = LoadTest(plan: plan, loop: try EventLoop())
  let showsProgress = isatty(STDERR_FILENO) == 1
  if showsProgress {
    test.onProgress = { answered in
      let line = "\r\(answered) of \(plan.actions) actions (\(answered * 100 / plan.actions) %)"
      _ = write(STDERR_FILENO, line, line.utf8.count)
    }
  }
  let result = Result { () throws(LoadError) in try test.run() }
  if showsProgress { printError("") }
  let report = try result.get()
  print(isJSON ? report.json : report.text)
} catch {
  printError("storeload: \(error)")
  exit(1)
}
