import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct OverlayTests {
  struct Two: TerminalView {
    @ViewState var isSheetOpen = false
    @ViewState var isAlertOpen = false
    let alertIsAround: Bool

    private var question: AlertState<Int>? {
      isAlertOpen ? AlertState { TextState("the alert") } : nil
    }

    var body: some TerminalView {
      if alertIsAround {
        withSheet(base).alert(question, send: closeAlert)
      } else {
        withSheet(base.alert(question, send: closeAlert))
      }
    }

    private var base: some TerminalView {
      Text("below").key("s", "sheet") { isSheetOpen = true }.key("a", "alert") { isAlertOpen = true }
    }

    private func withSheet(_ content: some TerminalView) -> some TerminalView {
      content.sheet(isPresented: $isSheetOpen, title: "the sheet") {
        Text("text of the sheet").key("a", "alert") { isAlertOpen = true }
      }
    }

    private func closeAlert(_ action: Int?) { isAlertOpen = false }
  }

  @Test(arguments: [true, false])
  func whatOpensLastIsOnTopAndClosesFirst(alertIsAround: Bool) {
    let tester = TerminalTester(Two(alertIsAround: alertIsAround), rows: 9, columns: 50)
    func shows(_ text: String) -> Bool { tester.lines.contains { $0.contains(text) } }
    tester.press("s")
    #expect(shows("text of the sheet"))
    tester.press("a")
    #expect(shows("the alert"), "\(tester.lines)")
    tester.press("esc")
    #expect(!shows("the alert") && shows("text of the sheet"), "\(tester.lines)")
    tester.press("esc")
    #expect(tester.lines[0].hasPrefix("below") && !shows("sheet"))
    #expect(tester.unhandledKeys.isEmpty)
  }

  /// They were once those of the screen below.
  @Test func theLastLineNamesTheKeysOfTheHelpBox() {
    let tester = TerminalTester(QueueView(store: Queue.store()), rows: 12, columns: 60, hasHelpLine: true)
    tester.press("?")
    #expect(tester.lines[11] == "↑ ↓ scroll   esc close")
    tester.press("esc")
    #expect(tester.lines[11].hasPrefix("d delete"))
  }

  @Test func aRepeatedKeyDoesNotConfirmADeletion() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 10, columns: 60, hasHelpLine: true)
    tester.press("d", "d", "d")
    #expect(store.jobs.count == 3 && store.alert != nil)
    #expect(tester.help.hasPrefix("← → choose   enter delete"), "\(tester.help)")
    tester.press("enter")
    #expect(store.jobs.count == 2)
    tester.press("d", "k")
    #expect(store.jobs.count == 2 && store.alert == nil)
  }

  /// It once ended the program.
  @Test func aClickOnAMessageWithoutButtonsDismissesIt() {
    let answers = ViewState(wrappedValue: 0)
    let alert = AlertState<Int> { TextState("a message") }
    let view = Text("below").alert(alert) { _ in answers.wrappedValue += 1 }
    let tester = TerminalTester(view, rows: 9, columns: 40)
    guard let row = tester.lines.firstIndex(where: { $0.contains("press esc") }) else {
      Issue.record("the message names the key")
      return
    }
    tester.press(.click(row: row, column: 20))
    #expect(answers.wrappedValue == 1)
  }

  @Test func aLetterWithoutAButtonDismissesNoMessage() {
    var isClosed = false
    let tester = TerminalTester(
      Text("").alert(AlertState<Int> { TextState("full") }) { _ in isClosed = true }, rows: 8, columns: 40)
    tester.press("d")
    #expect(!isClosed)
    tester.press("esc")
    #expect(isClosed)
  }
}
