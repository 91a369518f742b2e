import Foundation
import TestSupport
import Testing

@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct TerminalProgramTests {
  @Test func withoutAHubItSaysSoAndExits() throws {
    let outcome = try Program(name: "storeterm").run("--socket", "/nonexistent/hub.sock")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no such file or directory") && outcome.errors.contains("--wait"))
  }

  @Test func aPathThatIsNoSocketIsNamed() throws {
    let path = NSTemporaryDirectory() + "storehub-\(UUID().uuidString.prefix(8))"
    _ = FileManager.default.createFile(atPath: path, contents: Data())
    defer { try? FileManager.default.removeItem(atPath: path) }
    let outcome = try Program(name: "storeterm").run("--socket", path)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains(path))
  }

  @Test func aPathThatIsTooLongIsNamed() throws {
    let outcome = try Program(name: "storeterm").run("--socket", "/tmp/" + String(repeating: "x", count: 200))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("107"))
  }

  @Test func withoutATerminalItSaysSo() throws {
    let hub = try HubProcess()
    let outcome = try Program(name: "storeterm").run("--socket", hub.socket)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("terminal"))
  }

  @Test func twoTerminalsShareOneState() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    #expect(hub.wait { first.screen.contains("live") && second.screen.contains("live") })

    first.press("+", "+", "+", "-")
    #expect(hub.wait { Self.count(on: second) == 2 && Self.count(on: first) == 2 })
    second.press("t")
    #expect(hub.wait { first.screen.contains("the timer counts") && Self.count(on: first) ?? 0 > 2 })
    second.press("t")

    _ = hub.kill(SIGKILL)
    #expect(hub.wait { first.screen.contains("hub away") && second.screen.contains("hub away") })
    try hub.start()
    #expect(hub.wait { first.screen.contains("live") && Self.count(on: second) == 0 })

    first.resize(columns: 30, rows: 8)
    #expect(
      hub.wait { first.screen.split(separator: "\n").allSatisfy { $0.count <= 30 } && Self.count(on: first) == 0 })
    first.press("q")
    #expect(hub.wait { !first.isRunning })
    #expect(second.isRunning)
  }

  /// A hub that was stopped is waited for without worry; one that has crashed or hangs is not.
  @Test func aStopLooksDifferentFromACrash() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    #expect(hub.kill(SIGTERM) == 0)
    #expect(
      hub.wait {
        terminal.screen.contains("hub stopped, this is ") && terminal.screen.contains("the hub stops: received SIGTERM")
      })
    #expect(!terminal.screen.contains("hub away"))
    try hub.start()
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    #expect(!terminal.screen.contains("received SIGTERM"))
    _ = hub.kill(SIGKILL)
    #expect(hub.wait { terminal.screen.contains("hub away, this is ") }, "\(terminal.screen)")
    #expect(
      terminal.screen.contains("the connection to the hub was lost: ") && !terminal.screen.contains("hub stopped"))
  }

  @Test func anotherTerminalDeletesTheTodoThatIsEdited() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    #expect(hub.wait { first.screen.contains("live") && second.screen.contains("live") })
    first.press("2", "a", "milk", "\r")
    second.press("2")
    #expect(hub.wait { first.screen.contains("› [ ] milk") && second.screen.contains("› [ ] milk") })
    first.press("e", " and tea")
    #expect(hub.wait { first.screen.contains("text: milk and tea") }, "\(first.screen)")
    second.press("d")
    #expect(hub.wait { first.screen.contains("text (deleted meanwhile): milk and tea") }, "\(first.screen)")
    first.press("\r")
    #expect(hub.wait { first.screen.contains("Add 'milk and tea' as a new todo?") }, "\(first.screen)")
    #expect(second.screen.contains("no todos"))
    first.press("d")
    #expect(hub.wait { first.screen.contains("no todos") && !first.screen.contains("milk") }, "\(first.screen)")
    // Each screen of each terminal undoes its own actions.
    second.press("1", "u")
    #expect(hub.wait { second.screen.contains("nothing to undo on this screen") }, "\(second.screen)")
    second.press("2", "u")
    #expect(
      hub.wait { second.screen.contains("undone: deleted 'milk'; U redoes it") && first.screen.contains("[ ] milk") })
    second.press("U")
    #expect(hub.wait { second.screen.contains("redone: deleted 'milk'") && !first.screen.contains("[ ] milk") })
  }

  @Test func actionsThatTheHubHasNotAcknowledgedAreMarked() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("2", "a", "milk", "\r")
    #expect(hub.wait { terminal.screen.contains("› [ ] milk") }, "\(terminal.screen)")
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    terminal.press(" ")
    #expect(
      hub.wait { terminal.screen.contains("›~[x] milk") && terminal.screen.contains("live, 1 pending") },
      "\(terminal.screen)")
    Foundation.kill(process, SIGCONT)
    #expect(
      hub.wait { terminal.screen.contains("› [x] milk") && !terminal.screen.contains("pending") }, "\(terminal.screen)")
  }

  @Test func theOwnLineAmongTheClientsIsMarked() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    for terminal in [first, second] {
      #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
      terminal.press("4")
    }
    func own(_ terminal: Tmux) -> [String] {
      terminal.screen.split(separator: "\n").filter { $0.contains(", you") }.map { String($0.dropFirst(2)) }
    }
    #expect(hub.wait { first.screen.contains("2 attached") && own(first).count == 1 && own(second).count == 1 })
    #expect(own(first) != own(second))
    first.press("\r")
    #expect(
      hub.wait { first.screen.contains("┌ Client") && first.screen.contains("the list of clients") }, "\(first.screen)")
  }

  /// The todos may be many, so they are attached when a screen needs them, and stay attached.
  @Test func aScreenAttachesWhatItShows() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    func parts() -> String? {
      let clients = try? Program(name: "storectl").run("--socket", hub.socket, "clients").output
      let line = clients?.split(separator: "\n").first { $0.contains("storeterm ") }
      return line?.components(separatedBy: "  ").last?.trimmingCharacters(in: .whitespaces)
    }
    #expect(hub.wait { parts() == "counter, favourites, the clients" })
    terminal.press("2")
    #expect(hub.wait { parts() == "counter, favourites, the clients, todos" })
    #expect(hub.wait { terminal.screen.contains("no todos") }, "\(terminal.screen)")
    terminal.press("1")
    #expect(hub.wait { Self.count(on: terminal) == 0 })
    #expect(parts() == "counter, favourites, the clients, todos")
  }

  @Test func twoTerminalsSeeOneList() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    #expect(hub.wait { first.screen.contains("live") && second.screen.contains("live") })
    func todos(on terminal: Tmux) -> [String] {
      terminal.screen.split(separator: "\n").filter { $0.contains("[ ] ") || $0.contains("[x] ") }.map(String.init)
    }

    second.type("Tab")
    first.press("2", "a", "milk 水x", "\u{7f}", "\r")
    #expect(hub.wait { todos(on: first) == ["› [ ] milk 水"] && todos(on: second) == ["› [ ] milk 水"] })
    first.press("a", "bread", "\r")
    // Each terminal has its own cursor: one moves to the added todo, the other stays.
    #expect(hub.wait { todos(on: first) == ["  [ ] milk 水", "› [ ] bread"] })
    #expect(hub.wait { todos(on: second) == ["› [ ] milk 水", "  [ ] bread"] })
    first.press("K")
    #expect(hub.wait { todos(on: first) == ["› [ ] bread", "  [ ] milk 水"] })
    #expect(hub.wait { todos(on: second) == ["  [ ] bread", "› [ ] milk 水"] })
    // Completed todos move to the end by themselves, and a filter affects only its own terminal.
    first.press(" ")
    #expect(hub.wait { todos(on: second) == ["› [ ] milk 水", "  [x] bread"] })
    second.press("f")
    #expect(hub.wait { todos(on: second) == ["› [ ] milk 水"] })
    // The cursor stays in its row.
    #expect(hub.wait { todos(on: first) == ["› [ ] milk 水", "  [x] bread"] })
    first.press("j", "d")
    second.press("e", " and tea", "\r")
    #expect(hub.wait { todos(on: first) == ["› [ ] milk 水 and tea"] && todos(on: second) == todos(on: first) })
    #expect(warnings(of: hub).isEmpty, "\(hub.log)")
  }

  /// The warnings of a hub, without those of pauses of its thread, which a busy machine makes.
  private func warnings(of hub: HubProcess) -> [Substring] {
    hub.log.split(separator: "\n").filter { $0.contains("warning") && !$0.contains("the loop was blocked for ") }
  }

  /// A list over the screen is part of the state: it opens for all clients, and the feature closes it.
  @Test func twoTerminalsGoThroughFavouritesTogether() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    #expect(hub.wait { first.screen.contains("live") && second.screen.contains("live") })
    first.type("Tab", "Tab", "Up", "Space", "Up", "Up", "Space", "Down")
    // Past the list of clients, the current screen of both.
    second.type("BTab")
    #expect(hub.wait { second.screen.components(separatedBy: "storeterm ").count == 3 })
    second.type("BTab")
    #expect(hub.wait { second.screen.contains("favourites: 1, 3") && Self.count(on: second) == 2 })
    second.type("Enter")
    #expect(hub.wait { first.screen.contains("› 1") && second.screen.contains("› 1") })
    first.type("End")
    #expect(hub.wait { first.screen.contains("› 3") && second.screen.contains("› 1") })
    first.type("Enter")
    #expect(hub.wait { second.screen.contains("★ favourite") && Self.count(on: second) == 3 })
    second.type("l")
    #expect(hub.wait { second.screen.contains("› 1") }, "\(second.screen)")
    second.type("d")
    #expect(hub.wait { first.screen.contains("› 3") && first.screen.contains("1 favourite\n") }, "\(first.screen)")
    second.type("Escape")
    #expect(
      hub.wait { first.screen.contains("★ favourite") && first.screen.contains("favourites: 3") }, "\(first.screen)")
    first.type("f")
    #expect(hub.wait { second.screen.contains("┌ Fact ") && second.screen.contains("3 is ") }, "\(second.screen)")
    second.type("Escape")
    #expect(hub.wait { !first.screen.contains("┌ Fact ") })
    #expect(warnings(of: hub).isEmpty, "\(hub.log)")
  }

  /// The terminal once quit before it had sent the keys of the same read.
  @Test func whatWasTypedBeforeQuittingTakesEffect() throws {
    let hub = try HubProcess()
    for round in 1...5 {
      let terminal = try Tmux(hub)
      #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
      terminal.press("+++q")
      #expect(hub.wait { !terminal.isRunning })
      let count = try Program(name: "storectl").run("--socket", hub.socket, "state", "counter.count")
      #expect(count.output == "\(round * 3)\n", "\(count.errors)")
    }
  }

  @Test func quittingDoesNotWaitForAStoppedHub() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, "storeterm", "--timeout 5s")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    terminal.press("+++q")
    #expect(hub.wait { !terminal.isRunning })
    Foundation.kill(process, SIGCONT)
  }

  @Test func aSecondQuitDoesNotWaitAtAll() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, after: "; sleep 600")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    terminal.press("+++q")
    #expect(
      hub.wait { terminal.screen.contains("waiting for the hub to acknowledge 3 actions; q or ^C quits at once") })
    // Other keys are ignored: this one would open a line for text.
    terminal.press("2", "a", "q")
    #expect(
      hub.wait { terminal.screen.contains("the hub has not acknowledged 3 actions, which may be lost") },
      "\(terminal.screen)")
    Foundation.kill(process, SIGCONT)
  }

  @Test func aHubThatDoesNotAnswerIsNamedAndCanBeLeft() throws {
    let hub = try HubProcess()
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    let end = "; echo status $?; cat"
    let (left, kept) = (try Tmux(hub, after: end), try Tmux(hub, "storeterm", "--timeout 15s", after: end))
    for terminal in [left, kept] {
      #expect(hub.wait { terminal.screen.contains("connecting to the hub …") && terminal.screen.contains(hub.socket) })
    }
    left.press("q")
    #expect(hub.wait { left.screen.contains("status 0") }, "\(left.screen)")
    // Without a key, it ends with the reason.
    #expect(hub.wait { kept.screen.contains("status 1") }, "\(kept.screen)")
    Foundation.kill(process, SIGCONT)
  }

  @Test func aLargePasteIsTakenAndCanBeInterrupted() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("2")
    // Until the list is loaded, only 1,000 keys are kept for it.
    #expect(hub.wait { terminal.screen.contains("no todos") }, "\(terminal.screen)")
    terminal.press("a")
    terminal.paste(String(repeating: "abcdefghij", count: 500))
    #expect(
      hub.wait { terminal.screen.contains("the text is full at 4096 bytes; 904 bytes were not added") },
      "\(terminal.screen)")
    terminal.press("\r")
    #expect(hub.wait { terminal.screen.contains("› [ ] abcdefghij") }, "\(terminal.screen)")
    terminal.press("a")
    terminal.paste(String(repeating: "abcdefghij", count: 4_000))
    terminal.type("C-c")
    #expect(hub.wait { !terminal.isRunning })
  }

  @Test func aPasteIsTextAndNoCommand() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.paste("q+\nq", isMarked: true)
    #expect(hub.wait { terminal.screen.contains("pasted text is ignored") }, "\(terminal.screen)")
    terminal.press("2", "a")
    terminal.paste("bread\nq", isMarked: true)
    #expect(hub.wait { terminal.screen.contains("new: bread q") }, "\(terminal.screen)")
    terminal.press("\r")
    #expect(hub.wait { terminal.screen.contains("› [ ] bread q") }, "\(terminal.screen)")
    terminal.press("1")
    #expect(hub.wait { Self.count(on: terminal) == 0 })
  }

  /// Text from elsewhere may contain the characters that end or stop programs.
  @Test func aPasteHasNoSignals() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("2", "a", "\u{1b}[200~br\u{3}e\u{1a}a\u{1c}d\u{13}s\u{1b}[201~", "\r")
    #expect(hub.wait { terminal.screen.contains("› [ ] breads") }, "\(terminal.screen)")
    // Ctrl-\ is no key.
    terminal.press("\u{1c}", "1", "+")
    #expect(hub.wait { Self.count(on: terminal) == 1 })
    terminal.type("C-c")
    #expect(hub.wait { !terminal.isRunning })
  }

  /// The shell that follows needs a terminal with echo and lines.
  @Test func aQuitSignalLeavesTheTerminalAsItWas() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, after: "; stty -a; cat")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    kill(try #require(try process(of: hub)), SIGQUIT)
    #expect(
      hub.wait { terminal.screen.contains(" echo ") && terminal.screen.contains(" icanon") }, "\(terminal.screen)")
  }

  /// The process id of the terminal client of a hub.
  private func process(of hub: HubProcess) throws -> Int32? {
    let clients = try Program(name: "storectl").run("--socket", hub.socket, "clients", "--json").output
    for line in clients.split(separator: "\n") {
      let client = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      if (client?["name"] as? String)?.hasPrefix("storeterm ") == true { return client?["process"] as? Int32 }
    }
    return nil
  }

  /// Several keys can make one character, and the text after it stays in place. Not every tmux shows skin tones.
  @Test func joinedCharactersAreOneAndAsWideAsTheyAreDrawn() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("2", "a", "👨‍👩‍👧e\u{301}|👍🏽|")
    func shows(_ text: String) -> Bool {
      terminal.screen.filter { !$0.isWhitespace }.replacing("🏽", with: "").contains(text.filter { !$0.isWhitespace })
    }
    #expect(hub.wait { shows("new: 👨‍👩‍👧e\u{301}|👍|") })
    terminal.type("Left", "Left", "BSpace", "Home", "Delete")
    #expect(hub.wait { shows("new: e\u{301}👍|\n") })
    terminal.type("Right", "BSpace", "Enter")
    #expect(hub.wait { shows("› [ ] 👍|\n") })
  }

  @Test func withoutUnicodeThereAreLikenesses() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, environment: "LC_ALL=C")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("2", "a", "水x", "\r")
    #expect(
      hub.wait { terminal.screen.contains("> [ ] ??x") && terminal.screen.contains("- 1 counter |2 todos| 3") },
      "\(terminal.screen)")
    let isPlain = terminal.screen.allSatisfy { $0.isASCII }
    #expect(isPlain)
  }

  @Test func aTerminalOfPaperIsRefusedInOneSentence() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, environment: "TERM=dumb", after: "; echo status $?; sleep 600")
    #expect(hub.wait { terminal.screen.contains("status 1") }, "\(terminal.screen)")
    #expect(terminal.screen.contains("of the type 'dumb'"))
  }

  @Test func aHubThatLostItsStateIsAnnounced() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("+")
    #expect(hub.wait { Self.count(on: terminal) == 1 })
    _ = hub.kill(SIGKILL)
    #expect(hub.wait { terminal.screen.contains("hub away") }, "\(terminal.screen)")
    try hub.start()
    #expect(hub.wait { terminal.screen.contains("came back without its last state") && Self.count(on: terminal) == 0 })
    terminal.press("+")
    #expect(hub.wait { Self.count(on: terminal) == 1 && !terminal.screen.contains("came back") })
  }

  @Test func aKeyTakesEffectBeforeTheHubHasAnswered() throws {
    let hub = try HubProcess()
    let (one, other) = (try Tmux(hub), try Tmux(hub, "storeterm", "--no-prediction"))
    #expect(hub.wait { one.screen.contains("live") && other.screen.contains("live") })
    let process = try #require(hub.process?.processIdentifier)
    stopProcess(process)
    other.press("+", "?")
    one.press("+", "+")
    #expect(hub.wait { Self.count(on: one) == 2 && other.screen.contains("Keys: counter") })
    other.press("?")
    #expect(hub.wait { Self.count(on: other) == 0 })
    Foundation.kill(process, SIGCONT)
    #expect(hub.wait { Self.count(on: one) == 3 && Self.count(on: other) == 3 })
  }

  @Test func itStopsAndGoesOnAsTheShellSays() throws {
    let hub = try HubProcess()
    // An interactive shell that runs the command in $RUN.
    let terminal = try Tmux(
      hub, environment: "exec bash --norc -c 'export PS1=ready: RUN=\"$*\"; exec bash --norc' bash")
    #expect(hub.wait { terminal.screen.contains("ready:") }, "\(terminal.screen)")
    terminal.press("$RUN\r")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.type("C-z")
    #expect(hub.wait { terminal.screen.contains("Stopped") && !terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.resize(columns: 40, rows: 10)
    terminal.press("fg\r")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("+")
    #expect(hub.wait { Self.count(on: terminal) == 1 })
    #expect(terminal.screen.split(separator: "\n").allSatisfy { $0.count <= 40 })
    // Unlike the key, this signal gives it no time to restore the terminal.
    kill(try #require(try process(of: hub)), SIGSTOP)
    #expect(hub.wait { terminal.screen.components(separatedBy: "Stopped").count > 1 })
    terminal.press("fg\r")
    #expect(hub.wait { terminal.screen.contains("live") && !terminal.screen.contains("Stopped") }, "\(terminal.screen)")
    terminal.press("+")
    #expect(hub.wait { Self.count(on: terminal) == 2 })
  }

  /// The shell takes the terminal back when the script has stopped, perhaps before the program has.
  @Test func itStopsAndGoesOnWithinAScript() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(
      hub, environment: "exec bash --norc -c 'export PS1=ready: RUN=\"$*\"; exec bash --norc' bash")
    #expect(hub.wait { terminal.screen.contains("ready:") }, "\(terminal.screen)")
    terminal.press("bash -c '$RUN; true'\r")
    for count in 1...3 {
      #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
      terminal.type("C-z")
      #expect(
        hub.wait { terminal.screen.contains("Stopped") && !terminal.screen.contains("live") }, "\(terminal.screen)")
      terminal.press("clear; fg\r")
      #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
      terminal.press("+")
      #expect(hub.wait { Self.count(on: terminal) == count }, "\(terminal.screen)")
    }
  }

  @Test func theMouseOpensChoosesAndTicks() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, environment: "TERM=xterm-256color")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    for text in ["bread", "milk"] {
      #expect(
        try Program(name: "storectl").run("--socket", hub.socket, "send", "todos.addButtonTapped", text).status == 0)
    }
    /// Sends a click as xterm does: a press and a release of the button.
    func click(_ row: Int, _ column: Int) {
      terminal.press("\u{1b}[<0;\(column + 1);\(row + 1)M\u{1b}[<0;\(column + 1);\(row + 1)m")
    }
    click(1, 15)
    #expect(hub.wait { terminal.screen.contains("› [ ] bread") }, "\(terminal.screen)")
    click(5, 20)
    #expect(hub.wait { terminal.screen.contains("› [ ] milk") }, "\(terminal.screen)")
    click(4, 3)
    #expect(hub.wait { terminal.screen.contains("[x] bread") }, "\(terminal.screen)")
    terminal.press("q")
    #expect(hub.wait { !terminal.isRunning })
  }

  @Test func theJournalTellsWhoDidWhat() throws {
    let hub = try HubProcess(awaitsLog: false)
    _ = hub.kill(SIGKILL)
    let directory = hub.directory + "/state"
    try hub.start(["--state-dir", directory])
    let terminal = try Tmux(hub, "storeterm", "--state-dir '\(directory)'")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("+", "5")
    #expect(
      hub.wait { terminal.screen.contains("counter.incrementButtonTapped") && terminal.screen.contains("1 action") })
    let sent = try Program(name: "storectl").run("--socket", hub.socket, "send", "todos.addButtonTapped", "bread")
    #expect(sent.status == 0)
    #expect(
      hub.wait {
        terminal.screen.contains("storectl send") && terminal.screen.contains("todos.addButtonTapped \"bread\"")
      })
    // The details of the last action; then only those that are not about the todos.
    terminal.press("\r")
    #expect(
      hub.wait {
        terminal.screen.contains("┌ Action") && terminal.screen.contains("process")
          && terminal.screen.contains("todos.nextID")
          && terminal.screen.contains("0 → 1")
      })
    terminal.press("q", "f", "-todos", "\r")
    #expect(
      hub.wait {
        terminal.screen.contains("filter: -todos") && terminal.screen.contains("1 of the last 2 actions")
          && !terminal.screen.contains("bread")
      })
    terminal.press("-")
    #expect(hub.wait { terminal.screen.contains("no action matches") }, "\(terminal.screen)")
    terminal.type("Escape")
    // A filter finds what lies behind thousands of other actions.
    _ = try Program(name: "storeload").run("--socket", hub.socket, "--actions", "3000", "--depth", "1")
    #expect(
      hub.wait { terminal.screen.contains("the last 1000 actions") && !terminal.screen.contains("bread") },
      "\(terminal.screen)")
    terminal.press("f", "BREAD", "\r")
    #expect(
      hub.wait { terminal.screen.contains("todos.addButtonTapped \"bread\"") && terminal.screen.contains("─ 1/1 ─") })
    terminal.type("Escape")
    #expect(hub.wait { terminal.screen.contains("the last 1000 actions") }, "\(terminal.screen)")
    let nowhere = try Program(name: "storeterm").run("--socket", hub.socket, "--state-dir", "/nonexistent")
    #expect(nowhere.status == 1 && nowhere.errors.contains("there is no journal"))
  }

  /// As for storectl, a hub tells its directory to those who may read it, unless a variable names one.
  @Test func theJournalIsFoundWithoutAnOption() throws {
    let (stored, other) = (try HubProcess(awaitsLog: false), try HubProcess())
    _ = stored.kill(SIGKILL)
    let directory = stored.directory + "/state"
    try stored.start(["--state-dir", directory])
    let told = try Tmux(stored)
    #expect(stored.wait { told.screen.contains("5 activity") }, "\(told.screen)")
    told.press("+", "5")
    #expect(stored.wait { told.screen.contains("counter.incrementButtonTapped") }, "\(told.screen)")
    let named = try Tmux(other, environment: "STOREHUB_STATE_DIR='\(directory)'")
    #expect(other.wait { named.screen.contains("5 activity") }, "\(named.screen)")
    named.press("5")
    #expect(other.wait { named.screen.contains("counter.incrementButtonTapped") }, "\(named.screen)")
    // A variable that names no journal is reported, and all else works.
    let wrong = try Tmux(stored, environment: "STOREHUB_STATE_DIR=/nonexistent")
    #expect(stored.wait { wrong.screen.contains("there is no journal in /nonexistent") }, "\(wrong.screen)")
    wrong.press("+")
    #expect(stored.wait { Self.count(on: wrong) == 2 && !wrong.screen.contains("activity") }, "\(wrong.screen)")
    let without = try Tmux(other)
    #expect(other.wait { without.screen.contains("live") } && !without.screen.contains("activity"), "\(without.screen)")
  }

  @Test func twentyColumnsAndSixRowsAreEnough() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.resize(columns: 20, rows: 6)
    terminal.press("2", "a", "bread", "\r")
    #expect(
      hub.wait { terminal.screen.contains("› [ ] bread") && terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("?")
    #expect(hub.wait { terminal.screen.contains("sorted") }, "\(terminal.screen)")
    terminal.press("q", " ", "c", "d", "\r")
    #expect(hub.wait { terminal.screen.contains("no todos") }, "\(terminal.screen)")
  }

  /// Returns the number that is alone in a line.
  private static func count(on terminal: Tmux) -> Int? {
    terminal.screen.split(separator: "\n").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }.first
  }
}

