import Foundation
import TestSupport
import Testing

/// storectl in scripts: waiting, many actions, values in a pipe, and what an action has changed.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct ControlScriptTests {
  private func run(_ hub: HubProcess, _ arguments: String...) throws -> Program.Outcome {
    try hub.control(arguments.map { "'\($0)'" }.joined(separator: " "))
  }

  // MARK: What an action has changed

  @Test func anActionForAnElementThatDoesNotExistSaysSo() throws {
    let hub = try HubProcess()
    let sent = try run(hub, "send", "todos.todos[999].completionChanged", "true")
    #expect(sent.status == 0 && sent.output.isEmpty)
    #expect(sent.errors == "storectl: nothing changed: there is no todos.todos[999]\n")
    #expect(
      try run(hub, "send", "-j", "todos.todos[999].completionChanged", "true").output
        == #"{"applied":true,"revision":2,"changed":false,"missing":"todos.todos[999]"}"# + "\n")
    _ = try run(hub, "send", "todos.addButtonTapped", "bread")
    let found = try run(hub, "send", "todos.todos[0].completionChanged", "true")
    #expect(found.status == 0 && found.errors.isEmpty)
  }

  @Test func anActionThatMustChangeSomethingHasAStatus() throws {
    let hub = try HubProcess()
    #expect(try run(hub, "send", "--must-change", "todos.addButtonTapped", "bread").status == 0)
    let same = try run(hub, "send", "--must-change", "todos.todos[0].textChanged", "bread")
    #expect(same.status == 12 && same.errors == "storectl: nothing changed\n")
    let elsewhere = try run(hub, "send", "--must-change", "-p", "counter", "todos.addButtonTapped", "rye")
    #expect(elsewhere.status == 12)
    let missing = try run(hub, "send", "--must-change", "todos.todos[999].textChanged", "x")
    #expect(missing.status == 12 && missing.errors == "storectl: nothing changed: there is no todos.todos[999]\n")
  }

  @Test func textsThatLookTheSameAreDifferent() throws {
    let hub = try HubProcess()
    _ = try run(hub, "send", "todos.addButtonTapped", "caf\u{e9}")
    #expect(
      try run(hub, "send", "--diff", "todos.todos[0].textChanged", "cafe\u{301}").output
        == "  todos.todos[0].text: \"caf\\u00e9\" → \"cafe\\u0301\"\n")
    #expect(try run(hub, "send", "--must-change", "todos.todos[0].textChanged", "caf\u{e9}").status == 0)
  }

  @Test func whatBecomesATextIsSaid() throws {
    let hub = try HubProcess()
    let number = try run(hub, "send", "todos.addButtonTapped", "123")
    #expect(number.status == 0)
    #expect(number.errors == "storectl: 123 is sent as a text; write '\"123\"' to say so\n")
    #expect(try run(hub, "send", "todos.addButtonTapped", "\"true\"").errors.isEmpty)
    #expect(try run(hub, "send", "todos.addButtonTapped", "oat milk").errors.isEmpty)
    let null = try run(hub, "send", "todos.addButtonTapped", "null")
    #expect(null.status == 3 && null.errors.contains("null is not a text; write '\"null\"'"))
    #expect(try run(hub, "send", "todos.addButtonTapped", "\"null\"").status == 0)
    #expect(try run(hub, "state", "todos.todos[2].text").output == "oat milk\n")
    #expect(try run(hub, "state", "todos.todos[3].text").output == "null\n")
  }

  @Test func countsAreParts() throws {
    let hub = try HubProcess()
    _ = try run(hub, "send", "todos.addButtonTapped", "bread")
    #expect(try run(hub, "state", "todos.todos.count").output == "1\n")
    #expect(try run(hub, "state", "--hub", "attendees.count", "-j").output == "1\n")
    #expect(
      try run(hub, "send", "-d", "-p", "todos.todos.count", "todos.addButtonTapped", "rye").output
        == "  todos.todos.count: 1 → 2\n")
    #expect(try run(hub, "state", "todos.todos.cuont").status == 3)
    #expect(try run(hub, "verify", "todos.todos.count").status == 3)
    let watch = try RunningControl(hub, "watch", "--value-only", "todos.todos.count")
    #expect(watch.line() == "2")
    // A change of the list that does not change its count is not printed.
    _ = try run(hub, "send", "todos.todos[0].completionChanged", "true")
    _ = try run(hub, "send", "todos.deleteButtonTapped", "0")
    #expect(watch.line() == "1")
    #expect(watch.status(after: SIGINT) == 130)
  }

  // MARK: Waiting

  @Test func aPredicateIsWaitedFor() throws {
    let hub = try HubProcess()
    #expect(try run(hub, "wait", "counter.count == 0").status == 0)
    let wait = try RunningControl(hub, "wait", "--json", "counter.count >= 2")
    #expect(hub.wait { (try? run(hub, "clients").output.contains("storectl wait")) == true })
    for _ in 0..<2 { _ = try run(hub, "send", "counter.incrementButtonTapped") }
    #expect(wait.line() == #"{"revision":2}"#)
    #expect(wait.status() == 0)
    let late = try run(hub, "wait", "--timeout", "200ms", "counter.count > 5")
    #expect(late.status == 6 && late.errors == "storectl: 'counter.count > 5' was not true within 200ms\n")
    #expect(try run(hub, "wait", "counter.cuont > 5").status == 3)
    #expect(try run(hub, "wait", "--hub", "attendees.count == 1").status == 0)
  }

  @Test func aHubThatIsNotThereIsWaitedFor() throws {
    let hub = try HubProcess()
    _ = hub.kill(SIGTERM)
    #expect(try run(hub, "wait", "counter.count == 0").status == 4)
    let late = try run(hub, "wait", "--reconnect", "--timeout", "300ms", "counter.count == 0")
    #expect(late.status == 6, "\(late.errors)")
    let wait = try RunningControl(hub, "wait", "--reconnect", "counter.count == 0")
    try hub.start([])
    #expect(wait.status() == 0)
  }

  @Test func aWatchGoesOnAfterARestart() throws {
    let hub = try HubProcess()
    let watch = try RunningControl(hub, "watch", "--reconnect", "--json", "counter.count")
    #expect(watch.line() == #"{"event":"value","revision":0,"value":0}"#)
    _ = hub.kill(SIGKILL)
    #expect(watch.line()?.hasPrefix(#"{"event":"disconnected","reason":"#) == true)
    try hub.start([])
    #expect(hub.wait { (try? run(hub, "clients").output.contains("storectl watch")) == true })
    _ = try run(hub, "send", "counter.incrementButtonTapped")
    #expect(watch.line() == #"{"event":"value","revision":1,"value":1}"#)
    #expect(watch.status(after: SIGINT) == 130)
  }

  @Test func onlyValuesAreWatched() throws {
    let hub = try HubProcess()
    let text = try RunningControl(hub, "watch", "--value-only", "counter.count")
    let json = try RunningControl(hub, "watch", "--value-only", "--json", "todos.todos[0].text", "-n", "2")
    #expect(text.line() == "0" && json.line() == "null")
    _ = try run(hub, "send", "counter.incrementButtonTapped")
    #expect(text.line() == "1")
    _ = try run(hub, "send", "todos.addButtonTapped", "bread")
    #expect(json.line() == "\"bread\"" && json.line() == nil && json.status() == 0)
    #expect(text.status(after: SIGINT) == 130)
    #expect(try run(hub, "watch", "--value-only", "--diff").status == 2)
  }

  // MARK: Many actions

  @Test func theLinesOfTheInputAreActions() throws {
    let hub = try HubProcess()
    let lines =
      #"{"counter":"incrementButtonTapped"}\n\n{"todos":{"addButtonTapped":"bread"}}\n{"nothing":1}\n{"counter":"incrementButtonTapped"}"#
    let text = try hub.control("send - < <(printf '\(lines.replacing("\"", with: "\\\""))')")
    #expect(text.status == 3)
    let printed = text.output.split(separator: "\n")
    #expect(printed.count == 4 && printed[0].hasPrefix("1: applied by revision "), "\(text)")
    #expect(printed[1].hasPrefix("3: applied by") && printed[2].hasPrefix("4: failed: ") && printed[3].hasPrefix("5: "))
    #expect(try run(hub, "state", "counter.count").output == "2\n")
    let json = try hub.control(#"send - --json <<< '{"counter":"decrementButtonTapped"}'"#)
    #expect(json.status == 0)
    #expect(json.output == #"{"line":1,"applied":true,"revision":4}"# + "\n")
    #expect(try run(hub, "send", "-", "--diff").status == 2)
    // A line without its end counts.
    #expect(try hub.control(#"send - < <(printf '{"counter":"decrementButtonTapped"}')"#).status == 0)
    #expect(try run(hub, "state", "counter.count").output == "0\n")
  }

  /// A pipe whose writer has failed looks like one that had nothing to write.
  @Test func anInputWithoutActionsIsNamed() throws {
    let hub = try HubProcess()
    for input in ["< /dev/null", #"< <(printf '\n \n')"#] {
      let empty = try hub.control("send - \(input)")
      #expect(empty.status == 0 && empty.output.isEmpty, "\(input)")
      #expect(empty.errors == "storectl: standard input has no actions, so none was sent\n", "\(input)")
    }
    let closed = try hub.control("send - <&-")
    #expect(closed.status == 1 && closed.errors == "storectl: cannot read standard input: Bad file descriptor\n")
    let directory = try hub.control("send - < /")
    #expect(directory.status == 1 && directory.errors == "storectl: cannot read standard input: Is a directory\n")
    let json = try hub.control("send - --json < /dev/null")
    #expect(json.status == 0 && json.output.isEmpty && !json.errors.isEmpty)
    #expect(try run(hub, "state", "counter.count").output == "0\n")
  }

  /// Another process may have left a terminal in this mode.
  @Test(.enabled(if: Python.isInstalled)) func anInputThatDoesNotBlockIsAwaited() throws {
    let hub = try HubProcess()
    let mode = """
      import fcntl, os, sys
      fcntl.fcntl(0, fcntl.F_SETFL, os.O_NONBLOCK)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let writer =
      #"a='{"counter":"incrementButtonTapped"}'; echo "$a"; storectl wait -q 'counter.count == 1'; echo "$a""#
    let reader = "\(try #require(Python.path)) -c '\(mode)' '\(Program(name: "storectl").url.path)' send -"
    let outcome = try hub.control("status > /dev/null; (\(writer)) | \(reader)")
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output == "1: applied by revision 1\n2: applied by revision 2\n", "\(outcome)")
  }

  /// Text that is not UTF-8 must not be stored as another one.
  @Test func aLineThatIsNotUTF8IsRefused() throws {
    let hub = try HubProcess()
    let outcome = try hub.control(
      #"send - < <(printf '{"todos":{"addButtonTapped":"a\xffb"}}\n{"counter":"incrementButtonTapped"}\n')"#)
    #expect(outcome.status == 3, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasPrefix("1: failed: ") && lines[0].contains("UTF-8"), "\(outcome)")
    #expect(lines.last?.hasPrefix("2: applied") == true)
    #expect(try run(hub, "state", "todos.todos.count").output == "0\n")
  }

  @Test func aFullDiskForTheOutcomesIsReported() throws {
    let hub = try HubProcess()
    let lines = #"< <(printf '{"counter":"incrementButtonTapped"}\n{bad\n{"counter":"incrementButtonTapped"}\n')"#
    let outcome = try hub.control("send - \(lines) > /dev/full")
    #expect(outcome.status == 10 && outcome.errors.contains("cannot write the output: No space left on device; but"))
    #expect(try run(hub, "state", "counter.count").output == "2\n")
    let printed = try hub.control("send - \(lines)")
    #expect(printed.status == 3 && printed.output.contains("2: failed: this is not JSON: "), "\(printed)")
    #expect(printed.output.contains("3: applied by revision "))
  }

  @Test func manyLinesAreSentWithoutWaiting() throws {
    let hub = try HubProcess()
    let outcome = try hub.control(
      #"send - -j < <(for ((i = 0; i < 5000; i++)); do echo '{"counter":"incrementButtonTapped"}'; done)"#)
    #expect(outcome.status == 0)
    let revisions = try outcome.output.split(separator: "\n").map { try #require(try jsonObject(String($0))) }
    #expect(revisions.map { $0["line"] as? Int } == (1...5000).map { $0 })
    #expect(try run(hub, "state", "counter.count").output == "5000\n")
  }

  /// The outcomes of a slow writer arrive while it writes.
  @Test func outcomesDoNotWaitForMoreInput() throws {
    let hub = try HubProcess()
    let outcome = try hub.control(
      #"send - < <(a='{"counter":"incrementButtonTapped"}'; echo "$a"; storectl wait 'counter.count == 1'; echo "$a")"#)
    #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 2, "\(outcome)")
  }

  // MARK: Rates

  @Test func theRatesOfClientsAndUsersAreMeasured() throws {
    let hub = try HubProcess()
    let load = try Program(name: "storeload").start(
      ["--socket", hub.socket, "--rate", "200", "--duration", "600s"], errors: hub.directory + "/errors")
    defer {
      kill(load.processIdentifier, SIGTERM)
      load.waitUntilExit()
    }
    #expect(hub.wait { (try? run(hub, "state", "counter.count").output) != "0\n" })
    // A pause of the clients during a measurement is a low rate, or none.
    var objects: [[String: Any]] = []
    var rates: [Int] { objects.dropLast().compactMap { $0["actionsPerSecond"] as? Int } }
    #expect(
      hub.wait {
        let lines = (try? run(hub, "clients", "--rates", "-j").output) ?? ""
        objects = lines.split(separator: "\n").compactMap { try? jsonObject(String($0)) }
        return rates.count == objects.count - 1 && rates.contains { $0 > 20 }
      }, "\(objects)")
    let users = try #require(objects.last?["users"] as? [[String: Any]])
    #expect(users.count == 1 && users[0]["actionsPerSecond"] as? Int ?? 0 >= rates.max() ?? 0)
    #expect(try run(hub, "clients", "--rates").output.contains("ACTIONS/S"))
    #expect(
      hub.wait {
        let top = (try? run(hub, "top", "-j", "-n", "4").output) ?? ""
        let last = top.split(separator: "\n").last.flatMap { try? jsonObject(String($0)) }
        return (last?["senders"] as? [[String: Any]])?.isEmpty == false
      })
  }
}
