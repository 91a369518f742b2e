import ComposableArchitecture
import TerminalUI
import Testing

@Suite struct TableTests {
  @Test func showsColumnsAndACursor() {
    let tester = TerminalTester(QueueView(store: Queue.store()), rows: 8, columns: 40, hasHelpLine: true)
    tester.expect(
      """
      3 jobs
        Job    State      Age
      › job 1  waiting  1 min
        job 2  waiting  2 min
        job 3  waiting  3 min


      d delete  enter start  ? help  q quit
      """)
  }

  @Test func theCursorStaysOnItsElementAndIsTheSelection() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 6, columns: 40)
    tester.press("down")
    #expect(store.selected == 2)
    store.send(.deleteButtonTapped(1))
    store.send(.alert(.presented(.deleteConfirmed(1))))
    #expect(tester.lines.contains { $0.hasPrefix("› job 2") })
    store.send(.binding(.set(\.selected, 3)))
    #expect(tester.lines.contains { $0.hasPrefix("› job 3") })
  }

  /// It was once the removed element until the user moved the cursor.
  @Test func theSelectionFollowsTheCursorWhenItsElementIsRemoved() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 6, columns: 40)
    _ = tester.screen
    #expect(store.selected == nil)
    tester.press("down")
    func remove(_ id: Int) {
      store.send(.deleteButtonTapped(id))
      store.send(.alert(.presented(.deleteConfirmed(id))))
    }
    remove(2)
    #expect(tester.lines.contains { $0.hasPrefix("› job 3") })
    #expect(store.selected == 3)
    for id in [3, 1] { remove(id) }
    _ = tester.screen
    #expect(store.selected == nil)
  }

  @Test func columnsWithoutRoomAreLeftOutAtTheEnd() {
    let tester = TerminalTester(WideTable(), rows: 5, columns: 30)
    tester.expect(
      """
        Number Name  Comment       ›
      ›      1 row 1 comment 1
             2 row 2 comment 2
             3 row 3 comment 3
             4 row 4 comment 4
      """)
    // A number is whole or not there, and what is essential stays.
    tester.resize(rows: 5, columns: 12)
    #expect(tester.lines.dropFirst().first == "› row 1")
    let scrolled = TerminalTester(WideTable(scrolled: 2), rows: 5, columns: 30)
    #expect(scrolled.lines[1] == "› row 1 more words    5")
    #expect(scrolled.lines[0].hasPrefix("‹ Name"))
  }

  @Test func theVisibleRowsAreReported() {
    let reports = Reports()
    let tester = TerminalTester(WideTable(reports: reports), rows: 5, columns: 30)
    _ = tester.screen
    #expect(reports.rows == [0..<4])
    tester.press("down")
    _ = tester.screen
    #expect(reports.rows == [0..<4])
    tester.press("end")
    _ = tester.screen
    #expect(reports.rows == [0..<4, 96..<100])
  }

  @Test func aKeyActsOnTheRowAtTheCursor() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 10, columns: 40)
    tester.press("down", "enter")
    #expect(store.jobs[id: 2]?.phase == "building")
    #expect(tester.lines.contains { $0.hasPrefix("›*job 2  building") }, "\(tester.lines)")
    tester.advance(by: .seconds(2))
    #expect(tester.lines.contains { $0.hasPrefix("› job 2  building") })
    tester.press("d")
    #expect(tester.lines.contains { $0.contains("Delete it?") })
    tester.press("left", "enter")
    #expect(store.jobs.ids == [1, 3])
    #expect(!tester.lines.contains { $0.contains("Delete it?") })
  }

  @Test func escDismissesAnAlert() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 10, columns: 40)
    tester.press("d", "esc")
    #expect(store.alert == nil)
    #expect(store.jobs.count == 3)
  }

  @Test func searches() {
    let store = Queue.store(30)
    let tester = TerminalTester(QueueView(store: store), rows: 10, columns: 40)
    tester.press("/")
    tester.type("job 2")
    #expect(store.selected == 2)
    tester.press("enter", "n")
    #expect(store.selected == 20)
    tester.press("N", "N")
    #expect(store.selected == 29)
  }

  @Test func aClickSelectsARow() {
    let store = Queue.store()
    let tester = TerminalTester(QueueView(store: store), rows: 10, columns: 40)
    tester.press(.click(row: 4, column: 5))
    #expect(store.selected == 3)
  }

  @Test func aClickOnATitleSorts() {
    let store = Queue.store()
    var sorted: [String] = []
    let tester = TerminalTester(
      Table(store.jobs) {
        TableColumn("Job", order: .ascending, sort: { sorted.append("job") }) { $0.name }
        TableColumn("State", sort: { sorted.append("state") }) { $0.phase }
      }, rows: 6, columns: 40)
    #expect(tester.lines[0] == "  Job ↑  State")
    tester.press(.click(row: 0, column: 3))
    tester.press(.click(row: 0, column: 10))
    tester.press(.click(row: 0, column: 30))
    #expect(sorted == ["job", "state"])
    #expect(tester.lines[1].hasPrefix("› job 1"))
  }

  @Test func aColumnCanHandleClicksBeHiddenAndBeLeftOutOfSearches() {
    let store = Queue.store()
    var clicked: [String] = []
    let tester = TerminalTester(
      Table(store.jobs) {
        TableColumn("") { _ in "[job]" }.unsearched().onClick { clicked.append($0.name) }
        TableColumn("") { $0.phase }.visible(fromColumns: 40)
        TableColumn("") { $0.name }
      }
      .hidesHeader().columnSpacing(1).searchable(), rows: 6, columns: 40)
    #expect(tester.lines[0] == "› [job] waiting job 1")
    tester.press(.click(row: 1, column: 3))
    tester.press(.click(row: 2, column: 10))
    tester.press(.click(row: 4, column: 3))
    #expect(clicked == ["job 2"] && tester.lines[2].hasPrefix("›"))
    tester.press("/")
    tester.type("[")
    #expect(tester.lines[2].hasPrefix("›"))
    tester.press("esc")
    tester.resize(rows: 6, columns: 39)
    #expect(tester.lines[0] == "  [job] job 1")
  }

  /// Passes an array, as the guide says.
  struct ArrayView: TerminalView {
    let store: StoreOf<Queue>
    var body: some TerminalView { List(store.jobs) { Cell("\($0.name) \($0.phase)") } }
  }

  /// The table showed what the array had contained before.
  @Test func aFieldOfAnElementOfAnArrayIsShownAnew() {
    let store = Queue.store()
    let tester = TerminalTester(ArrayView(store: store), rows: 4, columns: 40)
    #expect(tester.lines[1] == "  job 2 waiting")
    store.send(.jobs(.element(id: 2, action: .started)))
    #expect(tester.lines[1] == "  job 2 building")
  }

  @Test func aLogStaysAtItsEnd() {
    let rows = GrowingRows()
    rows.change(["one", "two"])
    let tester = TerminalTester(List(rows) { Cell($0) }.followsEnd(), rows: 6, columns: 20)
    func chosen() -> String? { tester.lines.first { $0.hasPrefix("›") } }
    #expect(chosen() == "› two")
    rows.change(["one", "two", "three"])
    #expect(chosen() == "› three")
    tester.press("up")
    rows.change(["one", "two", "three", "four"])
    #expect(chosen() == "› two")
    tester.press("end")
    rows.change(["two", "three", "four", "five"])
    #expect(chosen() == "› five")
  }

  @Test func aMillionElementsCostTheVisibleOnes() {
    var count = 0
    let store = Queue.store(1_000_000)
    let clock = ContinuousClock()
    let start = clock.now
    let tester = TerminalTester(
      Table(store.jobs, selection: store.binding(\.selected)) {
        TableColumn("Job") { job in
          count += 1
          return job.name
        }
        TableColumn("Age") { Cell($0.age) }
      }, rows: 24, columns: 80)
    #expect(tester.lines[1] == "› job 1   1 min")
    let opened = clock.now
    tester.press("end")
    #expect(tester.lines[23] == "› job 1000000  694 d 10 h")
    let moved = clock.now
    store.send(.binding(.set(\.selected, 500_000)))
    #expect(tester.lines.contains { $0.hasPrefix("› job 500000") })
    #expect(count <= 3 * 23)
    print("1,000,000 elements: opened in \(opened - start), a key took \(moved - opened)")
  }

  /// Counts the rows that a table reads.
  final class Rows: RowSource {
    var readCount = 0
    let count = 1_000_000
    func row(at offset: Int) -> String {
      readCount += 1
      return "row \(offset)"
    }
    func id(at offset: Int) -> Int { offset }
    func offset(of id: Int, near: Int) -> Int? { id }
  }

  /// Rows whose number changes without an evaluation of the view.
  final class GrowingRows: RowSource {
    private let names = ViewState(wrappedValue: ["one"])
    var count: Int { names.wrappedValue.count }
    func row(at offset: Int) -> String { id(at: offset) }
    func id(at offset: Int) -> String { names.wrappedValue[offset] }
    func change(_ names: [String]) { self.names.wrappedValue = names }
  }

  @Test(.timeLimit(.minutes(30)))
  func aTableIsDrawnAgainWhenTheNumberOrTheOrderOfItsRowsHasChanged() async {
    let rows = GrowingRows()
    let tree = ViewTree(size: CanvasSize(rows: 3, columns: 20))
    tree.show(List(rows) { _ in Cell("a row") })
    #expect(tree.draw().lines == ["› a row", "", ""])
    let (changes, change) = AsyncStream.makeStream(of: Int.self)
    tree.onChange = { change.yield(1) }
    rows.change(["two", "one"])
    // What is no change of a store is drawn a little later.
    var changed = changes.makeAsyncIterator()
    #expect(await changed.next() == 1)
    #expect(tree.draw().lines == ["  a row", "› a row", ""])
  }

  @Test func onlyVisibleRowsAreRead() {
    let rows = Rows()
    let tester = TerminalTester(List(rows) { Cell($0) }, rows: 20, columns: 40)
    #expect(tester.lines.count == 20)
    #expect(rows.readCount == 20)
    tester.press("end")
    #expect(tester.lines.last == "› row 999999")
    #expect(rows.readCount == 40)
    _ = tester.screen
    #expect(rows.readCount == 40)
  }
}

