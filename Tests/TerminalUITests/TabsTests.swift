import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct TabsTests {
  /// Two screens, of which the first has a cursor, a state and an alert.
  struct TwoScreens: TerminalView {
    struct First: TerminalView {
      @ViewState var isAsking = false
      @ViewState var count = 0

      var body: some TerminalView {
        Column {
          Text("count \(count)")
          List(CollectionRows([1, 2, 3], id: \.self)) { Cell("row \($0)") }
        }
        .key("+", "count") { count += 1 }
        .key("a", "ask") { isAsking = true }
        .alert(isAsking ? AlertState<Never> { TextState("what now?") } : nil) { _ in isAsking = false }
      }
    }

    var body: some TerminalView {
      Tabs {
        Tab("first") { First() }
        Tab("second") { Text("text") }
      }
    }
  }

  private func tester() -> TerminalTester { TerminalTester(TwoScreens(), rows: 9, columns: 40) }

  @Test func aHiddenScreenKeepsItsCursorAndItsState() {
    let tester = tester()
    tester.press("down", "+", "2")
    #expect(tester.lines[1] == "text")
    tester.press("1")
    #expect(tester.lines[1...3] == ["count 1", "  row 1", "› row 2"])
  }

  @Test func shiftTabOpensThePreviousScreen() {
    let tester = tester()
    tester.press("shift-tab")
    #expect(tester.lines[0].contains("┤2 second├"))
    tester.press("tab")
    #expect(tester.lines[0].contains("┤1 first├"))
  }

  /// Otherwise a user could not leave what another user has opened.
  @Test(arguments: [.tab, .character("2"), .click(row: 0, column: 12)] as [Key])
  func anAlertCoversItsOwnScreenOnly(key: Key) {
    let tester = tester()
    tester.press("a")
    #expect(tester.lines.contains { $0.contains("what now?") })
    tester.press("+")
    tester.press(key)
    #expect(tester.lines[0].contains("┤2 second├") && tester.lines[1] == "text")
    #expect(!tester.lines.contains { $0.contains("what now?") })
    tester.press("1")
    #expect(tester.lines.contains { $0.contains("what now?") })
    tester.press("esc")
    // The key for the screen below had no effect.
    #expect(tester.lines[1] == "count 0")
  }

  @Test func theHelpHasTheTitleOfTheScreen() {
    let tester = TerminalTester(TwoScreens(), rows: 20, columns: 60)
    tester.press("?")
    #expect(tester.lines.contains { $0.contains("┌ Keys: first ") })
    #expect(tester.lines.contains { $0.contains("1 2") && $0.contains("the screen with this number") })
  }

  @Test func aLowScreenShowsThePositionInTheBar() {
    let tester = TerminalTester(TwoScreens(), rows: 5, columns: 40)
    tester.press("down")
    #expect(tester.lines[0] == "─┤1 first├ 2 second ────────────── 2/3 ─")
    tester.resize(rows: 9, columns: 40)
    #expect(!tester.lines[0].contains("2/3"))
  }
}
