import ComposableArchitecture
import Features
import Glibc
import ReplicaCore
import Terminal
import TerminalViews
import Testing

/// Each terminal undoes its own actions, by means of the features' actions.
@Suite struct UndoTests {
  /// Sets the locale, which determines the widths of characters (wcwidth(3)).
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  /// A terminal whose actions take effect.
  @MainActor
  private struct Local {
    let terminal = TestTerminal(rows: 12, columns: 80, reduces: true)

    init() {
      terminal.change {
        $0.todos = Todos.State(todos: [Todo.State(id: 0, text: "bread"), Todo.State(id: 1, text: "milk")])
      }
    }

    func press(_ keys: Key...) { for key in keys { terminal.press(key) } }

    /// Presses keys whose actions the hub refuses, so that their effects are undone.
    func refuse(_ keys: Key..., because error: ActionError = .rejected(code: 6, reason: "no")) {
      for key in keys {
        let (state, count) = (state, terminal.sent.count)
        terminal.press(key)
        for sent in terminal.sent[count...] { sent.ended(error) }
        terminal.change { $0 = state }
      }
    }

    /// Sends an action as another client.
    func send(_ action: AppFeature.Action) { terminal.send(action) }

    var state: AppFeature.State { terminal.state }
    var texts: [String] { state.todos.todos.map(\.text) }
    var footer: String { terminal.lines.last ?? "" }
    /// A message of two lines.
    var message: String { terminal.lines.suffix(2).joined(separator: " ") }
  }

