import ComposableArchitecture
import Features
import Glibc
import ReplicaCore
import Terminal
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
    var terminal = TestTerminal(columns: 80)
    terminal.content.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    terminal.state?.counter.count = 5
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
    var terminal = TestTerminal(columns: columns)
    terminal.content.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    #expect(terminal.lines[0] == title)
  }

  /// A stop is nobody's failure; a hub that has crashed, or does not answer, is.
  @Test(arguments: [(80, "hub stopped, this is 12 s old; waiting for it, attempt 3"), (20, "hub stopped 12 s")])
  func aHubThatHasSaidGoodbyeIsNotCalledLost(columns: Int, words: String) {
    var terminal = TestTerminal(columns: columns)
    terminal.content.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    #expect(!terminal.lines[0].contains("stopped"))
    terminal.content.goodbye = "the hub stops: received SIGTERM"
    #expect(terminal.lines[0].hasSuffix(words) && !terminal.lines[0].contains("away"))
  }

  @Test func withoutAStateItSaysWhatItWaitsFor() {
    var terminal = TestTerminal(columns: 60)
    terminal.state = nil
    terminal.content.connection = .connecting(attempt: 4, failure: "cannot connect: nobody there")
    #expect(terminal.lines[0].contains("no hub yet, attempt 4"))
    #expect(terminal.lines.contains { $0.contains("waiting for the hub") })
    #expect(terminal.lines.contains { $0.contains("nobody there") })
    #expect(terminal.press("+") == nil)
    #expect(terminal.press("q") == .quit)
  }

  @Test func aStateThatIsLoadingIsCounted() {
    var terminal = TestTerminal(columns: 60)
    terminal.state = nil
    terminal.content.loadedByteCount = 12_345_678
    #expect(
      terminal.lines.contains { $0.contains("loading the state") } && terminal.lines.contains { $0.contains("12.3 MB") }
    )
  }

  @Test func theHelpNamesTheKeysOfItsScreen() {
    var terminal = TestTerminal(rows: 24, columns: 80)
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
    let common: Set<Substring> = ["another", "screen", "undo", "last", "suspend", "quit"]
    for key in ["1", "2", "3", "4", "5"] as [Key] {
      var terminal = TestTerminal(rows: 6, columns: columns)
      terminal.content.attendees = []
      terminal.content.activity = []
      terminal.press(key)
      #expect(terminal.lines[5].contains("?") && terminal.lines[5].contains("q"), "\(terminal.lines)")
      terminal.press("?")
      var words: Set<Substring> = []
      for _ in 0..<120 {
        words.formUnion(terminal.lines[2..<5].joined(separator: " ").split(separator: " "))
        terminal.press(.down)
      }
      #expect(words.isSuperset(of: common), "\(common.subtracting(words)) at \(columns)")
    }
  }

  /// Not an error, which a user who looks away must not miss.
  @Test func aNoticeDisappearsByItself() {
    var terminal = TestTerminal()
    func line(after seconds: Int) -> String {
      terminal.content.now = .seconds(100 + seconds)
      terminal.screens.follow(terminal.content)
      return terminal.lines[11]
    }
    terminal.press("u")
    let notice = line(after: 0)
    func next() -> Duration? { terminal.screens.nextChange(after: terminal.content.now) }
    #expect(notice.contains("undo") && next() == .seconds(105))
    #expect(line(after: 4) == notice)
    #expect(line(after: 5).hasPrefix("+ ") && next() == nil)
    terminal.screens.say("the hub refused the action", isBad: true)
    #expect(line(after: 100) == "the hub refused the action" && next() == nil)
  }

  @Test func aMessageStandsUntilTheNextKey() {
    var terminal = TestTerminal()
    terminal.screens.say("the hub refused the action", isBad: true)
    #expect(terminal.lines[11] == "the hub refused the action")
    terminal.press(.up)
    #expect(terminal.lines[11].hasPrefix("+ "))
  }

  @Test func aLongMessageHasSeveralLines() {
    var terminal = TestTerminal(rows: 12, columns: 60)
    terminal.screens.say(
      "the hub refused the action: user 1001 may not send todos.todos[0].completionChanged; its operator can grant it",
      isBad: true)
    #expect(terminal.lines.suffix(2).joined(separator: " ").contains("can grant it"))
    // A click on the message is no click on the content below it.
    terminal.change { $0.todos = Todos.State(todos: [Todo.State(id: 0, text: "bread")]) }
    terminal.press("2")
    terminal.screens.say(String(repeating: "words ", count: 80), isBad: true)
    #expect(terminal.lines[4].hasPrefix("words") && terminal.lines[2].contains("1 to do"))
    #expect(terminal.press(.click(row: 4, column: 3)) == nil)
    #expect(terminal.lines[4] == "› [ ] bread")
    #expect(terminal.press(.click(row: 4, column: 3)) != nil)
  }

  /// Adds actions to the content. The seconds of their times are the last digits of their numbers, in all time zones.
  private func add(_ range: ClosedRange<UInt64>, to terminal: inout TestTerminal, name: String = "act") {
    let added = range.map { number in
      Activity(
        id: Activity.ID(number), revision: number,
        time: 1_700_000_000_000 / 60_000 * 60_000 + Int64(number % 10) * 1000,
        who: "alice storeterm", name: name, what: "\(name) \(number)")
    }
    terminal.content.activity = (terminal.content.activity ?? []) + added
    terminal.screens.follow(terminal.content)
  }

  @Test func theLastActionIsInSightUnlessAnotherOneIsChosen() {
    var terminal = TestTerminal(rows: 12, columns: 60)
    func isChosen(_ number: Int, _ line: String) -> Bool {
      line.hasPrefix("› ") && line.hasSuffix(":0\(number % 10)  alice storeterm  act \(number)")
    }
    add(1...20, to: &terminal)
    terminal.press("4")
    #expect(terminal.lines[2] == "the last 20 actions" && isChosen(20, terminal.lines[9]))
    #expect(terminal.lines[10].hasSuffix("─ 20/20 ─"))
    add(21...21, to: &terminal)
    #expect(isChosen(21, terminal.lines[9]))
    terminal.press(.up)
    add(22...30, to: &terminal)
    #expect(terminal.lines.contains { isChosen(20, $0) })
    for key in ["/", "2", "7", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.lines.contains { isChosen(27, $0) } && terminal.highlighted == ["27"])
    terminal.press(.escape)
    terminal.press(.end)
    add(31...31, to: &terminal)
    #expect(terminal.lines.contains { isChosen(31, $0) } && terminal.highlighted.isEmpty)
  }

  /// The log applies the filter, so that it finds as many actions as it can; the screen has its text.
  @Test func theActivityHasAFilter() {
    var terminal = TestTerminal(rows: 12, columns: 80)
    add(1...3, to: &terminal)
    add(4...4, to: &terminal, name: "counter.timerTicked")
    terminal.press("4")
    terminal.press("f")
    for character in "alice -x" { terminal.press(.character(character)) }
    #expect(terminal.lines[11].hasPrefix("filter: alice -x"))
    #expect(terminal.screens.activityFilter == ActionFilter("alice -x"))
    terminal.content.examinedActivityCount = 50
    #expect(terminal.lines[2].hasPrefix("4 of the last 50 actions") && terminal.lines[2].hasSuffix("filter: alice -x"))
    #expect(terminal.highlighted.allSatisfy { $0 == "alice" } && terminal.highlighted.count == 4)
    // The keys of the list are text until Enter.
    #expect(terminal.press(.enter) == nil && !terminal.lines[11].hasPrefix("filter"))
    // The name of the action at the cursor.
    terminal.press("-")
    #expect(terminal.screens.activityFilter == ActionFilter("alice -x -counter.timerTicked"))
    terminal.press(.escape)
    #expect(terminal.screens.activityFilter.isEmpty)
    terminal.press("-")
    #expect(terminal.screens.activityFilter.excludedWords == ["counter.timerticked"])
    terminal.content.activity = []
    terminal.screens.follow(terminal.content)
    #expect(terminal.lines.contains("no action matches"))
    terminal.press("f")
    terminal.press(.escape)
    #expect(terminal.screens.activityFilter.isEmpty && terminal.lines[2] == "nothing was done yet")
  }

  @Test func enterAsksForTheDetailsOfAnAction() {
    var terminal = TestTerminal(rows: 20, columns: 80)
    add(1...3, to: &terminal)
    terminal.press("4")
    #expect(terminal.press(.enter) == .showDetails(Activity.ID(3)))
    var details = ActivityDetails(time: 1_700_000_000_123, revision: 3)
    details.action = "todos.addButtonTapped \"bread\""
    details.sender = ActivityDetails.Sender(user: "alice", program: "storectl send", process: 4001, connection: 65537)
    details.changes = (0..<30).map { (path: "todos.todos[\($0)]", change: "added: \($0)") }
    terminal.screens.show(details)
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
    var terminal = TestTerminal(rows: 6, columns: 20)
    terminal.content.attendees = []
    terminal.content.activity = []
    terminal.press("5")
    #expect(terminal.lines[1] == "─ 1  2  3  4 ┤5├────")
  }

  @Test func aClickOpensATab() {
    var terminal = TestTerminal()
    terminal.press(.click(row: 1, column: 16))
    #expect(terminal.screens.tab == .todos)
    terminal.press(.click(row: 1, column: 50))
    #expect(terminal.screens.tab == .todos)
  }

  @Test func tabsAreReachedByTheirNumbersAndOneAfterTheOther() {
    var terminal = TestTerminal(columns: 60)
    func open() -> String { terminal.lines[1].split { "┤├".contains($0) }.dropFirst().first.map(String.init) ?? "" }
    #expect(terminal.lines[1] == "─┤1 counter├ 2 todos  3 favourites " + String(repeating: "─", count: 25))
    terminal.press(.tab)
    #expect(open() == "2 todos")
    terminal.press("3")
    #expect(open() == "3 favourites")
    terminal.press(.tab)
    #expect(open() == "1 counter")
    terminal.press(.backTab)
    #expect(open() == "3 favourites")
    terminal.press("4")
    #expect(open() == "3 favourites")
  }

  /// A screen whose part has not arrived says so; the others work, and the keys pressed there are not lost.
  @Test func aPartThatIsLoadingKeepsNobodyWaiting() {
    var terminal = TestTerminal(columns: 60)
    terminal.content.loading = [.todos]
    #expect(terminal.press("+") == .send(.counter(.incrementButtonTapped)))
    terminal.press("2")
    #expect(terminal.lines.contains { $0.contains("loading the todos …") })
    terminal.press("1")
    #expect(terminal.screens.tab == .counter)
    terminal.press("2")
    for key in ["a", "q", "1"] as [Key] { #expect(terminal.press(key) == nil) }
    #expect(terminal.screens.tab == .todos && terminal.screens.keysAhead(terminal.content).isEmpty)
    terminal.content.loading = []
    let keys = terminal.screens.keysAhead(terminal.content)
    terminal.screens.forgetKeysAhead()
    #expect(keys == ["a", "q", "1"])
    for key in keys { terminal.press(key) }
    #expect(terminal.press(.enter) == .send(.todos(.addButtonTapped(text: "q1"))))
    #expect(terminal.screens.keysAhead(terminal.content).isEmpty)
  }

  @Test func escapeDiscardsTheKeysOfAScreenThatIsLoading() {
    var terminal = TestTerminal(columns: 60)
    terminal.content.loading = [.todos]
    for key in ["2", "a", "d", .escape, "3"] as [Key] { terminal.press(key) }
    #expect(terminal.screens.tab == .favourites)
  }

  @Test func keysBeyondTheLimitOfAScreenThatIsLoadingAreReported() {
    var terminal = TestTerminal(rows: 12, columns: 80)
    terminal.content.loading = [.todos]
    terminal.press("2")
    for _ in 0..<1000 { terminal.press("a") }
    #expect(!terminal.lines[11].contains("1000"))
    terminal.press("a")
    #expect(terminal.lines[11] == "only the first 1000 keys are kept while this is loading; esc discards them")
  }

  @Test func aSearchTextBeyondTheLimitIsReported() {
    var terminal = TestTerminal(rows: 12, columns: 60)
    terminal.press("2")
    terminal.press("/")
    terminal.press(.paste(String(repeating: "x", count: TextLine.limit + 1)))
    #expect(terminal.lines[11] == "the text is full at 4096 bytes; 1 byte was not added")
  }

  @Test func whoIsAttachedHasATabOnlyWhereThatIsKnown() {
    var terminal = TestTerminal(columns: 60)
    terminal.content.attendees = []
    terminal.press("4")
    #expect(terminal.lines[1].contains("┤4 presence├"))
    terminal.content.attendees = nil
    terminal.screens.follow(terminal.content)
    #expect(terminal.lines[1].contains("┤1 counter├") && !terminal.lines[1].contains("presence"))
  }

  @Test func whatIsWrittenIsNoCommand() {
    var terminal = TestTerminal(columns: 60)
    terminal.press("2")
    terminal.press("a")
    for key in [Key.character("q"), .character("1"), .tab, .control("d"), .character("f")] {
      #expect(terminal.press(key) == nil)
    }
    #expect(terminal.screens.tab == .todos)
    #expect(terminal.screens.todos.writing?.line.text == "q1f")
    #expect(terminal.press(.control("c")) == .interrupt && terminal.press(.control("z")) == .stop)
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
        var terminal = TestTerminal(rows: rows, columns: columns)
        terminal.state = state
        terminal.content.connection = connection
        terminal.content.attendees = [Attendee(id: 1, name: long, process: .max, user: .max)]
        terminal.content.activity = [
          Activity(id: Activity.ID(1), revision: 1, time: 0, who: long, name: long, what: long)
        ]
        for key in ["1", "2", "a", "語", .escape, .tab, .tab] as [Key] {
          terminal.press(key)
          let lines = terminal.lines
          #expect(lines.count == rows && lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        }
        #expect(terminal.screens.tab == .presence)
        terminal.press(.tab)
        #expect(terminal.lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
      }
    }
  }

  @Test func inASmallWindowTheScreenItselfHasMostOfTheRoom() {
    var terminal = TestTerminal(rows: 5, columns: 20)
    terminal.state?.todos = Todos.State(
      todos: [Todo.State(id: 0, text: "bread and butter pudding"), Todo.State(id: 1, text: "milk")])
    terminal.press("2")
    #expect(
      terminal.lines == [
        "StoreHub  live", "─ 1 ┤2 todos├ 3 ────", "› [ ] bread and but…", "  [ ] milk", "a e spc d JK f u ? q",
      ])
  }

  /// A hub of another version may lack a part.
  @Test func keysOfAPartThatTheHubLacksChangeNothing() {
    var terminal = TestTerminal()
    terminal.content.parts?.counter = nil
    #expect(terminal.press("+") == nil && terminal.screens.lastActionNumber == 0)
    #expect(terminal.press("u") == nil && terminal.lines.last == "nothing to undo on this screen")
    terminal.press("3")
    #expect(terminal.press("+") == .send(.favourites(.view(.incrementButtonTapped))))
    #expect(terminal.screens.lastActionNumber == 1)
  }
}
