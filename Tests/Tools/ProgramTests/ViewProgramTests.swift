import Foundation
import TestSupport
import Testing

/// A terminal client of `TerminalApp`, in a terminal.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct ViewProgramTests {
  private static let program = "todoterminal"

  @Test func withoutAHubItSaysSoAndExits() throws {
    let outcome = try Program(name: Self.program).run("--socket", "/nonexistent/hub.sock")
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("no such file or directory") && outcome.errors.contains("--wait"))
  }

  @Test func helpNamesTheOptions() throws {
    let outcome = try Program(name: Self.program).run("--help")
    #expect(outcome.status == 0)
    #expect(
      ["--socket", "--wait", "--timeout", "--theme", "--no-prediction", "--no-mouse"].allSatisfy(
        outcome.output.contains))
  }

  @Test func twoTerminalsShareOneState() throws {
    let hub = try HubProcess()
    let (first, second) = (try Tmux(hub, Self.program), try Tmux(hub, Self.program))
    #expect(hub.wait { first.screen.contains("live") && second.screen.contains("nothing to do") })
    first.press("a")
    #expect(hub.wait { first.screen.contains("New todo") }, "\(first.screen)")
    first.press("q milk?")
    first.type("Enter")
    #expect(hub.wait { first.screen.contains("› ") && second.screen.contains("q milk?") })
    second.type("Tab")
    second.press("+", "+")
    #expect(hub.wait { second.screen.contains("count: 2") }, "\(second.screen)")
    first.press("2")
    #expect(hub.wait { first.screen.contains("count: 2") }, "\(first.screen)")

    _ = hub.kill(SIGKILL)
    #expect(hub.wait { first.screen.contains("hub away, this is ") && second.screen.contains("hub away") })
    try hub.start()
    #expect(hub.wait { first.screen.contains("live") && first.screen.contains("count: 0") }, "\(first.screen)")
    first.press("q")
    #expect(hub.wait { !first.isRunning })
    #expect(second.isRunning)
    second.type("C-c")
    #expect(hub.wait { !second.isRunning })
  }

  @Test func aSmallTerminalWithoutUnicodeIsEnough() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, Self.program, environment: "LC_ALL=C TERM=vt100")
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.press("a")
    terminal.press("tea")
    terminal.type("Enter")
    terminal.resize(columns: 20, rows: 6)
    #expect(
      hub.wait {
        terminal.screen.split(separator: "\n").allSatisfy { $0.count <= 20 } && terminal.screen.contains("> ")
          && terminal.screen.contains("tea")
      })
    terminal.press("2")
    #expect(hub.wait { terminal.screen.contains("count: 0") && terminal.screen.allSatisfy(\.isASCII) })
  }

  @Test func helpAndPastes() throws {
    let hub = try HubProcess()
    let terminal = try Tmux(hub, Self.program)
    #expect(hub.wait { terminal.screen.contains("live") }, "\(terminal.screen)")
    terminal.paste("a\nq\n", isMarked: true)
    #expect(hub.wait { terminal.screen.contains("pasted text is ignored") }, "\(terminal.screen)")
    terminal.press("?")
    #expect(hub.wait { terminal.screen.contains("┌ Keys") && terminal.screen.contains("delete") }, "\(terminal.screen)")
    terminal.type("Escape")
    #expect(hub.wait { !terminal.screen.contains("┌ Keys") })
  }
}