/// A terminal that runs a program, on a separate tmux server.
final class Tmux {
  private let server = "storehub-\(UUID().uuidString.prefix(8))"

  private let process: Process

  /// Runs a shell command.
  init(command: String, columns: Int = 80) throws {
    // In the foreground (-D): if the server forked, Foundation would not see the end of its parent.
    process = Self.process(server, ["-D", "-f", "/dev/null"])
    try process.run()
    let isRunning = poll {
      tmux("new-session", "-d", "-x", "\(columns)", "-y", "24", command)
      return self.isRunning
    }
    try #require(isRunning)
  }

  /// Runs a program with a hub, in a terminal of 80 × 24.
  ///
  /// - Parameters:
  ///   - environment: Shell words before the program.
  ///   - end: Shell words after its arguments.
  convenience init(
    _ hub: HubProcess, _ program: String = "storeterm", _ arguments: String = "", environment: String = "",
    after end: String = ""
  ) throws {
    let program = Program(name: program)
    let limit = program.patient(arguments.split(separator: " ").map(String.init)).prefix(2)
    let options = limit.first == "--timeout" ? limit.joined(separator: " ") : ""
    try self.init(
      command: "\(environment) '\(program.url.path)' \(options) --socket '\(hub.socket)' \(arguments) \(end)")
  }

