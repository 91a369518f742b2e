import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct LoadProgramTests {
  /// A result of `storeload --json`.
  private struct Report {
    let object: [String: Any]

    init(_ text: String) throws {
      object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    subscript(name: String) -> Any? { object[name] }
    func integer(_ name: String) -> Int? { object[name] as? Int }
    func after(_ path: String) -> Int? { ((object["counts"] as? [String: Any])?[path] as? [String: Int])?["after"] }
    func latency(_ name: String) -> Double {
      ((object["latencyMicroseconds"] as? [String: Any])?[name] as? NSNumber)?.doubleValue ?? 0
    }
    var checks: String { (object["verified"] as? [String])?.joined(separator: "\n") ?? "" }
  }

  /// A run whose first actions have been counted.
  private struct Run {
    let process = Process()
    private let output = Pipe()
    private let errors = Pipe()

    init(_ hub: HubProcess, _ arguments: String...) throws {
      let program = Program(name: "storeload")
      process.executableURL = program.url
      process.arguments = program.patient(["--socket", hub.socket, "--quiet"] + arguments)
      (process.standardOutput, process.standardError) = (output, errors)
      try process.run()
      let count = { try? Program(name: "storectl").run("--socket", hub.socket, "state", "counter.count").output }
      try #require(hub.wait { Int(count()?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "") ?? 0 > 100 })
    }

    /// Waits for the end.
    func end() -> (status: Int32, output: String, errors: String) {
      let texts = [output, errors].map {
        String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      }
      process.waitUntilExit()
      return (process.terminationStatus, texts[0], texts[1])
    }
  }

  private func load(_ hub: HubProcess, _ arguments: String..., status: Int32 = 0) throws -> Report {
    let outcome = try Program(name: "storeload").run(["--socket", hub.socket, "--json"] + arguments)
    #expect(outcome.status == status, "\(outcome.errors)")
    return try Report(outcome.output)
  }

  @Test func mistakesAndHostileValuesHaveAStatusAndAReason() throws {
    let hub = try HubProcess("planhub")
    let scenario = hub.directory + "/scenario.ini"
    func outcome(_ actions: [UInt8], _ options: String...) throws -> Program.Outcome {
      try Data(Array("[load]\nactions = 2\n[action a]\nsend = ".utf8) + actions).write(
        to: URL(fileURLWithPath: scenario))
      return try Program(name: "storeload").run(["--socket", hub.socket, "-q", "--scenario", scenario] + options)
    }
    let mistakes: [(String, Int32, String)] = [
      ("votes [{\"add\": 1}]\ncounts = votes 9223372036854775807\n", 2, "a whole number from -1000000000 to"),
      ("votes [{\"add\": 1}]\ncounts = votes -9223372036854775808\n", 2, "a whole number from -1000000000 to"),
      ("words [{\"append\": [\"{text}\", \"{text}\"]}]\n", 3, "bytes, and this hub takes at most 1048576: use"),
      ("limits [{\"insert\": [[\"NaN\", \"x\"]]}]\n", 1, "a key that is equal to itself"),
      ("tags [{\"set\": [\"\u{e9}\", \"e\u{301}\"]}]\n", 1, "a key or a member equals another one"),
      ("weight [{\"set\": 1e999}]\n", 3, "real number overflow"),
      ("words [{\"append\": [\"\\ud800\"]}]\n", 3, "invalid Unicode"),
    ]
    for (actions, status, reason) in mistakes {
      let outcome = try outcome(Array(actions.utf8), "--payload", "600000")
      #expect(outcome.status == status && (outcome.errors + outcome.output).contains(reason), "\(actions): \(outcome)")
    }
    // A byte that is not UTF-8 is not replaced.
    let bytes = Array("words [{\"append\": [\"".utf8) + [0xff] + Array("\"]}]\n".utf8)
    let refused = try outcome(bytes)
    #expect(refused.status == 2 && refused.errors.contains("line 4 is not UTF-8"), "\(refused)")
    let state = try Program(name: "storectl").run("--socket", hub.socket, "state", "--json", "words")
    #expect(state.output == "[]\n")
    // The difference of two numbers may be greater than any number.
    let least = "votes [{\"add\": -9223372036854775808}]\n"
    #expect(try outcome(Array(least.utf8), "-n", "1").status == 0)
    let wrong = try outcome(Array("votes [{\"add\": 9223372036854775807}]\ncounts = votes 1\n".utf8))
    #expect(wrong.status == 8 && wrong.output.contains("votes went from -9223372036854775808 to"), "\(wrong)")
    // A text of the action neither ends nor hides a part of the page.
    let page = hub.directory + "/page.html"
    let hidden = "words [{\"append\": [\"<!--<script></script>\"]}]"
    #expect(try outcome(Array("\(hidden)\n".utf8), "--report", page).status == 0)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    let result = try #require(html.firstMatch(of: #/id="result">(.*?)</script>/#.dotMatchesNewlines())?.output.1)
    #expect(!result.contains("<") && html.components(separatedBy: "<!--").count == 1)
    let object = try JSONSerialization.jsonObject(with: Data(result.utf8)) as? [String: Any]
    let plan = object?["plan"] as? [String: Any]
    #expect((plan?["actions"] as? [[String: Any]])?.first?["send"] as? String == hidden)
  }

  /// The hub tells it, whatever its program is called.
  @Test(arguments: ["sync", "async", "memory"]) func theDurabilityOfAnyHubIsReported(mode: String) throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try HubProcess("blockedhub", options: ["--state-dir", state, "--durability", mode])
    #expect(try load(hub, "--action", "counted", "-n", "10")["durability"] as? String == mode)
    #expect(
      try Program(name: "storectl").run("--socket", hub.socket, "status").output.contains(
        "journal   \(mode == "memory" ? "none" : mode); "))
  }

  @Test func theShortestRunHasARowOfMeasurements() throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-n", "1", "--csv")
    let lines = outcome.output.split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(lines.count == 2 && lines[0].hasPrefix("seconds,"), "\(outcome.output)\(outcome.errors)")
  }

  @Test(arguments: [(1, 1, 1), (1, 256, 1), (16, 16, 2), (50, 3, 1)])
  func everyActionIsCountedOnce(connections: Int, depth: Int, threads: Int) throws {
    let hub = try HubProcess()
    let report = try load(hub, "-c", "\(connections)", "-d", "\(depth)", "-n", "5003", "--threads", "\(threads)")
    #expect(report.integer("actions") == 5003)
    #expect(report.after("counter.count") == 5003)
    #expect(report.integer("otherActions") == 0)
    let seconds = try #require(report["seconds"] as? Double)
    let rate = try #require(report["actionsPerSecond"] as? Double)
    #expect(seconds > 0 && abs(rate * seconds - 5003) < 60)
    let ordered = ["min", "p50", "p99", "p99_9", "max"].map { report.latency($0) }
    #expect(ordered == ordered.sorted() && ordered[0] > 0)
    #expect(report.checks.contains("the state's hash is the hub's"))
  }

  @Test(arguments: [("add", 350), ("edit", 250), ("move", 250), ("delete", 150), ("toggle", 250)])
  func aListIsFilledAndChanged(workload: String, finalCount: Int) throws {
    let hub = try HubProcess()
    let report = try load(hub, "-w", workload, "--todos", "250", "-c", "3", "-d", "8", "-n", "100", "--watch", "2")
    #expect(report["scenario"] as? String == workload)
    #expect(report.integer("actions") == 100)
    if ["add", "delete"].contains(workload) { #expect(report.after("todos.todos") == finalCount) }
    let wanted = [
      "add": "100 created elements exist exactly once", "delete": "100 removed elements are gone",
      "edit": "100 parts of elements", "toggle": "100 parts of elements", "move": "every change at every subscriber",
    ]
    #expect(report.checks.contains(try #require(wanted[workload])))
  }

  @Test func aListThatIsTooShortIsAnError() throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "-w", "delete", "--todos", "5", "-n", "6")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("5 elements") && outcome.errors.contains("--todos 6"))
  }

  @Test func aWarmUpDoesNotCount() throws {
    let hub = try HubProcess()
    #expect(try load(hub, "-c", "20", "-d", "64", "-n", "1000", "--warmup", "100ms").integer("actions") == 1000)
    // The connections have equally many elements, and the times are random.
    let deleted = try load(
      hub, "-w", "delete", "--todos", "1000", "-c", "10", "-n", "1000", "--rate", "5000", "--arrival", "poisson")
    #expect(deleted.integer("actions") == 1000)
    // On a slow machine, too.
    let used = try load(hub, "-w", "delete", "--todos", "20", "-n", "20", "--warmup", "4s", status: 3)
    #expect(used.integer("actions") == 0 && (used["failure"] as? String)?.contains("the warm-up used up") == true)
  }

  @Test func subscribersToALargeStateReachTheEnd() throws {
    let hub = try HubProcess()
    _ = try load(hub, "-w", "add", "--payload", "1000", "-n", "200")
    #expect(try load(hub, "-n", "300", "--watch", "3").checks.contains("the other 3 subscribers reached revision 500"))
    let moves = try load(hub, "-w", "move", "-n", "50", "--watch", "3")
    #expect((moves["notVerified"] as? [String])?.joined().contains("the last change at 3 subscribers") == true)
  }

  @Test func aPageThatCannotBeWrittenIsInTheResult() throws {
    let hub = try HubProcess()
    let report = try load(hub, "-n", "10", "--report", "/nonexistent/page.html", status: 1)
    #expect(report.integer("exitStatus") == 1 && report.integer("actions") == 0)
  }

  @Test func aSecondRunCountsFromWhereTheFirstEnded() throws {
    let hub = try HubProcess()
    _ = try load(hub, "-n", "100")
    #expect(try load(hub, "-n", "100").after("counter.count") == 200)
  }

  @Test func withoutAHubItSaysSo() throws {
    let outcome = try Program(name: "storeload").run("--socket", "/nonexistent/hub.sock")
    #expect(outcome.status == 4)
    // As storectl does.
    let control = try Program(name: "storectl").run("--socket", "/nonexistent/hub.sock", "state")
    #expect(outcome.errors == control.errors.replacing("storectl", with: "storeload"))
    #expect(outcome.errors.contains("/nonexistent/hub.sock") && outcome.errors.contains("Is a hub running there?"))
  }

  @Test(arguments: [
    ["--depth", "0"], ["--connections", "many"], ["--actions"], ["extra"], ["--rate=-1"], ["--slow=3"],
    ["--search=2ms", "--actions=5"], ["--scenario=team", "--watch=0"], ["--action=x", "--workload=add"], ["--ids=x"],
    ["--timeout=0s"], ["--duration=1ms"], ["--scope=counter"], ["--scopes=4"], ["--arrival=poisson"],
    ["--scope=counter", "--scenario=list", "--watch=0"], ["--busy-poll=50"], ["--busy-poll=1s"],
  ])
  func aWrongCommandLineIsExplained(arguments: [String]) throws {
    let outcome = try Program(name: "storeload").run(["--print-scenario"] + arguments)
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasPrefix("storeload: ") && outcome.errors.contains("--help"))
  }

  /// A scenario may have subscribers and a rate, and a search sets the rate.
  @Test(arguments: [
    ["--scope=counter", "--watch=1"], ["--scope=counter", "--scenario=list"], ["--scopes=4", "--scenario=dashboards"],
    ["--arrival=poisson", "--rate=5"], ["--arrival=even", "--scenario=team"], ["--arrival=poisson", "--search=2ms"],
  ])
  func anOptionWithAnEffectIsAccepted(arguments: [String]) throws {
    let outcome = try Program(name: "storeload").run(["--print-scenario"] + arguments)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func theNamedProcessMustBeTheHub() throws {
    let hub = try HubProcess()
    let other = Process()
    other.executableURL = URL(fileURLWithPath: "/bin/sleep")
    other.arguments = ["60"]
    try other.run()
    defer { kill(other.processIdentifier, SIGKILL) }
    // A stopped process uses no time at all.
    stopProcess(other.processIdentifier)
    let wrong = try Program(name: "storeload").run(
      "--socket", hub.socket, "-n", "3", "--hub-pid", "\(other.processIdentifier)")
    #expect(wrong.status == 2 && wrong.output.isEmpty)
    #expect(wrong.errors.contains("(sleep) did nothing while the hub answered"), "\(wrong.errors)")
    let process = try #require(hub.process)
    #expect(try load(hub, "-n", "3", "--hub-pid", "\(process.processIdentifier)")["hubMicrosecondsPerAction"] != nil)
  }

  @Test func subcommandsAreInTheHelpAndCompleted() throws {
    let program = Program(name: "storeload")
    let help = try program.run("--help").output
    #expect(help.contains("\n  compare BEFORE AFTER  ") && help.contains("\n  chart  "))
    #expect(try program.run("--help=bash").output.contains("compare chart"))
    let compare = try program.run("compare", "--help")
    #expect(compare.output.contains("usage: storeload compare [options] BEFORE AFTER\n"))
    #expect(try program.run("compare", "--help=bash").status == 2)
    let chart = try program.run("chart")
    #expect(chart.status == 2 && chart.errors.contains("Try `storeload chart --help`"), "\(chart.errors)")
  }

  @Test func anActionThatTheHubHasNotIsExplained() throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "--action", "counter.incrementButtonTaped")
    #expect(outcome.status == 3)
    #expect(outcome.errors.contains("counter.incrementButtonTapped"))
  }

  @Test func anyActionOfTheSchemaCanBeSent() throws {
    let hub = try HubProcess()
    let report = try load(
      hub, "--action", "todos.addButtonTapped \"{text}\"", "--payload", "100", "--rate", "2000", "-n", "50")
    #expect(report.integer("actions") == 50)
    let state = try Program(name: "storectl").run("--socket", hub.socket, "state", "todos.todos[49].text", "--json")
    #expect(state.status == 0 && state.output.utf8.count > 100)
  }

  /// Latency is measured from the intended time of an action, so actions that a stall delays count as late.
  @Test func aStoppedHubIsSeenInThePercentiles() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process)
    let run = try Run(hub, "--json", "--rate", "300", "--duration", "10s", "-c", "5")
    stopProcess(process.processIdentifier)
    usleep(1_200_000)
    kill(process.processIdentifier, SIGCONT)
    let outcome = run.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Report(outcome.output)
    // One of eight actions arrived during the stall.
    #expect(report.latency("p99") > 900_000)
    #expect(report.latency("p99_9") > 1_000_000)
    #expect(report.latency("p50") < report.latency("p99") / 2)
    #expect(report.integer("actions") == 3000)
  }

  @Test func cutAndReplacedSessionsLoseNothing() throws {
    let hub = try HubProcess()
    var sessions: [String: Int] = [:]
    // A pause may take all of a short run.
    for seconds in [2, 10, 60] where sessions["replaced"] ?? 0 == 0 || sessions["resumed"] ?? 0 == 0 {
      let report = try load(
        hub, "--scenario", "team", "--todos", "60", "--rate", "300", "--duration", "\(seconds)s", "--warmup", "0s",
        "--storm", "500ms", "--churn", "10", "--watch", "6", "-c", "8")
      sessions = try #require(report["sessions"] as? [String: Int])
      #expect(report.checks.contains("created elements exist exactly once"))
      #expect(report.checks.contains("subscribers applied every change"))
    }
    #expect(sessions["replaced"] ?? 0 > 0 && sessions["resumed"] ?? 0 > 0)
  }

  @Test func twoRunsAtOnceVerifyTheirOwn() throws {
    let hub = try HubProcess()
    _ = try load(hub, "-w", "edit", "--todos", "100", "-n", "1")
    let arguments = [
      "--socket", hub.socket, "--scenario", "team", "--rate", "200", "--churn", "0", "--watch", "4", "-c", "4",
    ]
    let other = try Program(name: "storeload").start(
      arguments + ["--duration", "600s"], errors: hub.directory + "/other")
    var outcome = Program.Outcome(status: 0, output: "", errors: "")
    // The other one may need some time to begin.
    _ = hub.wait {
      outcome = (try? Program(name: "storeload").run(arguments + ["--duration", "2s"])) ?? outcome
      return outcome.status != 0 || outcome.output.contains("more, of others")
    }
    #expect(outcome.status == 0 && outcome.output.contains("more, of others"), "\(outcome)")
    // It verifies what it has done so far.
    kill(other.processIdentifier, SIGINT)
    other.waitUntilExit()
    #expect(other.terminationStatus == 130)
  }

  /// A hub where everyone may only increment the counter.
  private func restrictedHub() throws -> HubProcess {
    let path = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8)).conf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "[user \(getuid())]\nread = all\nact = counter.incrementButtonTapped\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    return try HubProcess(options: ["--config", path])
  }

  @Test func aRefusedActionDoesNotHideAWrongResult() throws {
    let hub = try restrictedHub()
    let path = hub.directory + "/scenario.ini"
    let scenario = """
      [load]
      actions = 40
      [action up]
      send = counter.incrementButtonTapped
      counts = counter.count BY
      [action down]
      send = counter.decrementButtonTapped
      """
    for (by, status, reason) in [("1", Int32(1), "the hub refused an action"), ("2", 8, "actions were lost")] {
      try scenario.replacingOccurrences(of: "BY", with: by).write(toFile: path, atomically: true, encoding: .utf8)
      let outcome = try Program(name: "storeload").run("--socket", hub.socket, "--scenario", path)
      #expect(outcome.status == status)
      #expect(outcome.errors.contains(reason) && outcome.output.contains("20 actions were refused"), "\(outcome)")
    }
  }

  @Test func theActionsOfOthersAreWrongInARunThatShouldBeAlone() throws {
    let hub = try HubProcess()
    let run = try Run(hub, "--rate", "300", "--duration", "600s", "--alone")
    let other = try Program(name: "storectl").run("--socket", hub.socket, "send", "counter.incrementButtonTapped")
    kill(run.process.processIdentifier, SIGINT)
    let outcome = run.end()
    #expect(other.status == 0 && outcome.status == 8)
    #expect(outcome.errors.contains("grew by 1 more, and no other client should act"), "\(outcome.errors)")
    _ = try load(hub, "-n", "200", "-c", "3", "--watch", "2", "--alone")
  }

  /// Otherwise the run would measure another list than the wanted one.
  @Test func aListThatCannotBeFilledEndsTheRun() throws {
    let hub = try restrictedHub()
    let path = hub.directory + "/scenario.ini"
    let fills = [
      ("todos.addButtonTapped bread", Int32(1), "the hub refused an action"),
      // An action that adds nothing.
      ("counter.incrementButtonTapped", 3, "todos.todos has 0 elements after filling, and not 20"),
    ]
    for (fill, status, reason) in fills {
      let scenario = """
        [load]
        actions = 40
        [fill]
        send = \(fill)
        path = todos.todos
        count = 20
        [action up]
        send = counter.incrementButtonTapped
        """
      try scenario.write(toFile: path, atomically: true, encoding: .utf8)
      let outcome = try Program(name: "storeload").run("--socket", hub.socket, "--scenario", path)
      #expect(outcome.status == status && outcome.errors.contains(reason), "\(outcome)")
    }
  }

  @Test func aListIsFilledWhileAnotherClientRemovesElements() throws {
    let hub = try HubProcess()
    let (removing, filling) = (hub.directory + "/removing.ini", hub.directory + "/filling.ini")
    try """
    [action up]
    send = counter.incrementButtonTapped
    [action delete]
    send = todos.deleteButtonTapped {random:0..999}
    """.write(toFile: removing, atomically: true, encoding: .utf8)
    try """
    [load]
    actions = 40
    [fill]
    send = todos.addButtonTapped bread
    path = todos.todos
    count = 1000
    [action up]
    send = counter.incrementButtonTapped
    counts = counter.count 1
    """.write(toFile: filling, atomically: true, encoding: .utf8)
    let other = try Run(hub, "--scenario", removing, "-d", "16", "-n", "100000000")
    let outcome = try Program(name: "storeload").run("--socket", hub.socket, "--scenario", filling)
    #expect(outcome.status == 0, "\(outcome.errors)")
    kill(other.process.processIdentifier, SIGINT)
    #expect(other.end().status == 130)
  }

  @Test func aHubThatDiesLeavesTheFiguresSoFar() throws {
    let hub = try HubProcess()
    let run = try Run(hub, "-c", "4", "-d", "64", "-n", "100000000")
    _ = hub.kill(SIGKILL)
    let outcome = run.end()
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("actions/s") && outcome.output.contains("p99.9"))
    #expect(outcome.errors.contains("hub closed a connection"))
  }

  /// The latencies include the time without a hub, and no action is lost or counted twice.
  @Test func aRunGoesOnWhenTheHubIsKilledAndStartedAgain() throws {
    let state = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: state) }
    let hub = try HubProcess(options: ["--state-dir", state])
    // Longer than it takes to kill the hub on a slow machine.
    let run = try Run(hub, "--json", "--rate", "100", "--duration", "15s", "-c", "5", "--watch", "3", "--reconnect")
    _ = hub.kill(SIGKILL)
    usleep(700_000)
    try hub.start(["--state-dir", state], awaitsLog: false)
    let outcome = run.end()
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try Report(outcome.output)
    #expect(report.integer("actions") == 1500 && report.after("counter.count") == 1500)
    let sessions = try #require(report["sessions"] as? [String: Int])
    // The socket of a hub that is being killed may accept connections for a moment longer, and close them too.
    #expect(sessions["closedByHub"] ?? 0 >= 8 && sessions["resumed"] ?? 0 >= 5, "\(sessions)")
    #expect(report.latency("max") > 650_000)
    #expect(report.checks.contains("the state's hash is the hub's"))
  }

  /// A hub without a journal forgets its sessions, so the outcome of their last actions is unknown.
  @Test func aRunThatReconnectsToAHubThatHasForgottenItFails() throws {
    let hub = try HubProcess()
    let run = try Run(hub, "-c", "4", "-d", "64", "-n", "100000000", "--reconnect")
    _ = hub.kill(SIGKILL)
    try hub.start(awaitsLog: false)
    let outcome = run.end()
    #expect(outcome.status == 5)
    #expect(outcome.errors.contains("does not know a session any more"), "\(outcome.errors)")
  }

  @Test func aRunThatReconnectsWaitsForTheHubOnlySoLong() throws {
    let hub = try HubProcess()
    let run = try Run(hub, "-c", "4", "-d", "64", "-n", "100000000", "--reconnect", "--timeout", "5s")
    _ = hub.kill(SIGKILL)
    let outcome = run.end()
    #expect(outcome.status == 6)
    #expect(outcome.errors.contains("no answer for 5.0 s"), "\(outcome.errors)")
  }

  @Test func anInterruptedRunIsVerifiedAndReported() throws {
    let hub = try HubProcess()
    let run = try Run(hub, "-c", "2", "--rate", "1000", "--duration", "10m", "--json")
    kill(run.process.processIdentifier, SIGINT)
    let outcome = run.end()
    #expect(outcome.status == 130)
    let report = try Report(outcome.output)
    #expect(report.integer("signal") == 2 && report.integer("actions") ?? 0 > 100)
    #expect(report.checks.contains("as 0 and these actions make it"))
  }

  @Test func aPageWithChartsNeedsNothingElse() throws {
    let hub = try HubProcess()
    let page = hub.directory + "/run.html"
    _ = try load(hub, "--rate", "500", "--duration", "3s", "--watch", "2", "--scope", "counter", "--report", page)
    let html = try String(contentsOfFile: page, encoding: .utf8)
    #expect(html.components(separatedBy: "<svg").count == 6)
    for title in ["Throughput", "Latency over time", "Latency by percentile", "Processors in use", "Memory of the hub"]
    {
      #expect(html.contains(">\(title)</text>"))
    }
    // The page needs no other file and no network: its only address is the namespace of SVG.
    let addresses = html.components(separatedBy: "http").dropFirst().filter { !$0.hasPrefix("://www.w3.org/2000/svg") }
    #expect(addresses.isEmpty && !html.contains("<link") && !html.contains("src="))
    #expect(html.contains("prefers-color-scheme:dark"))
  }

  @Test func resultsAreCompared() throws {
    let hub = try HubProcess()
    let (slow, fast) = (hub.directory + "/slow.json", hub.directory + "/fast.json")
    for (path, depth) in [(slow, "1"), (fast, "32")] {
      var lines = ""
      for _ in 0..<5 {
        let outcome = try Program(name: "storeload").run(
          "--socket", hub.socket, "-n", "3000", "--json", "--depth", depth, "--quiet")
        lines += outcome.output
      }
      try lines.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let same = try Program(name: "storeload").run("compare", slow, slow)
    #expect(same.status == 0 && !same.output.contains("worse") && same.output.contains("5 and 5 runs"))
    let better = try Program(name: "storeload").run("compare", slow, fast)
    #expect(better.output.contains("not the same: plan depth: 1 | 32"))
    // The processor time depends less on other work than the rate does: one frame has up to 32 actions.
    #expect(better.output.split(separator: "\n").contains { $0.hasPrefix("| hub CPU") && $0.hasSuffix("| better |") })
    let worse = try Program(name: "storeload").run("compare", fast, slow)
    #expect(worse.status == 9 && worse.output.contains("worse"))
    let wrong = try Program(name: "storeload").run("compare", slow, hub.directory + "/none")
    #expect(wrong.status == 2 && wrong.errors.contains("cannot read"))
  }

  @Test func theHighestRateIsSearched() throws {
    let hub = try HubProcess()
    // A limit that any machine keeps at some rate, and one that none can keep.
    let found = try Program(name: "storeload").run(
      "--socket", hub.socket, "--search", "20s", "--rate", "20000", "--duration", "100ms", "-c", "4", "--quiet",
      "--timeout", "120s")
    #expect(found.status == 0 && found.output.contains("highest rate that kept the limit"), "\(found.errors)")
    let none = try Program(name: "storeload").run(
      "--socket", hub.socket, "--search", "0.000001ms", "--rate", "500", "--duration", "100ms", "--quiet")
    #expect(none.status == 9 && none.output.contains("no rate kept the limit"), "\(none.output)\(none.errors)")
  }

  @Test func aScenarioFileIsRead() throws {
    let hub = try HubProcess()
    let path = hub.directory + "/scenario.ini"
    try """
    [load]
    actions = 40
    [action up]
    weight = 3
    send = counter.incrementButtonTapped
    counts = counter.count 1
    [action down]
    send = counter.decrementButtonTapped
    counts = counter.count -1
    """.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try load(hub, "--scenario", path).after("counter.count") == 20)
    let printed = try Program(name: "storeload").run("--scenario", "team", "--print-scenario", "--churn", "3")
    #expect(printed.output.contains("churn = 3.0"))
    try printed.output.write(toFile: path, atomically: true, encoding: .utf8)
    let again = try load(
      hub, "--scenario", path, "--todos", "20", "--duration", "300ms", "--warmup", "0s", "--watch", "3")
    #expect(again.integer("actions") ?? 0 > 0)
  }
}
