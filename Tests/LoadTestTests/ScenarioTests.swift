import Testing

@testable import INIText
@testable import LoadTest

@Suite struct ScenarioTests {
  @Test(arguments: BuiltInScenario.allCases) func builtInScenariosAreRead(scenario: BuiltInScenario) throws {
    let plan = try Scenario.plan(parsing: scenario.text, name: scenario.rawValue)
    #expect(!plan.actions.isEmpty && plan.name == scenario.rawValue)
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