  var screen: String { tmux("capture-pane", "-p") }
  var isRunning: Bool { !tmux("list-sessions").isEmpty }

  func press(_ keys: String...) {
    for key in keys { tmux("send-keys", "-l", "--", key) }
  }

  /// Presses keys, named as in tmux.
  func type(_ keys: String...) {
    for key in keys { tmux("send-keys", key) }
  }

  /// - Parameter isMarked: True if the terminal marks the text as pasted.
  func paste(_ text: String, isMarked: Bool = false) {
    let path = NSTemporaryDirectory() + server
    try? text.write(toFile: path, atomically: true, encoding: .utf8)
    tmux("load-buffer", path)
    if isMarked { tmux("paste-buffer", "-p") } else { tmux("paste-buffer") }
    try? FileManager.default.removeItem(atPath: path)
  }

  func resize(columns: Int, rows: Int) {
    tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  private static func process(_ server: String, _ arguments: [String]) -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    // Threads of a pool block all signals, and their child processes inherit that; env(1) resets it.
    process.arguments = ["--default-signal", "LANG=C.UTF-8", "TERM=xterm-256color", "tmux", "-L", server] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    return process
  }

  @discardableResult
  private func tmux(_ arguments: String...) -> String {
    let process = Self.process(server, ["-N"] + arguments)
    let output = Pipe()
    process.standardOutput = output
    guard (try? process.run()) != nil else { return "" }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  deinit {
    tmux("kill-server")
    process.waitUntilExit()
  }
}
