import Foundation
import TestSupport
import Testing

/// `storeterm` on hubs that it was not compiled for.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct BrowserProgramTests {
  private func send(_ hub: HubProcess, _ words: String...) throws {
    let outcome = try Program(name: "storectl").run(["--socket", hub.socket, "send"] + words)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(arguments: [(100, 30), (40, 12), (20, 6)])
  func anUnknownHubIsShownByItsSchema(columns: Int, rows: Int) throws {
    let hub = try HubProcess("dinerhub")
    try send(hub, "orderAdded", "soup", "4", "null")
    try send(hub, "orderAdded", "pancakes", "2", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") && terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.resize(columns: columns, rows: rows)
    func fits() -> Bool { terminal.screen.split(separator: "\n").allSatisfy { $0.count <= columns } }
    #expect(hub.wait { fits() && terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.type("Down", "Enter")
    #expect(hub.wait { fits() && terminal.screen.contains("orders[2]") }, "\(terminal.screen)")
    terminal.type("BSpace")
    #expect(hub.wait { fits() && terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.press("q")
    #expect(hub.wait { !terminal.isRunning })
  }

  @Test func anActionIsChosenAndItsValuesAreWritten() throws {
    let hub = try HubProcess("dinerhub")
    let (first, second) = (try Tmux(hub), try Tmux(hub))
    #expect(hub.wait { first.screen.contains("nothing here") && second.screen.contains("nothing here") })
    first.press(":", "order added")
    #expect(hub.wait { first.screen.contains("orderAdded(dish, table, note)") }, "\(first.screen)")
    first.type("Enter")
    #expect(hub.wait { first.screen.contains("Dish") && first.screen.contains("[ Send ]") }, "\(first.screen)")
    first.press("tea")
    first.type("Down")
    first.press("x")
    first.type("Enter")
    #expect(hub.wait { first.screen.contains("expected a value of type Int") }, "\(first.screen)")
    first.type("BSpace")
    first.press("7")
    first.type("Enter")
    #expect(hub.wait { first.screen.contains("tea") && second.screen.contains("tea") }, "\(first.screen)")
    #expect(hub.wait { first.screen.contains("done: orderAdded") }, "\(first.screen)")
    // The action for the chosen row has its id.
    second.press(":", "served")
    #expect(hub.wait { second.screen.contains("orders[1].served") }, "\(second.screen)")
    second.type("Enter")
    #expect(hub.wait { first.screen.contains("nothing here") && second.screen.contains("nothing here") })
    // One key repeats it.
    try send(hub, "orderAdded", "soup", "4", "null")
    #expect(hub.wait { first.screen.contains("soup") }, "\(first.screen)")
    first.press(".")
    let isRepeated = hub.wait {
      // A key that comes just after a change does not count.
      if first.screen.contains("press the key again") { first.press(".") }
      return first.screen.contains("tea") && first.screen.contains("soup")
    }
    #expect(isRepeated, "\(first.screen)")
  }

  @Test func anAlertOfTheSharedStateIsAnsweredByItsButtons() throws {
    let hub = try HubProcess("dinerhub")
    try send(hub, "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.press(":", "cancel button")
    #expect(hub.wait { terminal.screen.contains("cancelButtonTapped") }, "\(terminal.screen)")
    terminal.type("Enter")
    #expect(
      hub.wait { terminal.screen.contains("Cancel soup?") && terminal.screen.contains("Keep it") }, "\(terminal.screen)"
    )
    // Until the key counts, because the alert has just appeared.
    #expect(
      hub.wait {
        terminal.type("Left", "Enter")
        return terminal.screen.contains("nothing here")
      }, "\(terminal.screen)")
  }

  /// The alert is as old as the last news of the hub when the palette that covers it goes away.
  @Test func anAlertThatWasCoveredIsAnsweredWhileTheHubIsSilent() throws {
    let hub = try HubProcess("dinerhub")
    try send(hub, "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.press(":", "order added")
    #expect(hub.wait { terminal.screen.contains("orderAdded(dish, table, note)") }, "\(terminal.screen)")
    try send(hub, "cancelButtonTapped", "1")
    // Longer than keys do not count after a change.
    usleep(1_000_000)
    terminal.type("Escape")
    #expect(hub.wait { terminal.screen.contains("Keep it") }, "\(terminal.screen)")
    #expect(
      hub.wait {
        terminal.type("Left", "Enter")
        return terminal.screen.contains("nothing here")
      }, "\(terminal.screen)")
  }

  @Test func aSheetOfTheSharedStateIsDismissedForAll() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub, "storeterm", "--generic"), try Tmux(hub, "storeterm", "--generic"))
    for terminal in [first, second] {
      #expect(hub.wait { terminal.screen.contains("Favourites") }, "\(terminal.screen)")
      terminal.press("3")
      #expect(hub.wait { terminal.screen.contains("Is loading fact") }, "\(terminal.screen)")
    }
    try send(hub, "favourites.view.favouritesButtonTapped")
    for terminal in [first, second] {
      #expect(
        hub.wait { terminal.screen.contains("┌ Favourites") && terminal.screen.contains("esc dismiss") },
        "\(terminal.screen)")
    }
    /// Whether the page is shown without the sheet. The keys in the last line say less: a notice can hide them.
    func isDismissed(on terminal: Tmux) -> Bool {
      let screen = terminal.screen
      return screen.contains("Is loading fact") && !screen.contains("┌ Favourites")
    }
    // Until the key counts, because the sheet has just appeared.
    #expect(
      hub.wait {
        first.type("Escape")
        return isDismissed(on: first)
      }, "\(first.screen)")
    #expect(hub.wait { isDismissed(on: second) }, "\(second.screen)")
  }

  @Test func aHubThatCameBackIsShownAgain() throws {
    let hub = try HubProcess("dinerhub")
    try send(hub, "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") }, "\(terminal.screen)")
    _ = hub.kill(SIGKILL)
    #expect(hub.wait { terminal.screen.contains("hub away") && terminal.screen.contains("soup") }, "\(terminal.screen)")
    try hub.start()
    #expect(
      hub.wait { terminal.screen.contains("live") && terminal.screen.contains("nothing here") }, "\(terminal.screen)")
  }

  @Test func aSharedModelIsEditedInPlace() throws {
    let hub = try HubProcess("planhub")
    let terminal = try Tmux(hub)
    // The key means something only once the list has come, which is later than the hub.
    #expect(hub.wait { terminal.screen.contains("nothing here") }, "\(terminal.screen)")
    terminal.press("i")
    #expect(hub.wait { terminal.screen.contains("Insert into syncUps") }, "\(terminal.screen)")
    terminal.press("7")
    terminal.type("Down")
    terminal.press("Design")
    terminal.type("Enter")
    #expect(
      hub.wait { terminal.screen.contains("Design") && !terminal.screen.contains("Insert") }, "\(terminal.screen)")
    terminal.press("d")
    #expect(hub.wait { terminal.screen.contains("Remove syncUps[7]?") }, "\(terminal.screen)")
    terminal.press("y")
    #expect(hub.wait { terminal.screen.contains("nothing here") }, "\(terminal.screen)")
  }

  @Test func theGenericScreensOfTheDemoAreShownOnRequest() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, "storeterm", "--generic")
    #expect(hub.wait { terminal.screen.contains("Counter") && terminal.screen.contains("Todos") }, "\(terminal.screen)")
    terminal.press(":", "increment")
    #expect(hub.wait { terminal.screen.contains("counter.incrementButtonTapped") }, "\(terminal.screen)")
    terminal.type("Enter")
    #expect(hub.wait { terminal.screen.contains("done: counter.incrementButtonTapped") }, "\(terminal.screen)")
  }

  @Test func theJournalShowsActionsAndPastStates() throws {
    let hub = try HubProcess(
      "dinerhub", options: ["--state-dir", NSTemporaryDirectory() + "diner-\(UUID().uuidString)"])
    try send(hub, "orderAdded", "soup", "4", "null")
    try send(hub, "orderAdded", "tea", "1", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("tea") && terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.press("[")
    #expect(hub.wait { terminal.screen.contains("PAST") && !terminal.screen.contains("tea") }, "\(terminal.screen)")
    terminal.press(":")
    terminal.press("]")
    #expect(hub.wait { !terminal.screen.contains("PAST") && terminal.screen.contains("tea") }, "\(terminal.screen)")
  }

  /// As for storectl, a variable names the state directory.
  @Test func aVariableNamesTheJournal() throws {
    let directory = NSTemporaryDirectory() + "diner-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (stored, other) = (
      try HubProcess("dinerhub", options: ["--state-dir", directory]), try HubProcess("dinerhub")
    )
    try send(stored, "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(other, environment: "STOREHUB_STATE_DIR='\(directory)'")
    #expect(other.wait { terminal.screen.contains("Activity") }, "\(terminal.screen)")
    let wrong = try Tmux(stored, environment: "STOREHUB_STATE_DIR=/nonexistent")
    #expect(
      stored.wait { wrong.screen.contains("there is no journal in /nonexistent") && wrong.screen.contains("soup") },
      "\(wrong.screen)")
    #expect(!wrong.screen.contains("Activity"))
    let named = try Program(name: "storeterm").run("--socket", stored.socket, "--state-dir", "/nonexistent")
    #expect(named.status == 1)
  }

  @Test func theConfigurationIsPrintedAndRead() throws {
    let hub = try HubProcess("dinerhub")
    let printed = try Program(name: "storeterm").run("--socket", hub.socket, "--print-config")
    #expect(printed.status == 0 && printed.output.contains("[table orders]"), "\(printed.errors)")
    #expect(printed.output.contains("#columns = id, dish, stage, table, note, placed, cooking, extras"))
    let path = hub.directory + "/diner.conf"
    try "[tab-titles]\norders = Dishes\n[table orders]\ncolumns = id, dish\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let terminal = try Tmux(hub, "storeterm", "--config '\(path)'")
    #expect(hub.wait { terminal.screen.contains("Dishes") && !terminal.screen.contains("Stage") }, "\(terminal.screen)")
    try "[scren]\nx = 1\n".write(toFile: path, atomically: true, encoding: .utf8)
    let refused = try Program(name: "storeterm").run("--socket", hub.socket, "--config", path, "--print-config")
    #expect(refused.status == 1 && refused.errors.contains("line 2: there is no section [scren]"), "\(refused.errors)")
  }

  /// The hub says what this user may do.
  @Test func onlyThePartsThatThisUserMayReadAreShown() throws {
    let path = NSTemporaryDirectory() + "diner-\(UUID().uuidString).conf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let rights = "[user \(NSUserName())]\nread = orders\nact = orderAdded\n"
    try rights.write(toFile: path, atomically: true, encoding: .utf8)
    let hub = try HubProcess("dinerhub", options: ["--config", path])
    try send(hub, "--no-wait", "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") }, "\(terminal.screen)")
    #expect(!terminal.screen.contains("Prices"), "\(terminal.screen)")
    terminal.press("p")
    terminal.type("C-u")
    terminal.press("prices")
    terminal.type("Enter")
    #expect(hub.wait { terminal.screen.contains("this user may not read prices") }, "\(terminal.screen)")
    terminal.type("Escape")
    terminal.press(":")
    func offers(_ action: String) -> Bool { terminal.screen.contains(action) }
    #expect(hub.wait { offers("orderAdded") && !offers("openButtonTapped") }, "\(terminal.screen)")
  }

  /// Pasted text, and keys during a change of the size, are no commands.
  @Test func whatIsPastedSendsNothing() throws {
    let hub = try HubProcess("dinerhub")
    try send(hub, "orderAdded", "soup", "4", "null")
    let terminal = try Tmux(hub)
    #expect(hub.wait { terminal.screen.contains("soup") }, "\(terminal.screen)")
    terminal.paste(":served\n.q", isMarked: true)
    #expect(hub.wait { terminal.screen.contains("pasted text is ignored") }, "\(terminal.screen)")
    #expect(terminal.isRunning && terminal.screen.contains("soup"))
  }
}
