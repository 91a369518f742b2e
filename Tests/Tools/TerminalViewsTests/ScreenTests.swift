import ComposableArchitecture
import Features
import Glibc
import ReplicaCore
import Terminal
import TerminalApp
import TerminalUI
import Testing
import TurnLog
import Wire

@testable import TerminalViews

/// The properties of all screens: the frame, the tabs, and drawing in any size.
@Suite struct ScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test func aHubThatIsAwayIsNamedWithTheAgeOfWhatIsShown() {
    let terminal = TestTerminal(columns: 80)
    terminal.status.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    terminal.change { $0.counter.count = 5 }
    #expect(terminal.lines[0] == "StoreHub  /run/hub.sock  hub away, this is 12 s old; reconnecting, attempt 3")
    #expect(terminal.lines.contains { $0.contains("5") })
  }

  @Test(
    arguments: [
      (80, "StoreHub  /run/hub.sock  hub away, this is 12 s old; reconnecting, attempt 3"),
      (65, "StoreHub  hub away, this is 12 s old; reconnecting, attempt 3"),
      (52, "hub away, this is 12 s old; reconnecting, attempt 3"), (30, "StoreHub  hub away 12 s"),
      (20, "hub away 12 s"),
    ])
  func howThingsStandIsSaidInAsManyWordsAsFit(columns: Int, title: String) {
    let terminal = TestTerminal(columns: columns)
    terminal.status.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    #expect(terminal.lines[0] == title)
  }

  /// A stop is nobody's failure; a hub that has crashed, or does not answer, is.
  @Test(arguments: [(80, "hub stopped, this is 12 s old; waiting for it, attempt 3"), (20, "hub stopped 12 s")])
  func aHubThatHasSaidGoodbyeIsNotCalledLost(columns: Int, words: String) {
    let terminal = TestTerminal(columns: columns)
    terminal.status.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    #expect(!terminal.lines[0].contains("stopped"))
    terminal.status.goodbye = "the hub stops: received SIGTERM"
    #expect(terminal.lines[0].hasSuffix(words) && !terminal.lines[0].contains("away"))
  }

  @Test func withoutAStateItSaysWhatItWaitsFor() {
    let terminal = TestTerminal(columns: 60, parts: [])
    terminal.status.connection = .connecting(attempt: 4, failure: "cannot connect: nobody there")
    #expect(terminal.lines[0].contains("not connected, attempt 4"))
    #expect(terminal.lines.contains { $0.contains("waiting for the hub") })
    #expect(terminal.lines.contains { $0.contains("nobody there") })
    #expect(terminal.press("+") == nil)
    #expect(terminal.press("q") == .quit)
  }

  @Test func aStateThatIsLoadingIsCounted() {
    let terminal = TestTerminal(columns: 60, parts: [])
    terminal.status.loadedByteCount = 12_345_678
    #expect(
      terminal.lines.contains { $0.contains("loading the state") } && terminal.lines.contains { $0.contains("12.3 MB") }
    )
  }

  @Test func theHelpNamesTheKeysOfItsScreen() {
    let terminal = TestTerminal(rows: 24, columns: 80)
    terminal.press("2")
    terminal.press("?")
    #expect(terminal.lines.contains { $0.contains("Keys: todos") } && terminal.lines.contains { $0.contains("search") })
    terminal.press(.down)
    #expect(terminal.lines.contains { $0.contains("Keys: todos") })
    #expect(terminal.press("q") == nil)
    #expect(!terminal.lines.contains { $0.contains("Keys: todos") })
    #expect(terminal.press("q") == .quit)
  }

  /// Also where there is room for few keys, or for a few lines of the help.
  @Test(arguments: [10, 14, 20, 26, 40, 54, 60, 70, 80, 100]) func everyScreenNamesTheKeyOfItsHelp(columns: Int) {
    let common: Set<Substring> = ["screen", "suspend", "quit"]
    for key in ["1", "2", "3", "4", "5"] as [Key] {
      let terminal = TestTerminal(rows: 6, columns: columns)
      terminal.showAttendees([])
      terminal.showActivity()
      terminal.press(key)
      #expect(terminal.lines[5].contains("?") && terminal.lines[5].contains("q"), "\(terminal.lines)")
      terminal.press("?")
      var words: Set<Substring> = []
      for _ in 0..<120 {
        words.formUnion(terminal.lines[1..<5].joined(separator: " ").split(separator: " "))
        terminal.press(.down)
      }
      #expect(words.isSuperset(of: common), "\(common.subtracting(words)) at \(columns)")
    }
  }

  /// Not an error, which a user who looks away must not miss.
  @Test func aMessageDisappearsByItself() {
    let terminal = TestTerminal()
    terminal.press("u")
    #expect(terminal.lines[11] == "nothing to undo on this screen")
    terminal.advance(by: .seconds(4))
    #expect(terminal.lines[11] == "nothing to undo on this screen")
    terminal.advance(by: .seconds(1))
    #expect(terminal.lines[11].hasPrefix("+ "))
  }

  /// Adds actions to the screen. The seconds of their times are the last digits of their numbers, in all time zones.
  @discardableResult
  private func add(_ range: ClosedRange<UInt64>, to terminal: TestTerminal, name: String = "act") -> ActivityModel {
    let added = range.map { number in
      Activity(
        id: Activity.ID(number), revision: number,
        time: 1_700_000_000_000 / 60_000 * 60_000 + Int64(number % 10) * 1000,
        who: "alice storeterm", name: name, what: "\(name) \(number)")
    }
    let activity = terminal.showActivity((terminal.model.activity?.entries ?? []) + added)
    activity.now = 1_700_000_000_000
    return activity
  }

  @Test func theLastActionIsInSightUnlessAnotherOneIsChosen() {
    let terminal = TestTerminal(rows: 12, columns: 60)
    func isChosen(_ number: Int, _ line: String) -> Bool {
      line.hasPrefix("› ") && line.hasSuffix(":0\(number % 10)  alice storeterm  act \(number)")
    }
    add(1...20, to: terminal)
    terminal.press("4")
    #expect(terminal.lines[2] == "the last 20 actions" && isChosen(20, terminal.lines[9]))
    #expect(terminal.lines[10].hasSuffix("─ 20/20 ─"))
    add(21...21, to: terminal)
    #expect(isChosen(21, terminal.lines[9]))
    terminal.press(.up)
    add(22...30, to: terminal)
    #expect(terminal.lines.contains { isChosen(20, $0) })
    for key in ["/", "2", "7", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.lines.contains { isChosen(27, $0) } && terminal.highlighted == ["27"])
    terminal.press(.escape)
    terminal.press(.end)
    add(31...31, to: terminal)
    #expect(terminal.lines.contains { isChosen(31, $0) } && terminal.highlighted.isEmpty)
  }

  /// The log applies the filter, so that it finds as many actions as it can; the screen has its text.
  @Test func theActivityHasAFilter() {
    let terminal = TestTerminal(rows: 12, columns: 80)
    add(1...3, to: terminal)
    let activity = add(4...4, to: terminal, name: "counter.timerTicked")
    terminal.press("4")
    terminal.press("f")
    for character in "alice -x" { terminal.press(.character(character)) }
    #expect(terminal.lines[9] == "filter: alice -x")
    #expect(activity.filter == ActionFilter("alice -x"))
    activity.examinedCount = 50
    #expect(terminal.lines[2].hasPrefix("4 of the last 50 actions") && terminal.lines[2].hasSuffix("filter: alice -x"))
    #expect(terminal.highlighted.allSatisfy { $0 == "alice" } && terminal.highlighted.count == 4)
    // The keys of the list are text until Enter.
    #expect(terminal.press(.enter) == nil && !terminal.lines[9].hasPrefix("filter"))
    // The name of the action at the cursor.
    terminal.press("-")
    #expect(activity.filter == ActionFilter("alice -x -counter.timerTicked"))
    terminal.press(.escape)
    #expect(activity.filter.isEmpty)
    terminal.press("-")
    #expect(activity.filter.excludedWords == ["counter.timerticked"])
    activity.entries = []
    #expect(terminal.lines.contains("  no action matches"))
    terminal.press("f")
    terminal.press(.escape)
    #expect(activity.filter.isEmpty && terminal.lines[2] == "nothing was done yet")
  }

  @Test func enterAsksForTheDetailsOfAnAction() {
    let terminal = TestTerminal(rows: 20, columns: 80)
    let activity = add(1...3, to: terminal)
    terminal.press("4")
    #expect(terminal.press(.enter) == .showDetails(Activity.ID(3)))
    var details = ActivityDetails(time: 1_700_000_000_123, revision: 3)
    details.action = "todos.addButtonTapped \"bread\""
    details.sender = ActivityDetails.Sender(user: "alice", program: "storectl send", process: 4001, connection: 65537)
    details.changes = (0..<30).map { (path: "todos.todos[\($0)]", change: "added: \($0)") }
    activity.details = details
    var text = terminal.lines.joined(separator: "\n")
    for part in ["┌ Action", "\"bread\"", "alice", "storectl send", "4001", "65537", ".123", "todos.todos[0]"] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(!text.contains("todos.todos[29]"))
    terminal.press(.end)
    text = terminal.lines.joined(separator: "\n")
    #expect(text.contains("todos.todos[29]"))
    terminal.press(.escape)
    #expect(!terminal.lines.contains { $0.contains("┌ Action") })
  }

  @Test func onANarrowTerminalAllTabsAreShown() {
    let terminal = TestTerminal(rows: 6, columns: 20)
    terminal.showAttendees([])
    terminal.showActivity()
    terminal.press("5")
    #expect(terminal.lines[1] == "─ 1  2  3  4 ┤5├────")
  }

  @Test func aClickOpensATab() {
    let terminal = TestTerminal()
    terminal.press(.click(row: 1, column: 16))
    #expect(terminal.model.screen == .todos)
    terminal.press(.click(row: 1, column: 50))
    #expect(terminal.model.screen == .todos)
  }

  @Test func tabsAreReachedByTheirNumbersAndOneAfterTheOther() {
    let terminal = TestTerminal(columns: 60)
    #expect(terminal.lines[1] == "─┤1 counter├ 2 todos  3 favourites " + String(repeating: "─", count: 25))
    terminal.press(.tab)
    #expect(terminal.open == "2 todos")
    terminal.press("3")
    #expect(terminal.open == "3 favourites")
    terminal.press(.tab)
    #expect(terminal.open == "1 counter")
    terminal.press(.backTab)
    #expect(terminal.open == "3 favourites")
    terminal.press("4")
    #expect(terminal.open == "3 favourites")
  }

  private static let withoutTodos: Set<TerminalModel.Screen> = [.counter, .favourites]

  /// A screen whose part has not arrived says so; the others work, and the keys pressed there are not lost.
  @Test func aPartThatIsLoadingKeepsNobodyWaiting() {
    let terminal = TestTerminal(columns: 60, parts: Self.withoutTodos)
    #expect(terminal.press("+") == .send(.counter(.incrementButtonTapped)))
    terminal.press("2")
    #expect(terminal.lines.contains { $0.contains("loading the todos …") })
    terminal.press("1")
    #expect(terminal.open == "1 counter")
    terminal.press("2")
    for key in ["a", "q", "1"] as [Key] { #expect(terminal.press(key) == nil) }
    #expect(terminal.open == "2 todos")
    terminal.showTodos()
    #expect(terminal.lines[9] == "new: q1")
    #expect(terminal.press(.enter) == .send(.todos(.addButtonTapped(text: "q1"))))
  }

  @Test func escapeDiscardsTheKeysOfAScreenThatIsLoading() {
    let terminal = TestTerminal(columns: 60, parts: Self.withoutTodos)
    for key in ["2", "a", "d", .escape, "3"] as [Key] { terminal.press(key) }
    #expect(terminal.open == "3 favourites")
  }

  @Test func keysBeyondTheLimitOfAScreenThatIsLoadingAreReported() {
    let terminal = TestTerminal(rows: 12, columns: 80, parts: Self.withoutTodos)
    terminal.press("2")
    for _ in 0..<1000 { terminal.press("a") }
    #expect(!terminal.lines[11].contains("1000"))
    terminal.press("a")
    #expect(terminal.lines[11] == "only the first 1000 keys are kept while this is loading; esc discards them")
  }

  @Test func aSearchTextBeyondTheLimitIsReported() {
    let terminal = TestTerminal(rows: 12, columns: 60)
    terminal.press("2")
    terminal.press("/")
    terminal.press(.paste(String(repeating: "x", count: TextLine.limit + 1)))
    #expect(terminal.lines[11] == "the text is full at 4096 bytes; 1 byte was not added")
  }

  @Test func whoIsAttachedHasATabOnlyWhereThatIsKnown() {
    let terminal = TestTerminal(columns: 60)
    terminal.showAttendees([])
    terminal.press("4")
    #expect(terminal.open == "4 presence")
    terminal.model.attendees = nil
    #expect(terminal.open == "1 counter" && !terminal.lines[1].contains("presence"))
  }

  @Test func whatIsWrittenIsNoCommand() {
    let terminal = TestTerminal(columns: 60)
    terminal.press("2")
    terminal.press("a")
    for key in [Key.character("q"), .character("1"), .tab, .control("d"), .character("f")] {
      #expect(terminal.press(key) == nil)
    }
    #expect(terminal.open == "2 todos" && terminal.lines[9] == "new: q1f")
    terminal.press(.escape)
    #expect(terminal.press("q") == .quit)
    #expect(terminal.press(.control("d")) == .quit)
  }

  @Test(arguments: [(1, 1), (2, 5), (3, 10), (4, 12), (5, 20), (6, 20), (10, 40), (24, 80), (60, 200)])
  func everySizeIsDrawn(rows: Int, columns: Int) {
    let long = String(repeating: "wörter 水 ", count: 30)
    var state = AppFeature.State()
    state.counter.count = .min
    state.counter.numberFact = long
    state.counter.factAlert = FactAlert(title: String(repeating: "x", count: 300))
    state.todos = Todos.State(
      todos: [
        Todo.State(id: 0, text: long), Todo.State(id: 1, text: "", isComplete: true), Todo.State(id: 2, text: "水"),
      ])
    state.favourites = FavouriteNumbers.State(count: .min, favourites: [Favourite(number: .min), Favourite(number: 3)])
    var states = [state]
    state.favourites.destination = .favourites(FavouriteList.State(favourites: state.favourites.favourites))
    states.append(state)
    state.favourites.destination = .alert(AlertState { TextState(long) })
    states.append(state)
    for state in states {
      for connection in [ConnectionState.live, .refused(reason: String(repeating: "y", count: 300))] {
        let terminal = TestTerminal(rows: rows, columns: columns)
        terminal.change { $0 = state }
        terminal.status.connection = connection
        terminal.showAttendees([Attendee(id: 1, name: long, process: .max, user: .max)])
        terminal.showActivity([Activity(id: Activity.ID(1), revision: 1, time: 0, who: long, name: long, what: long)])
        for key in ["1", .escape, "2", "a", "語", .escape, .tab, .tab, .tab] as [Key] {
          terminal.press(key)
          let lines = terminal.lines
          #expect(lines.count == rows && lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        }
        #expect(terminal.model.screen == .activity)
      }
    }
  }

  @Test func inASmallWindowTheScreenItselfHasMostOfTheRoom() {
    let terminal = TestTerminal(rows: 5, columns: 20)
    terminal.change {
      $0.todos = Todos.State(
        todos: [Todo.State(id: 0, text: "bread and butter pudding"), Todo.State(id: 1, text: "milk")])
    }
    terminal.press("2")
    #expect(
      terminal.lines == [
        "StoreHub  live", "─ 1 ┤2 todos├ 3 ────", "› [ ] bread and but…", "  [ ] milk", "space e d a f c ? q",
      ])
  }

  /// A hub of another version may lack a part.
  @Test func keysOfAPartThatTheHubLacksChangeNothing() {
    let terminal = TestTerminal()
    terminal.model.counter.show(nil)
    #expect(terminal.lines.contains("this hub has no counter"))
    #expect(terminal.press("+") == nil && terminal.press("u") == nil)
    terminal.press("3")
    #expect(terminal.press("+") == .send(.favourites(.view(.incrementButtonTapped))))
    #expect(terminal.sent.count == 1)
  }
}
