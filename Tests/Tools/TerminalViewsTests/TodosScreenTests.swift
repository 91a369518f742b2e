import ComposableArchitecture
import Features
import Glibc
import ReplicaCore
import Terminal
import TerminalApp
import TerminalUI
import TerminalViews
import Testing

@Suite struct TodosScreenTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  private func terminal(
    _ texts: [String] = ["bread", "水 and milk", "salt"], done: Set<Int> = [], rows: Int = 12, columns: Int = 60
  ) -> TestTerminal {
    let terminal = TestTerminal(rows: rows, columns: columns)
    terminal.change { state in
      state.todos = Todos.State(
        todos: IdentifiedArray(
          uniqueElements: texts.enumerated().map { Todo.State(id: $0, text: $1, isComplete: done.contains($0)) }))
    }
    terminal.press("2")
    return terminal
  }

  /// Returns the text of the selected todo.
  private func atCursor(_ terminal: TestTerminal) -> String? { terminal.chosen.map { String($0.dropFirst(4)) } }

  @Test func aList() {
    let terminal = terminal(done: [1])
    #expect(
      terminal.lines == [
        "StoreHub  /run/hub.sock  live",
        "─ 1 counter ┤2 todos├ 3 favourites " + String(repeating: "─", count: 25),
        "2 to do                           [all]  active   completed",
        "",
        "› [ ] bread",
        "  [x] 水 and milk",
        "  [ ] salt",
        "", "", "",
        String(repeating: "─", count: 54) + " 1/3 ─",
        "space done  e edit  d delete  a add  ? help  q quit",
      ])
    #expect(terminal.reversed.map { $0.split(separator: " ").joined(separator: " ") } == ["› [ ] bread"])
  }

  /// The number in the first line is kept up to date by changes, not by counting.
  @Test func theNumberOfOpenTodosFollowsTheList() {
    let terminal = terminal()
    func change(_ change: (inout IdentifiedArrayOf<Todo.State>) -> Void) {
      terminal.change { change(&$0.todos.todos) }
      let open = terminal.state.todos.activeCount
      #expect(terminal.lines[2].hasPrefix("\(open) to do"))
    }
    change { $0[id: 1]?.isComplete = true }
    change { $0.append(Todo.State(id: 3, text: "more")) }
    change { $0.move(fromOffsets: [0], toOffset: 3) }
    change { $0.remove(id: 1) }
    change { $0[id: 0]?.text = "rolls" }
    change { $0.append(contentsOf: (4..<300).map { Todo.State(id: $0, text: "\($0)", isComplete: $0 % 3 == 0) }) }
    terminal.press("f")
    change { $0[id: 200]?.isComplete.toggle() }
    terminal.press("f")
    change { $0.removeAll(where: \.isComplete) }
    change { $0 = [Todo.State(id: 9, text: "another list", isComplete: true)] }
  }

  /// A field of an element is observed by itself, and not by who reads the list.
  @Test func whatAnotherClientTicksIsShown() {
    let terminal = TestTerminal(reduces: true)
    terminal.change {
      $0.todos = Todos.State(todos: [Todo.State(id: 0, text: "bread"), Todo.State(id: 1, text: "salt")])
    }
    terminal.press("2")
    #expect(terminal.lines[4] == "› [ ] bread")
    terminal.send(.todos(.todos(.element(id: 1, action: .completionChanged(true)))))
    #expect(terminal.lines[5] == "  [x] salt" && terminal.lines[2].hasPrefix("1 to do"))
    terminal.send(.todos(.todos(.element(id: 0, action: .textChanged("rolls")))))
    #expect(terminal.lines[4] == "› [ ] rolls")
    terminal.press("x")
    #expect(terminal.lines[4] == "› [x] rolls" && terminal.lines[2].hasPrefix("0 to do"))
  }

  @Test func anEmptyListSaysWhatToDo() {
    #expect(terminal([]).lines.contains("  no todos; press a to add one"))
    let filtered = terminal(["bread"])
    filtered.press("f")
    filtered.press("f")
    #expect(filtered.lines.contains("  no completed todos"))
  }

  @Test(
    arguments: [
      (" ", .todos(.element(id: 1, action: .completionChanged(true)))),
      ("x", .todos(.element(id: 1, action: .completionChanged(true)))), ("d", .deleteButtonTapped(id: 1)),
      (.delete, .deleteButtonTapped(id: 1)), ("c", nil), ("K", .moved(id: 1, before: 0)),
      ("J", .moved(id: 1, before: nil)), ("f", nil), ("e", nil), ("a", nil), (.up, nil), (.escape, nil),
    ] as [(Key, Todos.Action?)])
  func keysMeanWhatTheFooterSays(key: Key, action: Todos.Action?) {
    let terminal = terminal()
    terminal.press(.down)
    #expect(terminal.press(key) == action.map { .send(.todos($0)) })
  }

  @Test func whatIsDoneIsUntickedByTheSameKey() {
    let terminal = terminal(done: [0])
    #expect(terminal.press(" ") == .send(.todos(.todos(.element(id: 0, action: .completionChanged(false))))))
  }

  @Test func whatIsDoneIsClearedOnlyByWhoAnswersTheQuestion() {
    let terminal = terminal(done: [0, 1])
    #expect(terminal.press("c") == nil)
    #expect(terminal.lines.contains { $0.contains("│ Delete 2 completed todos for all? │") })
    #expect(terminal.lines[11] == "← → choose  enter keep  esc keep  tab next  ? help  q quit")
    // The non-destructive button is selected first.
    #expect(terminal.press(.enter) == nil && !terminal.lines.contains { $0.contains("Delete") })
    terminal.press("c")
    terminal.press(.left)
    #expect(terminal.reversed.contains("[ Delete ]"))
    #expect(terminal.press(.enter) == .send(.todos(.clearCompletedButtonTapped)))
    terminal.press("c")
    // A letter selects a button that deletes, and Enter presses it.
    #expect(terminal.press("d") == nil && terminal.reversed.contains("[ Delete ]"))
    #expect(terminal.press(.enter) == .send(.todos(.clearCompletedButtonTapped)))
    #expect(terminal.press("q") == .quit)
  }

  @Test func withNothingDoneThereIsNoQuestion() {
    let terminal = terminal()
    #expect(terminal.press("c") == nil)
    #expect(terminal.lines[11] == "nothing is completed")
    terminal.press(.down)
    #expect(terminal.lines[11].hasPrefix("space done"))
  }

  @Test func aClickChoosesAndAClickOnTheBoxTicks() {
    let terminal = terminal(rows: 14)
    #expect(terminal.press(.click(row: 6, column: 20)) == nil)
    #expect(atCursor(terminal) == "salt")
    #expect(
      terminal.press(.click(row: 5, column: 3))
        == .send(.todos(.todos(.element(id: 1, action: .completionChanged(true))))))
    // Rows without a todo.
    #expect(terminal.press(.click(row: 9, column: 3)) == nil)
    #expect(terminal.press(.click(row: 2, column: 3)) == nil)
    #expect(atCursor(terminal) == "水 and milk")
    terminal.press(.wheelUp)
    #expect(atCursor(terminal) == "bread")
  }

  @Test func aSearchGoesOnAtTheOtherEnd() {
    let terminal = terminal(["bread", "Milk", "salt", "milk again"])
    for key in ["/", "i", "l"] as [Key] { terminal.press(key) }
    #expect(atCursor(terminal) == "Milk" && terminal.lines[9] == "/il")
    terminal.press("k")
    terminal.press(.enter)
    #expect(atCursor(terminal) == "Milk")
    terminal.press("n")
    #expect(atCursor(terminal) == "milk again")
    terminal.press("n")
    #expect(atCursor(terminal) == "Milk")
    terminal.press("N")
    #expect(atCursor(terminal) == "milk again")
    for key in ["/", "q", "q"] as [Key] { terminal.press(key) }
    #expect(terminal.lines[11] == "not found: qq")
    #expect(terminal.press(.escape) == nil && terminal.press("q") == .quit)
  }

  @Test func aPasteIsTextOrNothing() {
    let terminal = terminal()
    #expect(terminal.press(.paste("dq\n")) == nil)
    #expect(terminal.lines[11] == "pasted text is ignored where no text is edited")
    terminal.press("a")
    terminal.press(.paste("two\r\nlines\tq\n\u{1b}"))
    #expect(terminal.lines[9] == "new: two lines q")
    #expect(terminal.press(.enter) == .send(.todos(.addButtonTapped(text: "two lines q"))))
  }

  @Test func textBeyondTheLimitIsReported() {
    let terminal = terminal()
    terminal.press("a")
    terminal.press(.paste(String(repeating: "x", count: TextLine.limit + 10)))
    #expect(terminal.lines[11] == "the text is full at 4096 bytes; 10 bytes were not added")
    terminal.press("é")
    #expect(terminal.lines[11] == "the text is full at 4096 bytes; 12 bytes were not added")
    // Also if the text ends with Enter, as in a paste that the terminal does not mark.
    #expect(terminal.press(.enter) != nil)
    #expect(terminal.lines[11] == "the text is full at 4096 bytes; 12 bytes were not added")
    terminal.press("a")
    terminal.press("x")
    #expect(terminal.lines[11].hasPrefix("enter add"))
  }

  @Test func atTheEndsThereIsNowhereToMoveTo() {
    let terminal = terminal()
    #expect(terminal.press("K") == nil)
    terminal.press(.end)
    #expect(terminal.press("J") == nil)
    #expect(self.terminal([]).chosen == nil)
  }

  @Test func inAnEmptyListKeysDoNothing() {
    let terminal = terminal([])
    for key in [" ", "d", "e", "J", "K", .up, .end, .enter] as [Key] { #expect(terminal.press(key) == nil) }
  }

  /// A hidden todo between two shown ones is passed together with them.
  @Test func amongThoseThatAreShownOnesMoveByWhatIsShown() {
    let terminal = terminal(["a", "b", "c", "d"], done: [1])
    terminal.press("f")
    #expect(terminal.press("J") == .send(.todos(.moved(id: 0, before: 3))))
    terminal.press(.down)
    #expect(terminal.press("K") == .send(.todos(.moved(id: 2, before: 0))))
  }

  @Test func aNewTodoIsWrittenAndTheCursorGoesThere() {
    let terminal = terminal()
    terminal.press("a")
    for character in "茶 tea" { terminal.press(.character(character)) }
    #expect(terminal.lines[9] == "new: 茶 tea")
    #expect(terminal.lines[11] == "enter add   esc cancel   ^U ^K ^W delete")
    #expect(terminal.press(.enter) == .send(.todos(.addButtonTapped(text: "茶 tea"))))
    #expect(atCursor(terminal) == "bread")
    // Another client was faster.
    terminal.change { $0.add(Todo.State(id: 3, text: "pepper")) }
    #expect(atCursor(terminal) == "bread")
    terminal.change { $0.add(Todo.State(id: 4, text: "茶 tea")) }
    #expect(atCursor(terminal) == "茶 tea")
  }

  private func isWriting(_ terminal: TestTerminal) -> Bool {
    terminal.lines.contains { $0.hasPrefix("new: ") || $0.hasPrefix("text") }
  }

  @Test func nothingIsSentForNothing() {
    let terminal = terminal()
    for keys in [["a", .escape], ["a", "x", .escape], ["e", .enter], ["e", "x", .escape]] as [[Key]] {
      for key in keys { #expect(terminal.press(key) == nil) }
      #expect(!isWriting(terminal))
    }
  }

  @Test func aTodoNeedsAText() {
    let terminal = terminal()
    for keys in [["a", .enter], ["a", " ", .enter]] as [[Key]] {
      for key in keys { #expect(terminal.press(key) == nil) }
      #expect(terminal.lines[11] == "a todo needs a text; esc cancels")
      terminal.press(.escape)
    }
    for key in ["e", .control("u"), .enter] as [Key] { #expect(terminal.press(key) == nil) }
    #expect(terminal.lines[11] == "a todo needs a text; esc cancels, then d deletes the todo")
  }

  @Test func aTextIsChanged() {
    let terminal = terminal()
    terminal.press(.enter)
    #expect(terminal.lines[9] == "text: bread")
    terminal.press("s")
    #expect(terminal.press(.enter) == .send(.todos(.todos(.element(id: 0, action: .textChanged("breads"))))))
  }

  @Test func theTextOfATodoThatSomebodyDeletesIsAddedOnlyOnRequest() {
    let terminal = terminal()
    terminal.press("e")
    terminal.press("s")
    terminal.change { $0.todos.todos.remove(id: 0) }
    #expect(terminal.lines[9] == "text (deleted meanwhile): breads")
    // Typing goes on; Enter asks.
    terminal.press("!")
    #expect(terminal.press(.enter) == nil)
    #expect(terminal.lines.contains { $0.contains("This todo was deleted meanwhile") })
    #expect(terminal.lines.contains { $0.contains("Add 'breads!' as a new todo?") })
    #expect(terminal.lines[11] == "← → choose  enter add  esc discard  tab next  ? help  q quit")
    #expect(terminal.press(.escape) == nil && !isWriting(terminal))
    #expect(!terminal.lines.contains { $0.contains("deleted meanwhile") })
    terminal.change { $0.add(Todo.State(id: 0, text: "bread")) }
    for key in [.end, "e", "s", "!"] as [Key] { terminal.press(key) }
    terminal.change { $0.todos.todos.remove(id: 0) }
    terminal.press(.enter)
    #expect(terminal.press(.enter) == .send(.todos(.addButtonTapped(text: "breads!"))))
    #expect(!isWriting(terminal))
    terminal.change { $0.add(Todo.State(id: 3, text: "breads!")) }
    #expect(atCursor(terminal) == "breads!")
  }

  @Test func theQuestionAboutADeletedTodoEndsWhenTheTodoIsRestored() {
    let terminal = terminal()
    for key in ["e", "s"] as [Key] { terminal.press(key) }
    terminal.change { $0.todos.todos.remove(id: 0) }
    terminal.press(.enter)
    terminal.change { $0.add(Todo.State(id: 0, text: "bread")) }
    #expect(terminal.lines[9] == "text: breads" && !terminal.lines.contains { $0.contains("deleted") })
    #expect(terminal.press(.enter) == .send(.todos(.todos(.element(id: 0, action: .textChanged("breads"))))))
  }

  @Test func matchesStandOutUntilEscape() {
    let terminal = terminal(["bread", "Salt and SALTY", "sal", "[x] exact"])
    for key in ["/", "s", "a", "l", "t"] as [Key] { terminal.press(key) }
    // The line at the cursor is reversed, and the matches in it are not.
    #expect(terminal.highlighted == ["Salt", "SALT"])
    terminal.press(.enter)
    terminal.press(.home)
    #expect(terminal.highlighted == ["Salt", "SALT"])
    #expect(terminal.press(.escape) == nil && terminal.highlighted.isEmpty)
    terminal.press("n")
    #expect(terminal.highlighted == ["Salt", "SALT"])
    for key in ["/", "x", .escape] as [Key] { terminal.press(key) }
    #expect(terminal.highlighted.isEmpty)
    // The boxes are not searched.
    for key in ["/", "x"] as [Key] { terminal.press(key) }
    #expect(terminal.highlighted == ["x", "x"] && atCursor(terminal) == "[x] exact")
  }

  @Test func thePositionIsShown() {
    let terminal = terminal((0..<43).map { "todo \($0)" })
    for _ in 0..<11 { terminal.press(.down) }
    #expect(terminal.lines[10].hasSuffix("─ 12/43 ─"))
    terminal.press(.end)
    #expect(terminal.lines[10].hasSuffix("─ 43/43 ─"))
    for _ in 0..<2 { terminal.press("f") }
    #expect(terminal.lines[10] == String(repeating: "─", count: 60))
    // Without a lower rule.
    let small = self.terminal(rows: 6, columns: 50)
    small.press("2")
    #expect(small.lines[1].hasSuffix("─ 1/3 ─"))
  }

  @Test func whatTheHubHasNotAcknowledgedIsMarked() {
    let terminal = terminal(columns: 80)
    func marked() -> [String] { terminal.lines.filter { $0.dropFirst().hasPrefix("~") } }
    terminal.press(.down)
    #expect(terminal.press(" ") != nil)
    for key in ["a", "x", .enter] as [Key] { terminal.press(key) }
    terminal.change { $0.add(Todo.State(id: 3, text: "x")) }
    #expect(marked().isEmpty)
    let marks = terminal.sent.map(\.mark)
    #expect(marks == [.todo(id: 1, text: nil), .todo(id: 3, text: "x")])
    (terminal.status.pendingCount, terminal.status.pendingMarks) = (2, Set(marks.map { AnyHashable($0) }))
    #expect(marked() == [" ~[ ] 水 and milk", "›~[ ] x"] && terminal.lines[0].hasSuffix("live, 2 pending"))
    (terminal.status.pendingCount, terminal.status.pendingMarks) = (1, [marks[1]])
    #expect(marked() == ["›~[ ] x"] && terminal.lines[0].hasSuffix("live, 1 pending"))
    terminal.status.connection = .stale(since: .seconds(88), attempt: 3, reason: "gone")
    #expect(terminal.lines[0].contains("this is 12 s old, 1 pending; reconnecting"))
    (terminal.status.pendingCount, terminal.status.pendingMarks) = (0, [])
    #expect(marked().isEmpty && !terminal.lines[0].contains("pending"))
    // An added todo may get another id.
    terminal.status.pendingMarks = [PendingMark.todo(id: 2, text: "x")]
    #expect(marked().isEmpty)
  }

  @Test func anEditDoesNotReplaceAnotherOneSilently() {
    let terminal = terminal()
    terminal.press("e")
    terminal.press("s")
    terminal.change { $0.todos.todos[id: 0]?.text = "rolls" }
    #expect(terminal.lines[9] == "text (changed meanwhile): breads")
    #expect(terminal.press(.enter) == nil)
    #expect(terminal.lines.suffix(2).joined(separator: " ").contains("'rolls'"))
    #expect(terminal.press(.enter) == .send(.todos(.todos(.element(id: 0, action: .textChanged("breads"))))))
  }

  @Test func anEditWithoutChangesReplacesNothing() {
    let terminal = terminal()
    terminal.press("e")
    terminal.change { $0.todos.todos[id: 0]?.text = "rolls" }
    #expect(terminal.press(.enter) == nil && !isWriting(terminal))
  }

  @Test func theCursorStaysOnItsTodoWhateverOthersDo() {
    let terminal = terminal()
    terminal.press(.down)
    #expect(atCursor(terminal) == "水 and milk")
    terminal.change { $0.todos.todos.move(fromOffsets: [1], toOffset: 3) }
    #expect(atCursor(terminal) == "水 and milk")
    terminal.change { $0.todos.todos.remove(id: 0) }
    #expect(atCursor(terminal) == "水 and milk" && terminal.lines[5].hasPrefix("›"))
    // The todo was removed: the cursor is on the one in its place, or on the last one.
    terminal.change { $0.todos.todos.remove(id: 1) }
    #expect(atCursor(terminal) == "salt")
    terminal.change { $0.todos.todos.removeAll() }
    #expect(atCursor(terminal) == nil)
    terminal.change { $0.todos.todos.append(Todo.State(id: 7, text: "anew")) }
    #expect(atCursor(terminal) == "anew")
  }

  @Test func theCursorStaysInItsRowWhenItsTodoIsSorted() {
    let terminal = terminal(["a", "b", "c", "d"], done: [3])
    terminal.press(.down)
    terminal.change { $0.todos.todos[id: 1]?.isComplete = true }
    #expect(atCursor(terminal) == "b")
    terminal.change { $0.todos.todos.move(fromOffsets: [1], toOffset: 3) }
    #expect(atCursor(terminal) == "c" && terminal.lines[5].hasPrefix("›"))
    // Back among the open ones.
    terminal.press(.end)
    terminal.change { $0.todos.todos[id: 3]?.isComplete = false }
    terminal.change { $0.todos.todos.move(fromOffsets: [3], toOffset: 2) }
    #expect(atCursor(terminal) == "b" && terminal.lines[7].hasPrefix("›"))
  }

  @Test func severalTickedTodosAreLeftForTheNextOpenOne() {
    let terminal = terminal(["a", "b", "c", "d"])
    terminal.press(.down)
    for id in [0, 1] { terminal.change { $0.todos.todos[id: id]?.isComplete = true } }
    terminal.change { $0.todos.todos.move(fromOffsets: [0, 1], toOffset: 4) }
    #expect(atCursor(terminal) == "c")
  }

  @Test func theCursorStaysOnATodoThatOthersAreSortedAround() {
    let terminal = terminal(["a", "b", "c", "d"], done: [3])
    terminal.press(.down)
    terminal.change { $0.todos.todos[id: 0]?.isComplete = true }
    terminal.change { $0.todos.todos.move(fromOffsets: [0], toOffset: 3) }
    #expect(atCursor(terminal) == "b")
    terminal.press(.end)
    terminal.change { $0.todos.todos[id: 0]?.isComplete = false }
    terminal.change { $0.todos.todos.move(fromOffsets: [2], toOffset: 0) }
    #expect(atCursor(terminal) == "d")
  }

  @Test func theCursorMovesWithATodoThatTheUserMoves() {
    let terminal = terminal(["a", "b", "c", "d"])
    for isComplete in [false, true] {
      terminal.press(.home)
      terminal.change { $0.todos.todos[id: 0]?.isComplete = isComplete }
      #expect(terminal.press("J") == .send(.todos(.moved(id: 0, before: 2))))
      terminal.change { $0.todos.todos.move(fromOffsets: [0], toOffset: 2) }
      #expect(atCursor(terminal) == "a")
      if isComplete { break }
      terminal.change { $0.todos.todos.move(fromOffsets: [1], toOffset: 0) }
    }
    // The hub's sort follows.
    terminal.change { $0.todos.todos.move(fromOffsets: [1], toOffset: 4) }
    #expect(atCursor(terminal) == "c")
  }

  @Test func theFilterIsThisTerminalsOwn() {
    let (one, other) = (terminal(done: [0]), terminal(done: [0]))
    #expect(one.press("f") == nil)
    #expect(one.lines[2].contains("[active]") && other.lines[2].contains("[all]"))
    #expect(!one.lines.contains { $0.contains("bread") } && other.lines.contains { $0.contains("bread") })
    #expect(atCursor(one) == "水 and milk")
    one.press("f")
    #expect(atCursor(one) == "bread")
    one.press("f")
    #expect(one.lines[2].contains("[all]"))
    other.press("f")
    // A todo that another client completes disappears, and the cursor moves to the one in its place.
    other.change { $0.todos.todos[id: 1]?.isComplete = true }
    #expect(atCursor(other) == "salt")
  }

  @Test func whoAddsAmongTheCompletedSeesWhatWasAdded() {
    let terminal = terminal()
    for key in ["f", "f", "a", "x", .enter] as [Key] { terminal.press(key) }
    #expect(terminal.lines[2].contains("[all]"))
  }

  /// With a filter, each key and each frame once walked through the whole list.
  @Test(.timeLimit(.minutes(30))) func aKeyInAListOf100000CostsNoWalkThroughIt() {
    let terminal = terminal((0..<100_000).map { "todo \($0)" }, done: [5])
    for filter in [TodoFilter.all, .active] {
      #expect(terminal.lines[2].contains("[\(filter)]"))
      for _ in 0..<300 {
        terminal.press(.down)
        _ = terminal.lines
      }
      terminal.press("f")
    }
    terminal.press("f")
    for key in ["/", "9", "9", "9", "9", "9", .enter] as [Key] { terminal.press(key) }
    #expect(atCursor(terminal) == "todo 99999")
  }

  @Test func ofALongListThePartAroundTheCursorIsShown() {
    let terminal = terminal((0..<50).map { "todo \($0)" })
    #expect(terminal.lines[4] == "› [ ] todo 0" && terminal.lines[9] == "  [ ] todo 5")
    terminal.press(.pageDown)
    terminal.press(.pageDown)
    #expect(terminal.lines[4] == "  [ ] todo 9" && terminal.lines[7] == "› [ ] todo 12")
    terminal.press(.end)
    #expect(terminal.lines[9] == "› [ ] todo 49" && terminal.lines[4] == "  [ ] todo 44")
    terminal.press("g")
    #expect(terminal.lines[4] == "› [ ] todo 0")
  }
}

extension AppFeature.State {
  /// Adds a todo as the hub does.
  fileprivate mutating func add(_ todo: Todo.State) {
    var list = todos.todos
    list.append(todo)
    todos = Todos.State(todos: list)
  }
}