/// Keys that meet a table which is not drawn any more as the user sees it.
@Suite struct TableCautionTests {
  /// The keys of the rows and what they were for.
  private final class Pressed { var names: [String] = [] }

  /// Rows that are drawn when the test wants it: a program draws after all keys that have arrived together.
  private final class Rows: RowSource {
    var names: [String]
    init(_ names: String...) { self.names = names }
    var count: Int { names.count }
    func row(at offset: Int) -> String { names[offset] }
    func id(at offset: Int) -> String { names[offset] }
  }

  private func tree(_ view: some TerminalView) -> ViewTree {
    let tree = ViewTree(size: CanvasSize(rows: 6, columns: 40))
    tree.show(view)
    return tree
  }

  @Test func aKeyIsNotForTheNeighbourOfARowThatIsGone() {
    let (rows, pressed) = (Rows("a", "b", "c"), Pressed())
    let tree = tree(List(rows) { Cell($0) }.rowKey("d", "delete") { pressed.names.append($0) })
    #expect(tree.draw().lines[0] == "› a")
    rows.names = ["b", "c"]
    #expect(tree.press(.character("d")))
    #expect(pressed.names.isEmpty && tree.message?.text.contains("removed") == true)
    #expect(tree.draw().lines[0] == "› b")
    _ = tree.press(.character("d"))
    #expect(pressed.names == ["b"])
  }

