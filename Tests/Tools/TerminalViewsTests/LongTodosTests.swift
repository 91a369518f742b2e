import ComposableArchitecture
import Features
import Glibc
import TerminalApp
import TerminalUI
import TerminalViews
import Testing
import Wire

/// The screen of a list of which only a window is here.
@MainActor
@Suite struct LongTodosTests {
  /// A hub, and a terminal with a window of its list.
  private final class Bench {
    let hub: StoreOf<Todos>
    let model: TerminalModel
    private(set) var start = 0
    private(set) var isAllNeeded = false
    private(set) var filter = TodoFilter.all
    private var shownStart = 0
    private let tester: TerminalTester

    /// - Parameter servesFilters: True for a hub with views of the filters.
    init(_ count: Int, servesFilters: Bool = false) {
      setlocale(LC_CTYPE, "C.UTF-8")
      let status = ConnectionStatus("StoreHub", path: "/run/hub.sock", now: .seconds(100))
      status.connection = .live
      model = TerminalModel(status) { _, _, _ in }
      tester = TerminalTester(ScreensView(model), rows: 12, columns: 60, hasHelpLine: true)
      let todos = (0..<count).map { Todo.State(id: $0, text: "todo \($0)") }
      hub = Store(initialState: Todos.State(todos: IdentifiedArray(uniqueElements: todos))) {
        Reduce<Todos.State, Todos.Action> { state, action in
          _ = Todos().reduce(into: &state, action: action)
          return .none
        }
      }
      model.counter.show(Store(initialState: Counter.State()) { Counter() })
      model.favourites.show(Store(initialState: FavouriteNumbers.State()) { FavouriteNumbers() })
      show(.all, servesFilters)
      press("2")
    }

    private func show(_ filter: TodoFilter, _ servesFilters: Bool) {
      let long = LongTodos(
        hub.scope(
          state: { [weak self] in
            Window(of: $0.todos(showing: filter), from: self?.shownStart ?? 0, count: LongTodos.windowSize)
          }, action: { $0 }), showing: filter)
      long.onMove = { [weak self] in self?.start = $0 }
      long.onNeedOfAll = { [weak self] in self?.isAllNeeded = true }
      if servesFilters { long.onFilter = { [weak self] in self?.filter = $0 } }
      model.longTodos = long
      let nextID = hub.scope(state: { $0.nextID }, action: { (never: Never) -> Todos.Action in })
      model.todos.show(long.store(nextID: nextID))
    }

    /// Lets the hub send the todos of the requested filter.
    func answerFilter() {
      (start, shownStart) = (0, 0)
      show(filter, true)
    }

    /// Lets the hub answer: the window is where it was requested.
    func answer() {
      shownStart = start
      // Any change lets the views look.
      hub.send(.addButtonTapped(text: "another"))
    }

    func press(_ names: String...) {
      for name in names { tester.press(name) }
      _ = tester.lines
    }

    func type(_ text: String) { tester.type(text) }

    var lines: [String] { tester.lines }
    var cursor: String { lines.first { $0.hasPrefix("›") } ?? "" }
  }

  @Test func theWindowFollowsTheScreen() {
    let bench = Bench(2000)
    #expect(bench.lines[1].hasPrefix("2000 todos") && bench.cursor == "› [ ] todo 0")
    bench.press("end")
    #expect(bench.cursor == "› [ ] …" && bench.start > 1700)
    // Keys do not wait, and are not for what is not here.
    bench.press("d", "space", "up")
    #expect(bench.hub.todos.count == 2000 && bench.cursor == "› [ ] …")
    bench.answer()
    #expect(bench.cursor == "› [ ] todo 1998", "\(bench.lines)")
    bench.press("space")
    #expect(bench.hub.todos[id: 1998]?.isComplete == true && bench.hub.activeCount == 2000)
    bench.press("e")
    bench.type("!")
    bench.press("enter")
    #expect(bench.hub.todos[id: 1998]?.text == "todo 1998!")
    bench.press("K")
    #expect(bench.hub.todos.index(id: 1998) == 1997)
  }