  @Test func oneStepAfterTheOther() {
    let local = Local()
    local.press("+", "+", "-", "t", "u")
    #expect(
      local.state.counter.count == 1 && !local.state.counter.isTimerOn
        && local.footer == "undone: started the timer; U redoes it")
    local.press("u", "u", "u")
    #expect(local.state.counter.count == 0)
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "nothing to undo on this screen")
  }

  @Test func whatWasDoneToTheListIsTakenBack() {
    let local = Local()
    local.press("2", "a", "x", .enter)
    #expect(local.texts == ["bread", "milk", "x"])
    local.press("u")
    #expect(local.texts == ["bread", "milk"])
    local.press(.home, "e", "s", .enter, "u")
    #expect(local.texts == ["bread", "milk"])
    local.press("J")
    #expect(local.texts == ["milk", "bread"])
    local.press("u")
    #expect(local.texts == ["bread", "milk"])
    local.press(" ", "u")
    #expect(local.state.todos.activeCount == 2)
    local.press(.home, " ")
    let before = local.state.todos
    local.press(.home, "d", "u")
    #expect(local.state.todos == before && local.footer == "undone: deleted 'bread'; U redoes it")
    local.press(.end, "d", "u")
    #expect(local.state.todos == before)
  }

  @Test func whatTheHubRefusedIsNotUndone() {
    let local = Local()
    local.press("+")
    local.refuse("-")
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "undone: counted up; U redoes it")
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "nothing to undo on this screen")
  }

  /// What the hub may have done can be undone.
  @Test func anActionWithAnUnknownOutcomeIsUndone() {
    let local = Local()
    local.refuse("+", because: .outcomeUnknown)
    local.press("u")
    #expect(local.state.counter.count == -1 && local.footer == "undone: counted up; U redoes it")
  }

  @Test func anUndoThatTheHubRefusedCanBeRepeated() {
    let local = Local()
    local.press("-", "+")
    // It is not the decrement of the first key.
    local.refuse("u")
    local.press("u")
    #expect(local.state.counter.count == -1 && local.footer == "undone: counted up; U redoes it")
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "undone: counted down; U redoes it")
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "nothing to undo on this screen")
  }

  @Test func aRepeatedUndoKeepsTheOrder() {
    let local = Local()
    local.press("+", "u", "t")
    local.terminal.sent[1].ended(ActionError.rejected(code: 6, reason: "no"))
    local.terminal.change { $0.counter.count = 1 }
    local.press("u")
    #expect(local.state.counter.count == 1 && !local.state.counter.isTimerOn)
    local.press("u")
    #expect(local.state.counter.count == 0)
  }

  @Test func whatWasRefusedAfterItsUndoIsGone() {
    let local = Local()
    local.press("+", "u")
    for sent in local.terminal.sent { sent.ended(ActionError.rejected(code: 6, reason: "no")) }
    local.press("u")
    #expect(local.footer == "nothing to undo on this screen")
  }

  @Test func whatOthersHaveDoneSinceStays() {
    let local = Local()
    local.press("2", .home, "e", "s", .enter)
    local.send(.todos(.todos(.element(id: 0, action: .textChanged("rolls")))))
    local.press("u")
    #expect(
      local.texts == ["rolls", "milk"]
        && local.footer == "not undone: changed 'bread' to 'breads'; somebody has changed it since")
    local.press(" ")
    local.send(.todos(.deleteButtonTapped(id: 0)))
    local.press("u")
    #expect(local.texts == ["milk"] && local.footer == "not undone: ticked 'rolls'; it is gone")
  }

  @Test func aTextThatAnEditReplacedComesBack() {
    let local = Local()
    local.press("2", .home, "e", "s")
    local.send(.todos(.todos(.element(id: 0, action: .textChanged("rolls")))))
    local.press(.enter, .enter)
    #expect(local.texts == ["breads", "milk"])
    local.press("u")
    #expect(local.texts == ["rolls", "milk"] && local.footer == "undone: changed 'rolls' to 'breads'; U redoes it")
  }

  @Test func whatOthersHaveUndoneIsNotDoneAgain() {
    let local = Local()
    local.press("t")
    local.send(.counter(.toggleTimerButtonTapped))
    local.press("u")
    #expect(
      !local.state.counter.isTimerOn && local.footer == "not undone: started the timer; that has happened already")
    local.press("3", " ")
    #expect(local.state.favourites.isFavourite)
    local.send(.favourites(.view(.favouriteButtonTapped)))
    local.press("u")
    #expect(
      !local.state.favourites.isFavourite && local.footer == "not undone: 0 is a favourite; that has happened already")
    local.press(" ", "u")
    #expect(!local.state.favourites.isFavourite && local.footer == "undone: 0 is a favourite; U redoes it")
  }

  @Test func aTodoOfAnotherClientWithTheSameTextStays() {
    let local = Local()
    local.press("2", "a", "x", .enter)
    local.send(.todos(.addButtonTapped(text: "x")))
    local.press("u")
    #expect(
      local.texts == ["bread", "milk", "x", "x"]
        && local.message == "not undone: added 'x'; several todos have that text; delete the one that you added")
    // Two equal texts of this terminal differ in their ids.
    local.press("a", "y", .enter, "a", "y", .enter, "u")
    #expect(local.texts == ["bread", "milk", "x", "x", "y"] && local.footer == "undone: added 'y'; U redoes it")
    local.press("u")
    #expect(local.texts == ["bread", "milk", "x", "x"] && local.footer == "undone: added 'y'; U redoes it")
  }

  @Test func aDeletedTodoComesBackAmongOthers() {
    let local = Local()
    local.press("2", .home, "d")
    local.send(.todos(.addButtonTapped(text: "salt")))
    local.send(.todos(.deleteButtonTapped(id: 1)))
    // The todo that stood behind it is gone as well.
    local.press("u")
    #expect(local.texts == ["salt", "bread"] && local.state.todos.todos[id: 0] != nil)
    local.press(.end, "d")
    local.send(.todos(.restored(Todo.State(id: 0, text: "bread"), before: nil)))
    local.press("u")
    #expect(local.texts == ["salt", "bread"] && local.footer == "not undone: deleted 'bread'; it was restored already")
  }

  @Test func eachScreenUndoesItsOwnActions() {
    let local = Local()
    local.press("+", "2", "a", "x", .enter, "1", "+", "2", "u")
    #expect(local.texts == ["bread", "milk"] && local.state.counter.count == 2)
    local.press("u")
    #expect(local.state.counter.count == 2 && local.footer == "nothing to undo on this screen")
    local.press("3", "u")
    #expect(local.state.counter.count == 2 && local.footer == "nothing to undo on this screen")
    local.press("1", "u", "u")
    #expect(local.state.counter.count == 0)
    local.press("2", "U")
    #expect(local.texts == ["bread", "milk", "x"] && local.state.counter.count == 0)
  }

  @Test func whatWasUndoneCanBeRedone() {
    let local = Local()
    func redo(_ what: String) {
      let after = local.state
      local.press("u")
      #expect(local.state != after && local.footer == "undone: \(what); U redoes it")
      local.press("U")
      #expect(local.state == after && local.footer == "redone: \(what)")
      // And the other way again.
      local.press("u")
      #expect(local.state != after && local.footer == "undone: \(what); U redoes it")
      local.press("U")
    }
    local.press("+")
    redo("counted up")
    local.press("t")
    redo("started the timer")
    local.press("2", "a", "x", .enter)
    redo("added 'x'")
    local.press(.home, "e", "s", .enter)
    redo("changed 'bread' to 'breads'")
    local.press(.home, " ")
    redo("ticked 'breads'")
    local.press(.home, "J")
    redo("moved 'breads'")
    local.press(.home, "d")
    redo("deleted 'milk'")
    local.press("3", " ")
    redo("0 is a favourite")
    local.press("+")
    redo("went up")
    local.press("U")
    #expect(local.footer == "nothing to redo on this screen")
  }

  @Test func aNewActionEndsTheRedoOfItsScreen() {
    let local = Local()
    local.press("+", "u", "2", "a", "x", .enter, "u", "1", "-", "U")
    #expect(local.state.counter.count == -1 && local.footer == "nothing to redo on this screen")
    local.press("2", "U")
    #expect(local.texts == ["bread", "milk", "x"])
  }

  @Test func aRedoThatTheHubRefusedCanBeRepeated() {
    let local = Local()
    local.press("+", "u")
    local.refuse("U")
    local.press("u")
    #expect(local.state.counter.count == 0 && local.footer == "nothing to undo on this screen")
    local.press("U")
    #expect(local.state.counter.count == 1 && local.footer == "redone: counted up")
  }

  @Test func aRedoLeavesWhatOthersHaveDone() {
    let local = Local()
    local.press("2", .home, "e", "s", .enter, "u")
    local.send(.todos(.todos(.element(id: 0, action: .textChanged("rolls")))))
    local.press("U")
    #expect(local.texts == ["rolls", "milk"])
    #expect(local.footer == "not redone: changed 'bread' to 'breads'; somebody has changed it since")
  }

  @Test func whatCannotBeUndoneIsNamed() {
    let local = Local()
    local.press("2", .home, " ", "c", "d", .enter, "u")
    #expect(local.footer == "not undone: cleared the completed todos; the todos cannot be restored")
  }

  @Test func everyScreenWithActionsNamesTheKeyOfUndo() {
    for key in ["1", "2", "3"] as [Key] {
      let terminal = TestTerminal(rows: 12, columns: 80)
      terminal.press(key)
      #expect(terminal.lines[11].contains("u undo"), "\(terminal.lines[11])")
    }
  }
}