  @Test func aKeyIsForTheHighlightedRowOfATableThatFollowsItsEnd() {
    let (rows, pressed) = (Rows("a", "b"), Pressed())
    let tree = tree(List(rows) { Cell($0) }.followsEnd().rowKey("d", "delete") { pressed.names.append($0) })
    #expect(tree.draw().lines[1] == "› b")
    rows.names = ["a", "b", "c"]
    _ = tree.press(.character("d"))
    #expect(pressed.names == ["b"])
  }

  @Test func aClickIsForTheRowThatIsOnTheScreen() {
    let (rows, pressed) = (Rows("a", "b", "c"), Pressed())
    let tree = tree(
      Table(rows) { TableColumn("Name") { $0 }.onClick { pressed.names.append($0) } })
    #expect(tree.draw().lines[1] == "› a")
    rows.names = ["b", "c", "d"]
    _ = tree.press(.click(row: 2, column: 3))
    #expect(pressed.names == ["b"])
    _ = tree.press(.click(row: 1, column: 3))
    #expect(pressed.names == ["b"] && tree.message?.text.contains("removed") == true)
  }

  @Test func aClickOnAHeadingThatIsNotThereAnyMoreDoesNothing() {
    let tree = tree(Self.columns(3))
    _ = tree.draw()
    tree.show(Self.columns(1))
    _ = tree.press(.click(row: 0, column: 25))
    #expect(tree.draw().lines[0].contains("Column 0"))
  }

  private static func columns(_ count: Int) -> some TerminalView {
    Table(CollectionRows(["row"], id: \.self)) {
      for column in 0..<count { TableColumn("Column \(column)", sort: {}) { "\($0) \(column)" } }
    }
  }
}

/// The rows that a table has reported as visible.
private final class Reports { var rows: [Range<Int>] = [] }

/// A table that is wider than the screens here.
private struct WideTable: TerminalView {
  var scrolled = 0
  var reports = Reports()

  var body: some TerminalView {
    Table(Array(1...100), id: \.self) {
      TableColumn("Number", alignment: .trailing) { "\($0)" }
      TableColumn("Name") { "row \($0)" }.essential()
      TableColumn("Comment") { "comment \($0)" }
      TableColumn("Words") { _ in "more words" }
      TableColumn("Five", alignment: .trailing) { _ in "5" }
    }
    .leavingOutColumns(scrolled: scrolled)
    .onVisibleRowsChange { reports.rows.append($0) }
  }
}
