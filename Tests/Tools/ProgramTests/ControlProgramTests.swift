import Foundation
import TestSupport
import Testing

/// storectl, as used by people and scripts.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct ControlProgramTests {
  private func run(_ hub: HubProcess, _ arguments: String...) throws -> Program.Outcome {
    try hub.control(arguments.map { "'\($0)'" }.joined(separator: " "))
  }

  @Test func theStateIsShownAndChanged() throws {
    let hub = try HubProcess()
    #expect(try run(hub, "state", "counter.count").output == "0\n")
    let sent = try run(hub, "send", "counter.incrementButtonTapped")
    #expect(sent.status == 0 && sent.output.isEmpty && sent.errors.isEmpty)
    #expect(try run(hub, "state", "counter.count", "--json").output == "1\n")
    #expect(
      try run(hub, "send", "--diff", "todos.addButtonTapped", "oat milk").output
        == """
        + todos.todos[0]: id: 0, text: "oat milk", isComplete: false
          todos.nextID: 0 → 1

        """)
    #expect(try run(hub, "state", "todos.todos[0].text").output == "oat milk\n")
    #expect(
      try run(hub, "state", "todos").output
        == """
        todos: (1)
          [0] id: 0, text: "oat milk", isComplete: false
        nextID: 1

        """)
    #expect(
      try run(hub, "send", "--json", "--diff", "todos.todos[0].completionChanged", "true").output
        == """
        {"applied":true,"revision":3,"changed":true,"changes":[{"path":"todos.todos[0].isComplete","old":false,"new":true}]}

        """)
    // Only of a part, which may also be an element that appears or disappears.
    #expect(
      try run(hub, "send", "--diff", "--path", "todos.todos[1]", "todos.addButtonTapped", "rye").output
        == "+ todos.todos[1]: id: 1, text: \"rye\", isComplete: false\n")
    #expect(
      try run(hub, "send", "-d", "-p", "counter", "todos.deleteButtonTapped", "1").output == "nothing changed\n")
    #expect(
      try run(hub, "send", "-d", "-p", ".", "counter.incrementButtonTapped").output == "  counter.count: 1 → 2\n")
    #expect(try run(hub, "send", "-p", "counter", "counter.incrementButtonTapped").status == 2)
    let whole = try run(hub, "send", #"{"todos":{"deleteButtonTapped":0}}"#)
    #expect(whole.status == 0)
    #expect(try run(hub, "state", "todos.todos", "-j").output == "[]\n")
  }

  @Test func aWindowOfACollectionIsShownAndVerified() throws {
    let hub = try HubProcess()
    for text in ["bread", "milk", "eggs"] { #expect(try run(hub, "send", "todos.addButtonTapped", text).status == 0) }
    #expect(
      try run(hub, "state", "--json", "todos.todos[1..<9]").output
        == #"{"count":3,"start":1,"elements":[{"id":1,"text":"milk","isComplete":false},"#
        + #"{"id":2,"text":"eggs","isComplete":false}]}"# + "\n")
    #expect(
      try run(hub, "state", "todos.todos[-1...]").output
        == """
        count: 3
        start: 2
        elements: (1)
          [2] id: 2, text: "eggs", isComplete: false

        """)
    #expect(try run(hub, "verify", "todos.todos[1..<9]").status == 0)
    #expect(try run(hub, "watch", "--value-only", "--json", "-n", "1", "todos.todos[0..<1]").status == 0)
    // The hub says how large a window may be.
    let large = try run(hub, "state", "todos.todos[0..<5000]")
    #expect(large.status == 1 && large.errors.contains("at most 4096 elements"))
    // Elsewhere, a part of the state is needed.
    let part = try run(hub, "send", "-d", "-p", "todos.todos[0..<1]", "counter.incrementButtonTapped")
    #expect(part.status == 3 && part.errors.contains("a window of 'todos' of Todos.State"))
  }

  @Test func theHubIsDescribed() throws {
    let hub = try HubProcess()
    let status = try #require(try jsonObject(try run(hub, "status", "--json").output))
    let names = ["hub", "socket", "revision", "clients", "latencyMicroseconds", "schema", "rights", "figures"]
    #expect(Set(status.keys) == Set(names))
    let figures = try #require(status["figures"] as? [String: Any])
    #expect(figures["accepted"] as? Int == 1 && figures["users"] as? Int == 1)
    #expect(figures["subscriptions"] as? Int == 2)
    #expect((figures["places"] as? [[String: Any]])?.first?["root"] as? String == "hub")
    #expect(figures["stateBytes"] as? Int ?? 0 > 0 && figures["rejectedActions"] as? Int == 0)
    #expect(status["clients"] as? Int == 1 && (status["schema"] as? String)?.count == 64)
    let text = try run(hub, "status").output
    #expect(
      text.contains("revision  0\n") && text.contains("\nrefused   nothing\n") && text.contains("\nusers     1\n"))
    let client = try #require(try jsonObject(try run(hub, "clients", "--json").output))
    #expect(client["name"] as? String == "storectl clients" && client["user"] as? Int == Int(getuid()))
    #expect(client["scopes"] as? Int == 1 && client["heldBytes"] as? Int == 0)
    #expect((client["since"] as? String)?.hasSuffix("Z") == true)
    #expect((client["parts"] as? [[String: String]]) == [["root": "hub", "path": ""]])
    let clients = try run(hub, "clients").output.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(clients.first == ["ID", "PROCESS", "USER", "SINCE", "HELD", "NAME", "PARTS"])
    #expect(clients.last?.suffix(5) == ["0", "storectl", "clients", "the", "clients"])
    let schema = try #require(try jsonObject(try run(hub, "schema", "-j").output))
    #expect(
      schema["state"] as? String == "AppFeature.State"
        && schema["fingerprint"] as? String == status["schema"] as? String)
    let todo = try run(hub, "schema", "Todo.State").output
    #expect(todo.hasPrefix("/// The text of a todo, and its completion.\nstruct Todo.State  // id: id\n     /// "))
    #expect(todo.contains("\n   0 id: Int  // required\n"))
    #expect(try run(hub, "schema", "--hub").output.contains("struct Attendee"))
    #expect(try run(hub, "verify").status == 0)
    #expect(try run(hub, "state", "--hub", "attendees", "-j").output.contains(#""name":"storectl state""#))
    let top = try run(hub, "top", "--json", "--count", "2", "--interval", "50ms").output
    let keys = Set([
      "revision", "actionsPerSecond", "latencyMicroseconds", "slowestMicroseconds", "clients", "scopes", "heldBytes",
      "unstoredTurns", "cluster", "senders", "users", "views",
    ])
    #expect(
      try top.split(separator: "\n").allSatisfy { Set(try jsonObject(String($0))?.keys.map(\.self) ?? []) == keys })
    #expect(try run(hub, "top", "-n", "1", "-i", "50ms").output.split(separator: "\n").count == 2)
  }

  @Test(
    arguments: [
      (["state", "counter.cuont"], 3, "did you mean 'counter.count'?"),
      (
        ["state", "counter.zqxw"], 3,
        "Counter.State has no field 'zqxw'; `storectl schema Counter.State` shows that type"
      ),
      (["state", "--hub", "zqxw"], 3, "; `storectl schema --hub HubState` shows that type"),
      (["wait", "zqxw"], 3, "; `storectl schema AppFeature.State` shows that type"),
      (["send", "todos.zqxw"], 3, "Todos.Action has no case 'zqxw'; `storectl schema Todos.Action` shows that type"),
      (["send", #"{"zqxw": 1}"#], 3, "; `storectl schema AppFeature.Action` shows that type"),
      (["wait", "view:active[0].zqxw"], 3, "; `storectl schema --views Todo.State` shows that type"),
      (["schema", "zqxw"], 3, "the schema has no type 'zqxw'; `storectl schema` lists the types"),
      (["schema", "--hub", "zqxw"], 3, "; `storectl schema --hub` lists the types"),
      (["zqxw"], 2, "there is no command 'zqxw'. Try `storectl --help`."),
      (["state", "todos.todos[7]"], 7, "nothing is at 'todos.todos[7]'"),
      (["send", "counter.incrementButonTapped"], 3, "did you mean 'counter.incrementButtonTapped'?"),
      (["send", "todos"], 3, "it continues with one of todos.addButtonTapped,"),
      (
        ["send", "todos.moved"], 3,
        "needs 2 values: (id: Int, before: Int?); A user moves a todo before another one, or to the end."
      ),
      (["send", "todos.moved", "x", "null"], 3, "expected a value of type Int"),
      (["send", "todos.moved", "{"], 3, "this is not JSON"),
      (["set", "counter.count", "3"], 3, "this hub's feature has no action that changes 'counter.count' in place"),
      (
        ["set", "counter.count", "3"], 3,
        "its actions are counter.decrementButtonTapped, counter.incrementButtonTapped,"
      ),
      (["set", "counter.cuont", "3"], 3, "did you mean 'counter.count'?"),
      (["set", "counter.count"], 2, "set needs a VALUE, or --add"),
      (["set", "counter.count", "3", "--add", "2"], 2, "set needs a VALUE, or --add"),
      (["set"], 2, "set needs PATH"),
      (["insert", "todos.todos"], 2, "insert needs ELEMENT"),
      (["remove", "todos.todos[0]"], 3, "no action that changes 'todos.todos[0]' in place"),
      (["move", "todos.todos[0]", "--at", "start"], 3, "no action that changes 'todos.todos[0]' in place"),
      (["schema", "Todo.Stat"], 3, "did you mean 'Todo.State'?"),
      (["sned"], 2, "did you mean 'send'?"),
      ([], 2, "a command is missing: status,"),
      (["state", "a", "b"], 2, "unexpected argument 'b'"),
      (["send"], 2, "send needs ACTION"),
      (["send", "todos.addButtonTapped", "-x"], 2, "write -- before it"),
      (["send", "counter.incrementButtonTapped", "--diff", "--no-wait"], 2, "for which --no-wait does not wait"),
      (["watch", "--cuont", "3"], 2, "did you mean '--count'?"),
      (["watch", "--count", "0"], 2, "--count needs a whole number"),
      (["status", "--timeout", "5"], 2, "--timeout needs a time"),
      (["status", "--socket", "/nonexistent/hub.sock"], 4, "no such file or directory"),
      (["status", "--socket", "/etc/passwd"], 4, "cannot connect to /etc/passwd"),
      (["completions", "tcsh"], 2, "bash, zsh and fish"),
      (["send", "counter.incrementButtonTapped", "--path", "counter"], 2, "--path has no effect without --diff"),
      (["state", "--state-dir", "/x"], 2, "--state-dir has no effect without --at"),
      (["state", "--hub", "--at", "3", "--state-dir", "/x"], 2, "use either --hub or --at"),
      (["journal", "verify", "--to", "3"], 2, "--to is for `journal repair`, not for `journal verify`"),
      (["snapshot", "import", "x", "--at", "3"], 2, "--at is for `snapshot export`, not for `snapshot import`"),
    ] as [([String], Int32, String)])
  func mistakesHaveAStatusAndAReason(words: [String], status: Int32, reason: String) throws {
    let hub = try HubProcess()
    let outcome = try hub.control(words.map { "'\($0)'" }.joined(separator: " "))
    #expect(outcome.status == status)
    #expect(outcome.output.isEmpty)
    #expect(outcome.errors.hasPrefix("storectl: ") && outcome.errors.contains(reason), "\(outcome.errors)")
    #expect(outcome.errors.split(separator: "\n").count == 1)
    if status != 2 { #expect(try hub.control("-q " + words.map { "'\($0)'" }.joined(separator: " ")).errors.isEmpty) }
  }

  /// Each change is a line; the last two are the final state and the reason of the end.
  @Test func watchingEndsWithTheReason() throws {
    let hub = try HubProcess()
    let watch = try RunningControl(hub, "watch", "--json", "counter.count")
    let first = try #require(watch.line())
    #expect(first == #"{"event":"value","revision":0,"value":0}"#)
    try hub.load(500)
    _ = hub.kill(SIGTERM)
    let events = try watch.objects()
    #expect(watch.status() == 5)
    let end = try #require(events.last)
    #expect(end["event"] as? String == "end" && end["status"] as? Int == 5)
    #expect((end["reason"] as? String)?.contains("the hub stops") == true)
    #expect(events.dropLast().last?["value"] as? Int == 500)
    let revisions = events.dropLast().compactMap { $0["revision"] as? Int }
    #expect(revisions.count == events.count - 1 && zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func aHubThatDiesIsNoticed() throws {
    let hub = try HubProcess()
    let watch = try RunningControl(hub, "watch", "--json", "--diff")
    #expect(watch.line()?.contains(#""event":"value""#) == true)
    try hub.load(1)
    #expect(
      watch.line() == #"{"event":"change","revision":1,"from":0,"changes":[{"path":"counter.count","old":0,"new":1}]}"#)
    _ = hub.kill(SIGKILL)
    #expect(watch.line()?.contains(#""event":"end""#) == true)
    #expect(watch.line() == nil && watch.status() == 5)
  }

  @Test func aHubThatHangsIsNotWaitedForLonger() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    let outcome = try run(hub, "state", "--timeout", "200ms")
    kill(process, SIGCONT)
    #expect(outcome.status == 6 && outcome.errors.contains("has not answered for 0.2 s"), "\(outcome.errors)")
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 143)] as [(Int32, Int32)])
  func signalsEndIt(signal: Int32, status: Int32) throws {
    let hub = try HubProcess()
    let watch = try RunningControl(hub, "watch", "--json")
    #expect(watch.line() != nil)
    #expect(watch.status(after: signal) == status)
    #expect(watch.line()?.contains(#""event":"end""#) == true)
    // The hub knows that the client has left.
    #expect(try run(hub, "clients", "--json").output.split(separator: "\n").count == 1)
  }

  /// nohup(1) starts it with SIGHUP ignored.
  @Test func itGoesOnAfterAHangUpThatIsIgnored() throws {
    let hub = try HubProcess()
    let watch = try Program(name: "storectl").start(
      ["--socket", hub.socket, "watch", "counter.count", "-n", "2"], errors: hub.directory + "/errors",
      shell: "trap '' HUP; exec")
    #expect(hub.wait { (try? run(hub, "clients").output.contains("storectl watch")) == true })
    kill(watch.processIdentifier, SIGHUP)
    #expect(try run(hub, "send", "counter.incrementButtonTapped").status == 0)
    watch.waitUntilExit()
    #expect(watch.terminationStatus == 0)
  }

  /// An added element is printed whole, even if it does not fit into one line.
  @Test func longElementsAreShown() throws {
    let hub = try HubProcess()
    let long = String(repeating: "word ", count: 40)
    let sent = try run(hub, "send", "--diff", "todos.addButtonTapped", long)
    #expect(
      sent.output == """
        + todos.todos[0]:
            id: 0
            text: "\(long)"
            isComplete: false
          todos.nextID: 0 → 1

        """)
  }

  @Test func changesAreSummarised() throws {
    let hub = try HubProcess()
    func diff(_ action: String, _ value: String) throws -> String {
      try run(hub, "send", "--diff", action, value).output
    }
    for name in ["a", "b", "c", "d"] { _ = try diff("todos.addButtonTapped", name) }
    #expect(try diff("todos.moved", #"{"id": 3, "before": 1}"#) == "  todos.todos: moved [3] before [1]\n")
    // 0 3 1 2
    #expect(try diff("todos.moved", #"{"id": 3, "before": 2}"#) == "  todos.todos: moved [3] before [2]\n")
    #expect(try diff("todos.moved", #"{"id": 0, "before": 2}"#) == "  todos.todos: moved [0] before [2]\n")
    // A long value is its beginning.
    let long = try diff("todos.addButtonTapped", String(repeating: "word ", count: 1000))
    #expect(long.hasPrefix(#"+ todos.todos[4]: {"id":4,"text":"word word "#), "\(long)")
    #expect(long.split(separator: "\n").first.map { $0.hasSuffix("…") && $0.count <= 100 } == true, "\(long)")
  }

  @Test func wordsAreCompleted() throws {
    let hub = try HubProcess()
    _ = try run(hub, "send", "todos.addButtonTapped", "bread")
    #expect(try run(hub, "__complete", "st").output == "state \nstatus \n")
    // On a machine with other work, the hub may take longer than a completion should.
    func fromHub(_ command: String, _ beginning: String) throws -> String {
      try run(hub, "__complete", "--timeout", "120s", command, beginning).output
    }
    #expect(try fromHub("state", "counter.c") == "counter.count \n")
    #expect(try fromHub("state", "todos.todos[") == "todos.todos[0]\n")
    #expect(
      try fromHub("send", "todos.todos[0].")
        == "todos.todos[0].completionChanged \ntodos.todos[0].textChanged \n")
    #expect(try fromHub("wait", "counter.c") == "counter.count \n")
    #expect(try fromHub("wait", "!counter.isT") == "!counter.isTimerOn \n")
    #expect(try fromHub("state", "todos.todos.c") == "todos.todos.count \n")
    #expect(
      try run(hub, "__complete", "--timeout", "120s", "wait", "counter.isTimerOn", "").output
        == "== \n!= \n<= \n>= \n< \n> \n~ \n")
    #expect(
      try run(hub, "__complete", "--timeout", "120s", "wait", "counter.isTimerOn", "==", "t").output == "true \n")
    #expect(try run(hub, "__complete", "log", "--uid", "roo").output.contains("root \n"))
    #expect(try fromHub("schema", "Todo.") == "Todo.State \nTodo.Action \n")
    #expect(try run(hub, "__complete", "--color", "a").output == "auto \nalways \n")
    #expect(try run(hub, "__complete", "watch", "--c").output == "--color \n--count \n")
    #expect(try run(hub, "__complete", "--socket", "/nonexistent/hub.sock", "state", "c").output == "")
    // Words with spaces, of which the last one may end within quotes.
    #expect(try completions(hub, of: "storectl --timeout 120s state todos.todos[") == [#"todos.todos\[0\]"#])
    #expect(try completions(hub, of: "storectl --timeout 120s state 'todos.todos[") == ["todos.todos[0]"])
    #expect(try completions(hub, of: #"storectl --timeout 120s state "counter.c"#) == ["counter.count"])
    #expect(try completions(hub, of: #"storectl --timeout '12'"0s" state counter.c"#) == ["counter.count"])
    #expect(try completions(hub, of: #"storectl send todos.addButtonTapped 'oat milk' "x"#) == [])
  }

  /// Users do not wait long for completions.
  @Test func completionsAreNotWaitedFor() throws {
    let hub = try HubProcess()
    #expect(
      try Program(name: "storeload").run(
        "--socket", hub.socket, "--action", #"todos.addButtonTapped "{text}""#, "--payload", "200000", "-n", "10"
      ).status == 0)
    // The ids in a large part.
    #expect(try run(hub, "__complete", "--timeout", "120s", "state", "todos.todos[").output == "")
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    // Other commands wait for 10 s. A pause of this machine may take as long.
    let isShort = try (0..<20).contains { (_: Int) throws in
      let start = ContinuousClock.now
      #expect(try run(hub, "__complete", "state", "counter.c").output == "")
      return ContinuousClock.now - start < .seconds(5)
    }
    kill(process, SIGCONT)
    #expect(isShort)
  }

  /// Ids come from the state. An inserted one must not be a command, whatever it contains.
  @Test func completionsAreNoCommands() throws {
    let hub = try HubProcess()
    let offered = #"items["$(touch x; `touch y`)'\ "]"#
    let fake = "storectl() { printf '%s \\n' \(Self.quoted(offered)); }; "
    for beginning in ["", "'", "\""] {
      let replies = try completions(hub, of: "storectl state \(beginning)items", fake)
      let reply = try #require(replies.first)
      let typed = beginning + reply + beginning
      let words = try hub.control("--version >/dev/null; cd '\(hub.directory)'; printf '%s' \(typed)")
      #expect(words.output == offered && words.errors.isEmpty, "\(typed)")
      for file in ["x", "y"] { #expect(!FileManager.default.fileExists(atPath: hub.directory + "/" + file)) }
    }
    // What precedes a character that separates words for readline stays.
    let partial = try completions(hub, of: "storectl state items:a=b", "storectl() { echo 'items:a=bc '; }; ")
    #expect(partial == ["bc"])
  }

  /// Runs the script for bash in the way the shell does.
  ///
  /// - Parameter fake: Shell words that may replace storectl.
  private func completions(_ hub: HubProcess, of line: String, _ fake: String = "") throws -> [String] {
    let file = hub.directory + "/completion"
    let outcome = try hub.control(
      """
      completions bash > '\(file)'; . '\(file)'; \(fake)COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; \
      COMP_LINE=\(Self.quoted(line)); COMP_POINT=${#COMP_LINE}; COMP_WORDS=(storectl); COMP_CWORD=0; _storectl; \
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// A word in single quotes.
  private static func quoted(_ word: String) -> String { "'\(word.replacing("'", with: "'\\''"))'" }

  /// The shell shares its terminal with storectl, and the next program expects reads to wait.
  @Test func theTerminalIsLeftAsItWas() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, "storectl", "status", after: "; cat")
    #expect(hub.wait { terminal.screen.contains("latency") }, "\(terminal.screen)")
    terminal.press("over\r")
    // The echo, and the output of cat.
    #expect(hub.wait { terminal.screen.components(separatedBy: "over\n").count == 3 })
    #expect(!terminal.screen.contains("unavailable"))
  }

  @Test func theTerminalIsDrawnOn() throws {
    let hub = try HubProcess()
    let top = try Tmux(hub, "storectl", "top --interval 100ms")
    #expect(hub.wait { top.screen.contains("actions/s") && top.screen.contains("storectl top") }, "\(top.screen)")
    try hub.load(50)
    #expect(hub.wait { top.screen.contains("revision 50") }, "\(top.screen)")
    top.resize(columns: 30, rows: 6)
    #expect(
      hub.wait { top.screen.split(separator: "\n").allSatisfy { $0.count <= 30 } && top.screen.contains("latency") })
    // The last row does not cover another one, and figures are not cut off.
    top.resize(columns: 20, rows: 5)
    #expect(
      hub.wait {
        let lines = top.screen.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count >= 5 && lines[2].hasPrefix("actions/s ") && lines[2].last?.isNumber == true
          && lines[3].hasPrefix("latency ") && lines[3].hasSuffix(" ms") && lines[4] == "q quit"
      })
    top.press("q")
    #expect(hub.wait { !top.isRunning })
  }

  /// `scripts/man-pages` writes them.
  @Test(arguments: ["storectl.1", "storehubd.8", "storeload.1", "storeterm.1"])
  func theManualPagesAreCurrent(page: String) throws {
    let name = String(page.prefix { $0 != "." })
    let made = try Program(name: name).run("--help=man")
    #expect(made.status == 0)
    let kept = try String(contentsOfFile: "docs/man/\(page)", encoding: .utf8)
    #expect(made.output == kept, "run scripts/man-pages")
  }
}
