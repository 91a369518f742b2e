import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct ModalTests {
  /// A list with a line below it.
  struct Lined: TerminalView {
    @ViewState var isWriting = false
    @ViewState var text = ""
    @ViewState var message: StatusMessage?

    var body: some TerminalView {
      Column {
        List(CollectionRows(["one", "two"], id: \.self)) { Cell($0) }
        if isWriting {
          TextField(text: $text)
            .onSubmit("add") { (isWriting, message) = (false, StatusMessage("added \(text)")) }
            .key("esc", "cancel") { isWriting = false }
            .modal()
        }
        PositionRule()
      }
      .key("a", "add") { isWriting = true }
      .key("m", "", help: "say it again") { message = StatusMessage("added \(text)") }
      .message(message)
    }
  }

  private func tester() -> TerminalTester { TerminalTester(Lined(), rows: 9, columns: 50, hasHelpLine: true) }

  @Test func aModalViewGetsAllKeys() {
    let tester = tester()
    tester.press("down", "a", "m", "tab", "k", "shift-tab", "a")
    #expect(tester.lines[6] == "mka" && tester.lines[1] == "› two")
    #expect(tester.help == "enter add   esc cancel   ^U ^K ^W delete")
    #expect(tester.unhandledKeys == [.tab, .backTab])
    tester.press("esc", "up")
    #expect(tester.lines[0] == "› one")
  }

  @Test func eachMessageIsShownOnce() {
    let tester = tester()
    tester.press("a", "x", "enter")
    #expect(tester.lines[8] == "added x")
    tester.press("down")
    #expect(tester.lines[8].hasPrefix("a add"))
    tester.press("m")
    #expect(tester.lines[8] == "added x")
    tester.advance(by: .seconds(4))
    #expect(tester.lines[8] == "added x")
    tester.advance(by: .seconds(1))
    #expect(tester.lines[8].hasPrefix("a add"))
  }

  @Test func thePositionIsOnItsLine() {
    let tester = tester()
    tester.press("down")
    #expect(tester.lines[7] == String(repeating: "─", count: 44) + " 2/2 ─")
    // A low screen has no room for the line.
    tester.resize(rows: 7, columns: 50)
    #expect(!tester.lines.contains { $0.contains("2/2") })
  }

  struct Numbered: TerminalView {
    @ViewState var details: Details?

    var body: some TerminalView {
      Text("below").key("d", "details") {
        details = Details("All", (1...30).map { ("name \($0)", "text") })
      }
      .details(details) { details = nil }
    }
  }

  @Test func detailsScrollAndAnyOtherKeyClosesThem() {
    let tester = TerminalTester(Numbered(), rows: 10, columns: 60, hasHelpLine: true)
    tester.press("d")
    #expect(tester.lines.contains { $0.contains("│ name 1   text") } && tester.help == "↑ ↓ scroll   esc close")
    tester.press("end")
    #expect(tester.lines.contains { $0.contains("│ name 30  text") })
    tester.press("q")
    #expect(tester.lines[0] == "below" && tester.unhandledKeys.isEmpty)
  }

  final class Loading {
    let isReady = ViewState(wrappedValue: false)
  }

  struct Later: TerminalView {
    let loading: Loading

    var body: some TerminalView {
      Tabs {
        Tab("list") {
          Deferred(isReady: loading.isReady.wrappedValue) {
            Lined()
          } placeholder: {
            Text("loading")
          }
        }
        Tab("other") { Text("text") }
      }
    }
  }

  /// The rest of what is typed quickly would be other commands.
  @Test func keysForAViewThatIsNotThereYetAreKept() {
    let loading = Loading()
    let tester = TerminalTester(Later(loading: loading), rows: 9, columns: 40)
    tester.press("2", "1", "a")
    tester.type("q2")
    #expect(tester.lines[1] == "loading")
    loading.isReady.wrappedValue = true
    #expect(tester.lines.contains("q2") && tester.unhandledKeys.isEmpty)
    tester.press("enter")
    #expect(tester.lines[1] == "› one")
  }

  @Test func escForgetsTheKeptKeysAndQuittingNeedsNone() {
    let loading = Loading()
    let tester = TerminalTester(Later(loading: loading), rows: 9, columns: 40)
    tester.press("a", "x", "esc", "q")
    #expect(tester.unhandledKeys == [.character("q")])
    loading.isReady.wrappedValue = true
    #expect(tester.lines[1] == "› one" && !tester.lines.contains("x"))
  }
}
