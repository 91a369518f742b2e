internal import ComposableCore
package import Features
package import Terminal
package import TerminalUI

/// One terminal's own view of the shared list of todos: the filter, the cursor, and the line being edited.
package nonisolated struct TodosPanel: Equatable, Sendable {
  /// The filter of the list.
  package private(set) var filter = TodoFilter.all
  /// The todo that keys act on.
  package private(set) var cursor = ListCursor<Todo.State.ID>()
  /// The line that is being edited, if any.
  package private(set) var writing: Writing?
  /// The question that must be answered first, if any.
  private(set) var question: ConfirmationDialogState<Todos.Action>?
  /// The selected button of the question.
  private(set) var choice: Int?
  /// The reason why the last key had no effect, or not the whole effect.
  private(set) var complaint: Screens.Message?
  /// A todo that this terminal added and the hub has not sent back yet; the cursor moves to it.
  private var awaited: Awaited?
  /// The shown todos of the last known list.
  private var seen: ShownTodos?
  /// The todos that were ticked or unticked, and that the hub has not sorted yet.
  private var unsorted: Set<Todo.State.ID> = []
  /// The todo that the user has moved, until it moves; the cursor moves with it.
  private var carried: Todo.State.ID?

  /// A line that is being edited, and its todo.
  package struct Writing: Equatable, Sendable {
    /// The line.
    package var line = TextLine()
    /// The todo that is edited; nil for a new one.
    package var id: Todo.State.ID?
    /// The text that the line replaces.
    var original = ""
  }

  /// An added todo: its text, and the smallest id that it can have.
  private struct Awaited: Equatable {
    var text: String
    var id: Todo.State.ID
  }

  /// Creates a view of all todos.
  package init() {}

  /// Returns the shown todos of a list.
  /// - Complexity: O(1) for the last known list, otherwise O(n).
  func shown(_ state: Todos.State) -> ShownTodos {
    if let seen, seen.isCurrent(state) { return seen }
    return ShownTodos(state, showing: filter)
  }

  /// Updates the cursor after the list may have changed.
  /// - Complexity: O(1) if it has not.
  package mutating func follow(_ state: Todos.State) {
    guard seen?.isCurrent(state) != true else { return }
    let previous = seen
    let shown = ShownTodos(state, showing: filter, after: previous) { unsorted.insert($0) }
    seen = shown
    let (id, position) = (cursor.id, cursor.position)
    cursor.follow(shown.ids) { shown.index(id: $0) }
    if let previous { stayInRow(previous, shown, state) }
    if cursor.id != id || cursor.position != position { carried = nil }
    if let sent = awaited, let position = shown.firstIndex(where: { $0.id >= sent.id && $0.text == sent.text }) {
      awaited = nil
      cursor.select(shown[position].id, at: position)
    }
    // A question about a todo that was deleted has no meaning once somebody has restored it.
    if question != nil, writing != nil, !isDeleted(state) { question = nil }
  }

  /// Leaves the selected todo if the hub has sorted it, since the user did not move it. A filter shows only open or only
  /// completed todos, whose order a sort does not change.
  private mutating func stayInRow(_ previous: ShownTodos, _ shown: ShownTodos, _ state: Todos.State) {
    guard filter == .all else { return unsorted = [] }
    guard !unsorted.isEmpty else { return }
    if let id = cursor.id, unsorted.contains(id), id != carried, id != writing?.id,
      let next = previous.successor(of: id, in: shown), let position = shown.index(id: next)
    {
      cursor.select(next, at: position)
    }
    if state.isSorted { unsorted = [] }
  }

  private mutating func show(_ filter: TodoFilter, _ state: Todos.State) {
    (self.filter, seen) = (filter, nil)
    follow(state)
  }

  /// Handles a key.
  ///
  /// - Parameters:
  ///   - rows: The rows of the screen.
  ///   - size: The size of the whole terminal.
  /// - Returns: The action to send, if any.
  package mutating func pressed(
    _ key: Key, _ state: Todos.State, in rows: Range<Int>, of size: CanvasSize
  ) -> Todos.Action? {
    complaint = nil
    if writing != nil, let question {
      follow(state)
      if self.question != nil { return answered(key, Dialog(question), in: rows, size, state) }
    }
    // Typing a line does not change which todos are shown.
    if writing != nil, key != .enter, key != .escape {
      writing?.line.pressed(key)
      complainAboutOmission()
      return nil
    }
    follow(state)
    if writing != nil { return written(key, state) }
    if let question { return answered(key, Dialog(question), in: rows, size, state) }
    let shown = shown(state)
    let listRows = ListWindow.rows(under: rows)
    // A click on a todo's box marks it as done or not done.
    if case .click(let row, 2...4) = key,
      ListWindow(count: shown.count, cursor: cursor.position, rows: listRows).offset(at: row) != nil,
      cursor.pressed(key, shown.ids, in: listRows), let todo = cursor.id
    {
      return shown[id: todo].flatMap { pressed(" ", on: $0, shown, state) }
    }
    if cursor.pressed(key, shown.ids, in: listRows) {
      awaited = nil
      return nil
    }
    switch key {
    case .character("a"):
      writing = Writing()
    case .character("f"):
      let all = TodoFilter.allCases
      show(all[((all.firstIndex(of: filter) ?? 0) + 1) % all.count], state)
    case .character("c"):
      askWhetherToClear(state)
    default:
      guard let id = cursor.id, let todo = shown[id: id] else { return nil }
      return pressed(key, on: todo, shown, state)
    }
    return nil
  }

  /// Asks for confirmation, since cleared todos cannot be restored.
  private mutating func askWhetherToClear(_ state: Todos.State) {
    let count = state.todos.count - shown(state).activeCount
    guard count > 0 else { return complaint = Screens.Message(text: "nothing is completed", isBad: false) }
    choice = nil
    question = ConfirmationDialogState(titleVisibility: .visible) {
      TextState("Clear completed")
    } actions: {
      ButtonState(role: .destructive, action: .clearCompletedButtonTapped) { TextState("Delete") }
      ButtonState(role: .cancel) { TextState("Keep") }
    } message: {
      TextState(count == 1 ? "Delete 1 completed todo for all?" : "Delete \(count) completed todos for all?")
    }
  }

  /// Moves the cursor to a todo that is about to be added.
  private mutating func awaitAdded(_ text: String, _ state: Todos.State) {
    if filter == .completed { show(.all, state) }
    awaited = Awaited(text: text, id: state.nextID)
  }

  private mutating func answered(
    _ key: Key, _ dialog: Dialog<Todos.Action>, in rows: Range<Int>, _ size: CanvasSize, _ state: Todos.State
  ) -> Todos.Action? {
    switch dialog.answer(key, choice, in: rows, size) {
    case .selected(let button): choice = button
    case .pressed(let action):
      (question, writing) = (nil, nil)
      if case .addButtonTapped(let text) = action { awaitAdded(text, state) }
      return action
    case nil: break
    }
    return nil
  }

  /// Handles a key that acts on the selected todo.
  private mutating func pressed(
    _ key: Key, on todo: Todo.State, _ shown: ShownTodos, _ state: Todos.State
  ) -> Todos.Action? {
    switch key {
    case .character(" "), .character("x"):
      return .todos(.element(id: todo.id, action: .completionChanged(!todo.isComplete)))
    case .character("e"), .enter:
      writing = Writing(line: TextLine(todo.text), id: todo.id, original: todo.text)
    case .character("d"), .delete:
      return .deleteButtonTapped(id: todo.id)
    case .character("K") where cursor.position > 0:
      carried = todo.id
      return .moved(id: todo.id, before: shown[cursor.position - 1].id)
    case .character("J") where cursor.position + 1 < shown.count:
      // After the next shown todo: before the one that follows it in the whole list.
      let next = (state.todos.index(id: shown[cursor.position + 1].id) ?? 0) + 1
      carried = todo.id
      return .moved(id: todo.id, before: next < state.todos.count ? state.todos[next].id : nil)
    default:
      break
    }
    return nil
  }

  private func pressed(_ key: Character, on todo: Todo.State, _ shown: ShownTodos, _ state: Todos.State)
    -> Todos.Action?
  {
    var copy = self
    return copy.pressed(.character(key), on: todo, shown, state)
  }

  /// Selects the next todo whose text contains a text, ignoring case.
  ///
  /// - Returns: False if there is none.
  mutating func search(_ text: String, _ direction: SearchDirection, _ state: Todos.State) -> Bool {
    follow(state)
    let (shown, wanted) = (shown(state), text.lowercased())
    return cursor.search(shown.ids, direction) { id in shown[id: id]?.text.lowercased().contains(wanted) ?? false }
  }

  /// The text of the todo that is being edited, if it has changed meanwhile.
  func changedText(_ state: Todos.State) -> String? {
    guard let writing, let id = writing.id, let text = state.todos[id: id]?.text else { return nil }
    return text == writing.original ? nil : text
  }

  /// Returns true if another client has deleted the todo that is being edited.
  func isDeleted(_ state: Todos.State) -> Bool { writing?.id.map { state.todos[id: $0] == nil } ?? false }

  /// Asks whether the text of a deleted todo becomes a new one: whoever deleted it may have had a reason.
  private mutating func askWhetherToAdd(_ text: String) {
    choice = nil
    question = ConfirmationDialogState(titleVisibility: .visible) {
      TextState("This todo was deleted meanwhile")
    } actions: {
      ButtonState(action: .addButtonTapped(text: text)) { TextState("Add") }
      ButtonState(role: .cancel) { TextState("Discard") }
    } message: {
      TextState("Add '\(TextWidth.fit(text, columns: 40))' as a new todo?")
    }
  }

  /// Asks for a second Enter, since the user may not have seen the text that the line would replace.
  private mutating func askWhetherToReplace(_ text: String) -> Todos.Action? {
    writing?.original = text
    let shown = TextWidth.fit(text, columns: 40)
    complaint = Screens.Message(
      text: "the todo was changed meanwhile to '\(shown)'; enter replaces that, then u restores it; esc keeps it",
      isBad: true)
    return nil
  }

  private mutating func complainAboutOmission() {
    complaint = writing?.line.omission.map { Screens.Message(text: $0, isBad: true) }
  }

  /// Handles a key that ends the line being typed.
  private mutating func written(_ key: Key, _ state: Todos.State) -> Todos.Action? {
    guard let writing else { return nil }
    switch key {
    case .escape:
      self.writing = nil
    case .enter:
      guard !writing.line.isBlank else {
        let end = writing.id == nil ? "" : ", then d deletes the todo"
        complaint = Screens.Message(text: "a todo needs a text; esc cancels\(end)", isBad: false)
        return nil
      }
      let text = writing.line.text
      if isDeleted(state) {
        askWhetherToAdd(text)
        return nil
      }
      if let current = changedText(state), current != text, writing.original != text {
        return askWhetherToReplace(current)
      }
      // Once more, because a paste that the terminal does not mark may contain this Enter.
      complainAboutOmission()
      self.writing = nil
      if let id = writing.id {
        let isUnchanged = text == writing.original || text == state.todos[id: id]?.text
        return isUnchanged ? nil : .todos(.element(id: id, action: .textChanged(text)))
      }
      awaitAdded(text, state)
      return .addButtonTapped(text: text)
    default:
      break
    }
    return nil
  }
}