  @Test func aKeyAtTheEndOfTheWindowDoesNotTakeItForThatOfTheList() {
    let bench = Bench(2000)
    for _ in 0..<255 { bench.press("down") }
    #expect(bench.cursor == "› [ ] todo 255" && bench.start > 0)
    // What follows it is not known: an undo would not find its place.
    bench.press("d", "J")
    #expect(bench.hub.todos.count == 2000 && bench.hub.todos.index(id: 255) == 255)
    bench.answer()
    bench.press("d")
    #expect(bench.hub.todos[id: 255] == nil && bench.cursor == "› [ ] todo 256")
  }

  @Test func theCursorStaysOnItsTodoWhereverOthersMoveIt() {
    let bench = Bench(2000)
    bench.press("pagedown")
    let line = bench.cursor
    #expect(line == "› [ ] todo 7")
    for id in 0..<3 { bench.hub.send(.deleteButtonTapped(id: id)) }
    #expect(bench.cursor == line)
  }

  @Test func aFilterIsAWindowOfTheHubsView() {
    let bench = Bench(2000, servesFilters: true)
    for id in 0..<1500 { bench.hub.send(.todos(.element(id: id, action: .completionChanged(true)))) }
    bench.press("f")
    // What is here is shown until the others have arrived.
    #expect(bench.filter == .active && !bench.isAllNeeded && bench.lines[1].hasPrefix("2000 todos"))
    bench.answerFilter()
    #expect(bench.lines[1].hasPrefix("500 to do") && bench.lines[1].contains("[active]"), "\(bench.lines)")
    #expect(bench.cursor == "› [ ] todo 1500")
    bench.press("space")
    #expect(bench.hub.todos[id: 1500]?.isComplete == true)
    #expect(bench.lines[1].hasPrefix("499 to do") && bench.cursor == "› [ ] todo 1501")
    // Twice, before the first answer.
    bench.press("f", "f")
    #expect(bench.filter == .all)
    bench.press("f", "f")
    #expect(bench.filter == .completed)
    bench.answerFilter()
    #expect(bench.lines[1].hasPrefix("1501 completed") && bench.lines[1].contains("[completed]"), "\(bench.lines)")
    bench.press("end")
    bench.answer()
    #expect(bench.cursor == "› [x] todo 1500", "\(bench.lines)")
  }

  @Test(arguments: ["f", "/", "u"])
  func whatNeedsAllTodosLoadsThem(key: String) {
    let bench = Bench(1500)
    #expect(!bench.isAllNeeded)
    bench.press(key)
    #expect(bench.isAllNeeded && bench.lines.last == "loading all 1500 todos for this; then press it again")
    #expect(bench.lines[1].contains("loading all"))
    bench.model.longTodos = nil
    bench.model.todos.show(bench.hub)
    #expect(bench.lines[1].hasPrefix("1500 to do") && bench.cursor == "› [ ] todo 0")
    bench.press("f")
    #expect(bench.lines[1].contains("[active]"))
  }

  @Test func theCursorDoesNotWaitForAnAddedTodo() {
    let bench = Bench(1500)
    bench.press("a")
    bench.type("new")
    bench.press("enter")
    #expect(bench.lines.last == "added at the end of the open todos" && bench.lines[1].hasPrefix("1501 todos"))
    bench.press("end")
    bench.answer()
    bench.press("up")
    #expect(bench.cursor.hasSuffix("todo 1499") || bench.cursor.hasSuffix("new"), "\(bench.lines)")
    let cursor = bench.cursor
    bench.hub.send(.deleteButtonTapped(id: 3))
    #expect(bench.cursor == cursor)
  }

  @Test func clearingAsksWithoutANumber() {
    let bench = Bench(1500)
    bench.press("c")
    #expect(bench.lines.contains { $0.contains("Delete all completed todos for all?") })
  }
}
