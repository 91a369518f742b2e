import LoadTest
import ProgramOptions

/// The command line of a run, from which the parser, `--help` and the manual page are made.
let runOptions = ProgramOptions(
  program: "storeload",
  purpose: "Loads a hub of any feature with actions, measures it, and verifies the resulting state.",
  options: [
    .init("socket", short: "s", argument: "PATH", "the hub's socket", default: defaultSocketPath(), value: .file),
    .init(
      "scenario", argument: "FILE",
      "an INI file, or the name of a built-in one: counter, list, dashboards, team; other options override it",
      value: .fileOrWord(["counter", "list", "dashboards", "team"])),
    .init(
      "workload", short: "w", argument: "NAME", "increment, add, edit, move, delete or toggle; default increment",
      value: .words(["increment", "add", "edit", "move", "delete", "toggle"])),
    .init("action", argument: "ACTION", "send this action: its path, and its values with placeholders", value: .action),
    .init("ids", argument: "PATH", "the collection for {id}", value: .path, if: .option("action")),
    .init("connections", short: "c", argument: "C", "the number of connections that send; default 1"),
    .init(
      "depth", short: "d", argument: "D",
      "the number of actions that each keeps in flight; default 1; with --rate the maximum, 4096"),
    .init("rate", short: "r", argument: "R", "run an open loop: R actions arrive per second, whatever the hub does"),
    .init("ramp-to", argument: "R", "change the rate to this one during the run"),
    .init(
      "arrival", argument: "KIND", "the distribution of arrivals: even or poisson; default even",
      value: .words(["even", "poisson"])),
    .init(
      "actions", short: "n", argument: "N", "the number of measured actions; default 100000 without --duration"),
    .init("duration", short: "t", argument: "TIME", "the duration of the measurement, such as 0.5s, 30s or 2m"),
    .init("warmup", argument: "TIME", "the duration of sending before the measurement; default 0s"),
    .init("threads", argument: "N", "the number of threads that send, at most one for each connection; default 1"),
    .init("payload", argument: "BYTES", "the size of {text}, which is padded to it; default 0"),
    .init("todos", argument: "N", "fill the scenario's collection up to N elements before the measurement"),
    .init("watch", argument: "N", "the number of additional connections that check every change; default 0"),
    .init(
      "scope", argument: "PATH", "the part that they subscribe to; may contain [{id}]; default the whole state",
      value: .path),
    .init(
      "scopes", argument: "K",
      "the number of elements over which they are spread, if the scope contains [{id}]; default 1"
    ),
    .init("slow", argument: "N", "the number of them that read only once a second; default 0"),
    .init("churn", argument: "R", "the number of sessions per second that are replaced by new ones; default 0"),
    .init("storm", argument: "TIME", "close and resume all connections at this interval"),
    .init("reconnect", "go on when the hub closes connections or restarts: open them again and resume their sessions"),
    .init("alone", "fail if the hub counts any further action: no other client acts, and the feature has no effects"),
    .init("seed", argument: "N", "the seed of all random choices; default 1"),
    .init("timeout", argument: "TIME", "the time for which the hub may be silent; default 10s"),
    .init(
      "busy-poll", argument: "TIME",
      """
      poll for answers without sleeping for this time after each activity, at most 10ms; default 0, never. Measures a hub \
      without the time that this program takes to wake; each thread keeps a core busy
      """),
    .init("hub-pid", argument: "PID", "the hub's process, if it is not the one that listens"),
    .init("search", argument: "LIMIT", "find the highest rate whose p99 is at most this, such as 2ms"),
    .init("live", "print a line each second on standard error; the default on a terminal"),
    .init("quiet", short: "q", "print no such lines"),
    .init("json", short: "j", "print the result as one JSON object"),
    .init("csv", "print the measurements of each interval as CSV"),
    .init("report", argument: "FILE", "also write a page with charts, which needs no other file", value: .file),
    .init("print-scenario", "print the plan as an INI file, with all options applied, and send nothing"),
  ],
  subcommands: [.compare, .chart],
  sections: [
    .init(
      "OPEN AND CLOSED LOOP",
      [
        .text(
          """
          Without --rate each connection sends its next action after an acknowledgement. That measures the highest throughput, \
          but while the hub stalls no actions are sent, so stalls hardly affect the percentiles. With --rate actions are \
          scheduled at equal or random intervals, and latency is measured from the scheduled time. If the hub stalls for \
          four seconds, all actions of these seconds are late, and the p99 shows it. The report also contains the lateness of \
          this program itself.
          """)
      ]),
    .init(
      "ACTIONS",
      [
        .text("An action is its path and its values, as for storectl(1), with placeholders:"),
        .terms([
          ("{n}", "the number of the action; in a text, its digits"),
          ("{run}", "within a text, a tag that is unique to this run"),
          ("{text}", "a text of --payload bytes that is unique to this action; at least the tag and the number"),
          ("{id}", "the id of an element of the collection at --ids; each connection has elements of its own"),
          ("{next}", "the id of another element, if the connection has several"),
          ("{toggle}", "true or false, the opposite of the element's value"),
          ("{random:1..6}", "a random number, outside of texts"),
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
          --print-scenario prints the built-in ones, and any plan; docs/LOAD-TESTING.md explains all keys.
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
          After every run the number of acknowledged actions is compared with the growth of the hub's revision, counted \
          numbers and collections with the expected ones, elements with the last action for each, created elements with \
          their unique values, and hashes of states with the hub's. Other clients may act at the same time. A run with a \
          wrong result fails. The report also lists what could not be verified.
          """)
      ]),
    .init("ENVIRONMENT", [.terms([socketVariable()])]),
    .init(
      "EXIT STATUS",
      [
        .terms([
          ("0", "completed and verified"), ("1", "the hub rejected an action, or another error occurred"),
          ("2", "the command line or the scenario is wrong"),
          ("3", "the hub's schema has no such path or action, or the state lacks what the actions need"),
          ("4", "no hub can be reached"),
          ("5", "the hub closed the connection during the run; the measurements so far were printed"),
          (
            "6",
            "the hub stopped answering, or took far fewer actions than --rate; the measurements so far were printed"
          ),
          ("8", "a result is wrong: actions were lost or took effect twice, or states differ"),
          (
            "9",
            "--search found no rate that keeps the limit; compare found a metric that got worse, or a run that failed"
          ),
          (
            "129, 130, 143",
            "SIGHUP; SIGINT; SIGTERM. Pending answers were awaited and verified, and the measurements printed"
          ),
          ("141", "SIGPIPE: the reader of the output has closed it"),
        ])
      ]),
    .init("SEE ALSO", [.text("storehubd(8), storectl(1)")]),
  ])

extension ParsedOptions {
  /// Returns the value of an option that is a time in seconds; nil if it was not given.
  func seconds(_ name: String) throws(UsageError) -> Double? {
    guard string(name) != nil else { return nil }
    return try duration(name, default: .zero).inSeconds
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
