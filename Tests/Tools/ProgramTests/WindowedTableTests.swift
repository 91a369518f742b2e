import Foundation
import TestSupport
import Testing

/// Two terminals and a script on one large table, of which each terminal has a window.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct WindowedTableTests {
  private static let count = 3000

  /// A hub with many todos, and how its screens begin.
  private func largeHub(_ options: [String] = []) throws -> (hub: HubProcess, options: String) {
    let hub = try HubProcess(options: options)
    let filled = try Program(name: "storeload").run(
      "--socket", hub.socket, "--todos", "\(Self.count)", "--workload", "edit", "--actions", "1")
    try #require(filled.status == 0, "\(filled.errors)")
    let path = hub.directory + "/screens.conf"
    try "[screen]\ntabs = todos, counter\n".write(toFile: path, atomically: true, encoding: .utf8)
    return (hub, "--generic --config '\(path)'")
  }

  private func send(_ hub: HubProcess, _ words: String...) throws {
    let outcome = try Program(name: "storectl").run(["--socket", hub.socket, "send"] + words)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  private func open(_ hub: HubProcess, _ options: String) throws -> Tmux {
    let terminal = try Tmux(hub, "storeterm", options)
    #expect(hub.wait { terminal.screen.contains("\(Self.count) items") }, "\(terminal.screen)")
    terminal.type("Enter")
    #expect(hub.wait { terminal.screen.contains("todos.todos  \(Self.count)") }, "\(terminal.screen)")
    return terminal
  }

  /// The id of the todo in the line of the cursor.
  private func cursor(_ terminal: Tmux) -> Int? {
    let line = terminal.screen.split(separator: "\n").first { $0.hasPrefix("›") }
    return line.flatMap { $0.dropFirst().split(whereSeparator: { $0 == " " || $0 == "*" }).first.flatMap { Int($0) } }
  }

  @Test func twoTerminalsAndAScriptChangeOneTable() throws {
    let (hub, options) = try largeHub()
    let (first, second) = (try open(hub, options), try open(hub, options))
    // One is at the end, the other at the beginning.
    first.type("End")
    #expect(hub.wait { cursor(first) == Self.count - 1 && !first.screen.contains("…") }, "\(first.screen)")
    #expect(cursor(second) == 0)
    // The script removes what stands before the cursor of the first.
    for id in 1...3 { try send(hub, "todos.deleteButtonTapped", "\(id)") }
    try send(hub, "todos.addButtonTapped", "from the script")
    #expect(hub.wait { first.screen.contains("from the script") }, "\(first.screen)")
    #expect(cursor(first) == Self.count - 1)
    for terminal in [first, second] {
      #expect(hub.wait { terminal.screen.contains("todos.todos  \(Self.count - 2)") }, "\(terminal.screen)")
    }
    // The first opens its element, which the second changes by an action for its own row.
    first.type("Up")
    #expect(hub.wait { cursor(first) == Self.count - 2 })
    first.type("Enter")
    #expect(hub.wait { first.screen.contains("todos.todos[\(Self.count - 2)]") }, "\(first.screen)")
    second.type("End", "Up", "Up")
    #expect(hub.wait { cursor(second) == Self.count - 2 }, "\(second.screen)")
    second.press(":", "text changed")
    #expect(hub.wait { second.screen.contains("todos.todos[\(Self.count - 2)].textChanged") }, "\(second.screen)")
    second.type("Enter")
    #expect(hub.wait { second.screen.contains("[ Send ]") }, "\(second.screen)")
    second.press("by the second")
    second.type("Enter")
    #expect(hub.wait { first.screen.contains("by the second") && second.screen.contains("by the second") })
    first.type("BSpace")
    #expect(hub.wait { first.screen.contains("by the second") && cursor(first) == Self.count - 2 }, "\(first.screen)")
    // All agree with the hub.
    let ids = try Program(name: "storectl").run(["--socket", hub.socket, "--json", "state", "todos.todos[-5...]"])
    #expect(ids.status == 0 && ids.output.contains("by the second") && ids.output.contains("from the script"))
    func rows(_ terminal: Tmux) -> [Substring] {
      terminal.screen.split(separator: "\n").dropFirst(4).prefix(12).map { $0.dropFirst(2) }
    }
    #expect(hub.wait { rows(first) == rows(second) }, "\(first.screen)\n\(second.screen)")
  }

  /// The screen that was made by hand for the todos.
  @Test func theListOfTodosIsAWindowUntilSomethingNeedsAllOfThem() throws {
    let (hub, _) = try largeHub()
    let terminal = try Tmux(hub, "storeterm", "")
    #expect(hub.wait { terminal.screen.contains("counter") }, "\(terminal.screen)")
    terminal.press("2")
    #expect(hub.wait { terminal.screen.contains("\(Self.count) todos") }, "\(terminal.screen)")
    terminal.type("End")
    #expect(
      hub.wait { terminal.screen.contains("\(Self.count)/\(Self.count)") && !terminal.screen.contains("…") },
      "\(terminal.screen)")
    terminal.press("e", "!")
    terminal.type("Enter")
    #expect(hub.wait { terminal.screen.contains("!") && !terminal.screen.contains("text:") }, "\(terminal.screen)")
    // The hub's views of the filters.
    terminal.press("f")
    #expect(
      hub.wait { terminal.screen.contains("\(Self.count) to do") && terminal.screen.contains("[active]") },
      "\(terminal.screen)")
    try send(hub, "todos.todos[7].completionChanged", "true")
    #expect(hub.wait { terminal.screen.contains("\(Self.count - 1) to do") }, "\(terminal.screen)")
    terminal.press("f")
    #expect(
      hub.wait { terminal.screen.contains("1 completed") && terminal.screen.contains("[x]") }, "\(terminal.screen)")
    terminal.press("f")
    #expect(hub.wait { terminal.screen.contains("\(Self.count) todos") }, "\(terminal.screen)")
    terminal.press("u")
    #expect(hub.wait { terminal.screen.contains("to do") }, "\(terminal.screen)")
    terminal.press("u")
    #expect(hub.wait { terminal.screen.contains("undone: changed") }, "\(terminal.screen)")
  }

  @Test func aSearchLoadsAllRows() throws {
    let (hub, options) = try largeHub()
    try send(hub, "todos.addButtonTapped", "needle in the hay")
    let terminal = try Tmux(hub, "storeterm", options)
    #expect(hub.wait { terminal.screen.contains("items") }, "\(terminal.screen)")
    terminal.type("Enter")
    #expect(hub.wait { terminal.screen.contains("todos.todos  \(Self.count + 1)") }, "\(terminal.screen)")
    terminal.press("/", "needle")
    #expect(hub.wait { cursor(terminal) == Self.count }, "\(terminal.screen)")
    terminal.type("Enter", "Escape", "Escape", "Home")
    #expect(hub.wait { cursor(terminal) == 0 && !terminal.screen.contains("…") }, "\(terminal.screen)")
  }

  @Test func aTableOfAHubThatCameBackKeepsItsPlace() throws {
    let journal = ["--state-dir", NSTemporaryDirectory() + "todos-\(UUID().uuidString)"]
    let (hub, options) = try largeHub(journal)
    let terminal = try open(hub, options)
    terminal.type("End", "PPage")
    #expect(hub.wait { (cursor(terminal) ?? 0) > 2900 && !terminal.screen.contains("…") }, "\(terminal.screen)")
    let place = cursor(terminal)
    _ = hub.kill(SIGKILL)
    #expect(hub.wait { terminal.screen.contains("hub away") && cursor(terminal) == place }, "\(terminal.screen)")
    try hub.start(journal)
    #expect(hub.wait { terminal.screen.contains("live") && cursor(terminal) == place }, "\(terminal.screen)")
    try send(hub, "todos.deleteButtonTapped", "5")
    #expect(hub.wait { terminal.screen.contains("todos.todos  \(Self.count - 1)") }, "\(terminal.screen)")
    #expect(cursor(terminal) == place)
  }

  @Test func aWindowBeyondTheLimitOfTheUserShowsTheReason() throws {
    let path = NSTemporaryDirectory() + "limits-\(UUID().uuidString).conf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "[limits]\nwindow-elements-per-user = 300\n".write(toFile: path, atomically: true, encoding: .utf8)
    let (hub, options) = try largeHub(["--config", path])
    let first = try open(hub, options)
    let second = try Tmux(hub, "storeterm", options)
    #expect(hub.wait { second.screen.contains("\(Self.count) items") }, "\(second.screen)")
    second.type("Enter")
    #expect(hub.wait { second.screen.contains("have 300 elements") }, "\(second.screen)")
    #expect(second.isRunning && first.screen.contains("live"))
    // It goes on with what the hub permits.
    second.press("2")
    #expect(hub.wait { second.screen.contains("Count") }, "\(second.screen)")
  }

  /// The program once ended.
  @Test func theListOfTodosBeyondTheLimitOfTheUserShowsTheReason() throws {
    let path = NSTemporaryDirectory() + "limits-\(UUID().uuidString).conf"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "[limits]\nwindow-elements-per-user = 300\n".write(toFile: path, atomically: true, encoding: .utf8)
    let (hub, _) = try largeHub(["--config", path])
    let (first, second) = (try Tmux(hub, "storeterm", ""), try Tmux(hub, "storeterm", ""))
    first.press("2")
    #expect(hub.wait { first.screen.contains("\(Self.count) todos") }, "\(first.screen)")
    #expect(hub.wait { second.screen.contains("counter") }, "\(second.screen)")
    second.press("2")
    #expect(hub.wait { second.screen.contains("have 300 elements") }, "\(second.screen)")
    // It goes on with the other screens, and with this one once there is room.
    second.press("1", "+")
    #expect(hub.wait { second.screen.contains("up") && first.screen.contains("live") }, "\(second.screen)")
    first.press("q")
    #expect(hub.wait { !first.isRunning })
    second.press("2")
    #expect(hub.wait { second.screen.contains("\(Self.count) todos") }, "\(second.screen)")
  }
}
