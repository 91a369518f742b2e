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
