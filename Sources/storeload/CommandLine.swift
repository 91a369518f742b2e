import LoadTest
import ProgramOptions

/// The command line of a run, from which the parser, `--help` and the manual page are made.
let runOptions = ProgramOptions(
  program: "storeload",
  purpose: "Loads a hub with actions, measures it, and verifies the state that they lead to, whatever its feature is.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
    .init(
      "scenario", argument: "FILE",
      "an INI file, or the name of a built-in one: counter, list, dashboards, team; other options override it",
      value: .file),
    .init(
      "workload", short: "w", argument: "NAME", "increment, add, edit, move, delete or toggle; default increment",
      value: .words(["increment", "add", "edit", "move", "delete", "toggle"])),
    .init("action", argument: "ACTION", "send this action: its path, and its values with placeholders", value: .action),
    .init("ids", argument: "PATH", "with --action: the collection whose elements {id} stands for", value: .path),
    .init("connections", short: "c", argument: "C", "how many connections send; default 1"),
    .init(
      "depth", short: "d", argument: "D", "how many actions each keeps in flight; default 1; with --rate at most, 4096"),
    .init("rate", short: "r", argument: "R", "an open loop: R actions arrive each second, whatever the hub does"),
    .init("ramp-to", argument: "R", "the rate rises to this one during the run"),
    .init(
      "arrival", argument: "KIND", "how they arrive: even or poisson; default even", value: .words(["even", "poisson"])),
    .init("actions", short: "n", argument: "N", "how many actions are measured; default 100000 without --duration"),
    .init("duration", short: "t", argument: "TIME", "how long is measured, such as 30s or 2m"),
    .init("warmup", argument: "TIME", "send for so long before the measurement; default 0s"),
    .init("threads", argument: "N", "how many threads send; default 1"),
    .init("payload", argument: "BYTES", "the size of {text}, which is filled up to it; default 0"),
    .init("todos", argument: "N", "fill the scenario's collection until it has N elements, before the clock starts"),
    .init("watch", argument: "N", "how many further connections subscribe and check every change; default 0"),
    .init("scope", argument: "PATH", "what they subscribe to; may have [{id}]; default the whole state", value: .path),
    .init("scopes", argument: "K", "over how many elements they are spread, if the scope has [{id}]; default 1"),
    .init("slow", argument: "N", "how many of them read only once a second; default 0"),
    .init("churn", argument: "R", "how many sessions are replaced by new ones each second; default 0"),
    .init("storm", argument: "TIME", "cut all connections at once, again and again after so long, and resume them"),
    .init("seed", argument: "N", "the seed of everything random; default 1"),
    .init("timeout", argument: "TIME", "how long the hub may be silent; default 10s"),
    .init("hub-pid", argument: "PID", "the hub's process, if it is not the one that listens"),
    .init("search", argument: "LIMIT", "find the highest rate whose p99 is at most this, such as 2ms"),
    .init("live", "print a line each second on standard error; the default on a terminal"),
    .init("quiet", short: "q", "print no live line"),
    .init("json", short: "j", "print the result as one JSON object"),
    .init("csv", "print the figures of each interval as CSV"),
    .init("report", argument: "FILE", "also write a page with charts, which needs no other file", value: .file),
    .init("print-scenario", "print the scenario as an INI file, and send nothing"),
  ],
  sections: [
    .init(
      "OPEN AND CLOSED LOOP",
      [
        .text(
          """
          Without --rate each connection sends an action when one is acknowledged. That finds the highest throughput, but a hub that \
          stops also stops the questions, so its pauses hardly show in the percentiles. With --rate actions arrive at times of \
          their own, at equal distances or at random, and each latency counts from that time: if the hub stops for four seconds, every \
          action of these seconds is late, and the p99 shows it. The lateness of this program itself is reported beside it.
          """)
      ]),
    .init(
      "ACTIONS",
      [
        .text("An action is its path and its values, as for storectl(1), with placeholders:"),
        .terms([
          ("{n}", "the number of the action; in a text, its digits"),
          ("{run}", "a tag that only this run has; it stands in texts"),
          ("{text}", "a text of --payload bytes that only this action has"),
          ("{id}", "the id of an element of the collection at --ids; each connection has elements of its own"),
          ("{next}", "the id of another element"), ("{toggle}", "true or false, the opposite of what the element had"),
          ("{random:1..6}", "a number at random"),
        ]),
        .code([
          "storeload --action 'todos.addButtonTapped \"{text}\"' --payload 100 --rate 500 --duration 10s",
          "storeload --action 'todos.todos[{id}].textChanged \"{run} {n}\"' --ids todos.todos",
        ]),
      ]),
    .init(
      "SCENARIOS",
      [
        .text(
          """
          A scenario is an INI file with sections [load], [fill], [watch] and one [action NAME] for each kind of action. \
          --print-scenario prints the built-in ones, and docs/LOAD-TESTING.md explains every key.
          """),
        .code([
          "[load]", "connections = 50", "rate = 20000", "arrival = poisson", "duration = 30", "", "[action increment]",
          "weight = 3", "send = counter.incrementButtonTapped", "counts = counter.count 1",
        ]),
      ]),
    .init(
      "VERIFICATION",
      [
        .text(
          """
          After every run the acknowledged actions are compared with the growth of the hub's revision, counted numbers and \
          collections with what the actions make of them, elements with the last action for each, created elements with the \
          values that only they have, and hashes of states with the hub's. Other clients may act at the same time. A wrong \
          result is a failed run.
          """)
      ]),
    .init(
      "COMMANDS",
      [
        .terms([
          ("storeload compare A B", "print what changed between two results of --json beyond the noise"),
          ("storeload chart", "read JSON on standard input and print a chart as SVG"),
        ])
      ]),
    .init(
      "EXIT STATUS",
      [
        .terms([
          ("0", "done, and verified"), ("1", "the hub refused an action, or something else failed"),
          ("2", "the command line or the scenario is wrong"),
          ("3", "the hub's schema has no such path or action, or the state has not what the actions need"),
          ("4", "no hub can be reached"),
          ("5", "the hub went away during the run; the figures up to then were printed"),
          ("6", "the hub stopped answering; the figures up to then were printed"),
          ("8", "a result is wrong: actions were lost or took effect twice, or states differ"),
          ("9", "--search found no rate that keeps the limit; compare found something worse"),
          ("130, 143", "SIGINT; SIGTERM. What was sent is waited for and verified, and the figures are printed"),
        ])
      ]),
    .init("SEE ALSO", [.text("storehubd(8), storectl(1)")]),
  ])

extension ParsedOptions {
  /// Returns the value of an option that is a positive number.
  func number(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
    guard let text = string(name) else { return nil }
    guard let value = Double(text), range.contains(value) else {
      throw UsageError("--\(name) needs a number from \(range.lowerBound) to \(range.upperBound), not “\(text)”")
    }
    return value
  }

  /// Returns the value of an option that is a time in seconds; nil if it was not given.
  func seconds(_ name: String) throws(UsageError) -> Double? {
    guard string(name) != nil else { return nil }
    let time = try duration(name, default: .zero)
    return Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
  }
}
