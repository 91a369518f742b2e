import Testing

@testable import INIText
@testable import LoadTest

@Suite struct ScenarioTests {
  @Test(arguments: BuiltInScenario.allCases) func builtInScenariosAreRead(scenario: BuiltInScenario) throws {
    let plan = try Scenario.plan(parsing: scenario.text, name: scenario.rawValue)
    #expect(!plan.actions.isEmpty && plan.name == scenario.rawValue)
  }

  @Test(arguments: BuiltInScenario.allCases) func aPlanIsWrittenAsAScenario(scenario: BuiltInScenario) throws {
    let options = [
      "connections": "7", "depth": "3", "rate": "12.5", "ramp-to": "99", "actions": "50", "warmup": "0.25",
      "threads": "2", "watch": "4", "slow": "1", "scope": "todos", "alone": "yes", "timeout": "3", "seed": "9",
      "busy-poll": "0.00005",
    ]
    let plan = try Scenario.plan(parsing: scenario.text, name: scenario.rawValue, options: options)
    #expect(plan.connections == 7 && plan.duration == nil && plan.slowWatchers == 1 && plan.isAlone)
    #expect(plan.busyPoll == 0.00005 && plan.summary.contains("polling for 50.0 µs after activity"))
    #expect(try Scenario.plan(parsing: Scenario.text(of: plan), name: "file") == plan)
    let long = try Scenario.plan(sending: "todos.addButtonTapped bread ;", ids: nil, options: [:])
    #expect(throws: LoadError.self) { try Scenario.text(of: long) }
  }

  /// The same limits as in a file.
  @Test(arguments: [
    (["timeout": "0"], "--timeout needs a number from 0.1"),
    (["duration": "0.001"], "--duration needs a number from 0.01"),
    (["watch": "-1"], "--watch needs a whole number"), (["slow": "2"], "0 subscribers (--watch), but 2 slow ones"),
    (["todos": "5"], "--todos needs a scenario with [fill]"), (["ramp-to": "5"], "needs rate"),
    (["busy-poll": "0.02"], "--busy-poll needs a number from 0 to 0.01"),
    (["arrival": "odd"], "--arrival is even or poisson"),
  ]) func mistakesInOptionsAreExplained(options: [String: String], reason: String) {
    let error = #expect(throws: LoadError.self) {
      try Scenario.plan(sending: "counter.incrementButtonTapped", ids: nil, options: options)
    }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func aScenarioSaysEverything() throws {
    let plan = try Scenario.plan(
      parsing: """
        ; a comment
        [load]
        name = many
        connections = 1,000
        rate = 2000.5 ; with a comment
        arrival = poisson
        duration = 3
        alone = yes
        [watch]
        count = 4
        scope = todos.todos[{id}]
        [action add]
        weight = 3
        send = todos.addButtonTapped
          "{run} {n}"
        creates = todos.todos text "{run} {n}"
        """, name: "file")
    #expect(plan.name == "many" && plan.connections == 1000 && plan.rate == 2000.5 && plan.arrival == .poisson)
    #expect(plan.isAlone && !plan.reconnects && plan.watchers == 4 && plan.scope == "todos.todos[{id}]")
    #expect(plan.actions.count == 1 && plan.actions[0].weight == 3)
    #expect(plan.actions[0].send == "todos.addButtonTapped \"{run} {n}\"")
  }

  @Test(arguments: [
    ("[load]\nconections = 3\n[action a]\nsend = x", "line 2: [load] has no 'conections'"),
    ("[load]\n\nrate = fast", "line 3: rate needs a number"), ("[lod]\nrate = 3", "there is no section [lod]"),
    ("[load]\nrate", "line 2: neither [section], key = value nor a comment"),
    ("[load]\nrate = 3", "no section [action NAME]"),
    ("[load]\nalone = true\n[action a]\nsend = x", "line 2: alone is yes or no"),
    ("[action a]\nweight = 1", "[action a] needs send"), ("[action a]\n", "[action a] needs send"),
  ]) func mistakesAreExplained(text: String, reason: String) {
    let error = #expect(throws: LoadError.self) { try Scenario.plan(parsing: text, name: "file") }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(error?.exitStatus == 2)
  }

  @Test func aLineThatTheReaderWouldCutIsRefused() {
    let line = "key = " + String(repeating: "x", count: 200)
    let error = #expect(throws: INIError.self) { try INIText(parsing: "[a]\n\(line)") }
    #expect(error?.line == 2)
  }

  @Test func valuesKeepTheirLines() throws {
    let file = try INIText(parsing: "a = 1\n[s]\n# b = 3\nb: 2\n\n[t]\nb = 4\n  5\nc = \"x\"\n")
    #expect(file.sections.map(\.name) == ["", "s", "t"])
    #expect(file.sections[1].values.map(\.line) == [4])
    #expect(file.sections.map(\.lines) == [[], [2], [6]])
    #expect(file.sections[2]["b"] == "4 5" && file.sections[2].values.map(\.line) == [7, 9])
  }
}
