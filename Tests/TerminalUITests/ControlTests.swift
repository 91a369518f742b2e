import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct ControlTests {
  struct JobForm: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView {
      Form {
        Field("Name", help: "shown in the list") {
          TextField("web server", text: store.binding(\.name)).onSubmit("add") { store.send(.addButtonTapped) }
        }
        Field("Notes") { TextEditor(text: store.binding(\.notes), lines: 2) }
        Field("Urgent") { Toggle(isOn: store.binding(\.isUrgent)) }
        Field("Size", error: store.size == .large ? "too large" : nil) { Picker(selection: store.binding(\.size)) }
        Button("Add") { store.send(.addButtonTapped) }
      }
    }
  }

  @Test func aFormShowsItsFields() {
    expectScreen(
      render(JobForm(store: Queue.store()), size: CanvasSize(rows: 8, columns: 40)),
      """
      Name
              shown in the list
      Notes

      Urgent  [ ]
      Size    ‹ small ›
      [ Add ]
      """)
  }

  @Test func keysEditTheFieldWithTheFocus() {
    let store = Queue.store()
    let tester = TerminalTester(JobForm(store: store), rows: 10, columns: 40)
    tester.type("café q?")
    #expect(store.name == "café q?")
    tester.press("tab")
    tester.type("one")
    tester.press("enter")
    tester.press(.paste("two\nthree"))
    #expect(store.notes == "one\ntwo\nthree")
    tester.press("tab", "space", "down", "right", "right")
    #expect(store.isUrgent)
    #expect(store.size == .large)
    #expect(tester.lines.contains { $0.contains("too large") })
    tester.press("shift-tab", "shift-tab", "shift-tab", "enter")
    #expect(store.jobs.last?.name == "café q?")
    #expect(store.name == "")
    #expect(tester.lines[0] == "Name")
  }

  /// Enter once changed the value of a picker or a toggle, and went on from a text field.
  @Test func enterGoesOnInEveryFieldOfAForm() {
    let store = Queue.store()
    let tester = TerminalTester(JobForm(store: store), rows: 10, columns: 40)
    tester.press("tab", "tab", "enter", "enter")
    #expect(!store.isUrgent && store.size == .small)
    let count = store.jobs.count
    tester.press("enter")
    #expect(store.jobs.count == count + 1)
  }

  @Test func aFormThatIsTooLongScrollsToTheFocus() {
    let tester = TerminalTester(JobForm(store: Queue.store()), rows: 3, columns: 20)
    #expect(tester.lines[0] == "Name")
    tester.press("shift-tab")
    #expect(tester.lines.contains { $0.contains("[ Add ]") }, "\(tester.lines)")
  }

  struct NameField: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView { Field("Name of the job") { TextField(text: store.binding(\.name)) } }
  }

  @Test func fieldsInOtherViewsAndInAResizedFormHaveTheirLabelsBeside() {
    let store = Queue.store()
    store.send(.binding(.set(\.name, "web")))
    let view = Form {
      NameField(store: store)
      Field("Urgent") { Toggle(isOn: store.binding(\.isUrgent)) }
    }
    let tester = TerminalTester(view, rows: 5, columns: 30)
    #expect(tester.lines == ["Name of the job", "  web", "Urgent", "  [ ]", ""])
    tester.resize(rows: 5, columns: 60)
    #expect(tester.lines == ["Name of the job  web", "Urgent           [ ]", "", "", ""])
    tester.resize(rows: 5, columns: 30)
    #expect(tester.lines == ["Name of the job", "  web", "Urgent", "  [ ]", ""])
  }

  @Test func aTextChangedByAnotherClientReplacesTheLine() {
    let store = Queue.store()
    let tester = TerminalTester(JobForm(store: store), rows: 8, columns: 40)
    tester.type("milk")
    store.send(.binding(.set(\.name, "bread")))
    tester.type("s")
    #expect(store.name == "breads")
  }

  @Test func pastedTextIsNoCommand() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 8, columns: 60, hasHelpLine: true)
    tester.press(.paste("ddaa\n"))
    #expect(store.jobs.count == 3)
    #expect(tester.lines.last == "pasted text is ignored where no text is edited")
  }

  @Test func tabsOpenScreens() {
    let tester = TerminalTester(
      Tabs {
        Tab("one") { Text("first") }
        Tab("two") { Text("second") }
      }, rows: 3, columns: 30)
    tester.expect(
      """
      ─┤1 one├ 2 two ───────────────
      first
      """)
    tester.press("tab")
    #expect(tester.lines[1] == "second")
    tester.press("1")
    #expect(tester.lines[1] == "first")
    tester.press(.click(row: 0, column: 10))
    #expect(tester.lines[1] == "second")
  }

  @Test func tabMovesTheFocusBeforeItOpensTheNextTab() {
    let store = Queue.store()
    let tester = TerminalTester(
      Tabs {
        Tab("form") { JobForm(store: store) }
        Tab("text") { Text("other") }
      }, rows: 10, columns: 40)
    tester.press("tab", "tab", "space")
    #expect(store.isUrgent)
    tester.press("2", "tab")
    #expect(tester.lines[1] == "Name")
  }

  @Test func helpListsTheKeys() {
    let tester = TerminalTester(QueueView(store: Queue.store()), rows: 20, columns: 60, hasHelpLine: true)
    tester.press("?")
    #expect(tester.lines.contains { $0.contains("d") && $0.contains("delete") && $0.contains("│") })
    tester.press("esc")
    #expect(!tester.lines.contains { $0.contains("│") })
    #expect(tester.unhandledKeys.isEmpty)
    tester.press("q")
    #expect(tester.unhandledKeys == [.character("q")])
  }
}
