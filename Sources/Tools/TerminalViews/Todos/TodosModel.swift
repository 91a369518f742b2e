internal import ComposableCore
internal import Features
internal import Observation
internal import Terminal
internal import TerminalUI

/// One terminal's own view of the shared list of todos: the filter, the cursor, and the line being edited.
@Observable
final class TodosModel {
  /// The line that is being edited, and its todo.
  struct Writing {
    /// The todo that is edited; nil for a new one.
    var id: Todo.State.ID?
    /// The text that the line replaces.
    var original = ""
  }

  /// An added todo: its text, and the smallest id that it can have.
  private struct Awaited {
    var text: String
    var id: Todo.State.ID
  }

  private(set) var filter = TodoFilter.all
  /// The todo that is being edited, if any.
  private(set) var writing: Writing?
  /// The text of its line.
  var line = ""
  /// The question that must be answered first, if any.
  private(set) var question: ConfirmationDialogState<Todos.Action>?
  /// The reason why the last key had no effect, or not the whole effect.
  private(set) var message: StatusMessage?
  /// The list, if only a window of it is here.
  var long: LongTodos? {
    didSet { if let long { filter = long.filter } }
  }
  /// The todo that keys act on.
  private var cursor = ListCursor<Todo.State.ID>()
  /// A todo that this terminal added and the hub has not sent back yet; the cursor moves to it.
  @ObservationIgnored private var awaited: Awaited?
  /// The shown todos of the last known list.
  @ObservationIgnored private var seen: ShownTodos?
  /// The todos that were ticked or unticked, and that the hub has not sorted yet.
  @ObservationIgnored private var unsorted: Set<Todo.State.ID> = []
  /// The todo that the user has moved, until it moves; the cursor moves with it.
  @ObservationIgnored private var carried: Todo.State.ID?

  // MARK: The cursor

  /// Returns the shown todos, and updates the cursor if the list has changed.
  /// - Complexity: O(1) if it has not.
  func shown(_ state: Todos.State) -> ShownTodos {
    let place = long?.place
    if let seen, seen.filter == filter, seen.isCurrent(state, at: place) { return seen }
    let previous = seen?.filter == filter && seen?.place == nil ? seen : nil
    let shown = ShownTodos(state, showing: filter, at: place, after: previous) { unsorted.insert($0) }
    let lastPlace = seen?.filter == filter ? seen?.place : nil
    seen = shown
    var moved = cursor
    if let place, let lastPlace { follow(shown, place, since: lastPlace, &moved) }
    moved.follow(shown.ids) { shown.index(id: $0) }
    if let previous { stayInRow(previous, shown, state, &moved) }
    if moved != cursor { carried = nil }
    if let sent = awaited, let todo = state.todos.first(where: { $0.id >= sent.id && $0.text == sent.text }),
      let position = shown.index(id: todo.id)
    {
      awaited = nil
      moved.select(todo.id, at: position)
    }
    if moved != cursor { cursor = moved }
    // A question about a todo that was deleted has no meaning once somebody has restored it.
    if question != nil, writing != nil, !isDeleted(state) { question = nil }
    return shown
  }

  /// Follows the selected todo out of the window: what many insertions before it have moved is as many positions further.
  private func follow(
    _ shown: ShownTodos, _ place: WindowPlace, since last: WindowPlace, _ cursor: inout ListCursor<Todo.State.ID>
  ) {
    guard let id = cursor.id, shown.index(id: id) == nil else { return }
    let position = cursor.position + place.count - last.count
    guard 0..<place.count ~= position, WindowPlace.position(of: shown.id(at: position)) != nil else { return }
    cursor.select(WindowPlace.id(of: position), at: position)
  }

  /// Leaves the selected todo if the hub has sorted it, since the user did not move it. A filter shows only open or only
  /// completed todos, whose order a sort does not change.
  private func stayInRow(
    _ previous: ShownTodos, _ shown: ShownTodos, _ state: Todos.State, _ cursor: inout ListCursor<Todo.State.ID>
  ) {
    guard filter == .all else { return unsorted = [] }
    guard !unsorted.isEmpty else { return }
    if let id = cursor.id, unsorted.contains(id), id != carried, id != writing?.id,
      let next = previous.successor(of: id, in: shown), let position = shown.index(id: next)
    {
      cursor.select(next, at: position)
    }
    if state.isSorted { unsorted = [] }
  }

  /// The todo at the cursor of the table.
  var selection: StoreBinding<Todo.State.ID?> {
    StoreBinding { [self] in
      cursor.id
    } set: { [self] id in
      guard let id, let position = seen?.index(id: id) else { return }
      cursor.select(id, at: position)
      awaited = nil
    }
  }

  /// Shows the window of a long list around the rows on the screen.
  func rowsShown(_ rows: Range<Int>) { long?.show(rows: rows) }

  /// Loads the rest of a long list for what needs all of it; returns true if all is here.
  @discardableResult
  func requireAll() -> Bool {
    guard let long else { return true }
    message = long.loadAll()
    return false
  }

  /// True if keys can be for a todo: it is here, and so is the one that follows it.
  private func isHere(_ id: Todo.State.ID) -> Bool { seen?.isHere(id) ?? false }

  /// Shows the next filter; of a long list, when its todos have arrived.
  func changeFilter() {
    if long?.changeFilter() == true { return }
    if requireAll() { filter = filter.next }
  }

  // MARK: Changes

  /// Ticks or unticks a todo.
  func tick(_ id: Todo.State.ID, _ store: StoreOf<Todos>) {
    guard isHere(id), let todo = store.todos[id: id] else { return }
    store.send(.todos(.element(id: id, action: .completionChanged(!todo.isComplete))))
  }

  /// Deletes a todo.
  func delete(_ id: Todo.State.ID, _ store: StoreOf<Todos>) {
    if isHere(id) { store.send(.deleteButtonTapped(id: id)) }
  }

  /// Moves a todo past the next shown one, or the previous one; hidden todos between them are passed together.
  func move(_ id: Todo.State.ID, down isDown: Bool, _ store: StoreOf<Todos>) {
    let (state, shown) = (store.state, shown(store.state))
    guard let position = shown.index(id: id) else { return }
    let other = position + (isDown ? 1 : -1)
    guard shown.indices.contains(other), isHere(id), isHere(shown[other].id) else { return }
    carried = id
    guard isDown else { return _ = store.send(.moved(id: id, before: shown[other].id)) }
    // Before the one that follows it in the whole list.
    let next = (state.todos.index(id: shown[other].id) ?? 0) + 1
    store.send(.moved(id: id, before: next < state.todos.count ? state.todos[next].id : nil))
  }

  /// Asks for confirmation, since cleared todos cannot be restored.
  func askWhetherToClear(_ state: Todos.State) {
    let count = long == nil ? state.todos.count - shown(state).activeCount : nil
    guard count != 0 else { return message = StatusMessage("nothing is completed") }
    // Those that are not here are not counted.
    let what = count.map { $0 == 1 ? "1 completed todo" : "\($0) completed todos" } ?? "all completed todos"
    question = ConfirmationDialogState(titleVisibility: .visible) {
      TextState("Clear completed")
    } actions: {
      ButtonState(role: .destructive, action: .clearCompletedButtonTapped) { TextState("Delete") }
      ButtonState(role: .cancel) { TextState("Keep") }
    } message: {
      TextState("Delete \(what) for all?")
    }
  }

  /// Handles the answer to the question.
  func answered(_ action: Todos.Action?, _ store: StoreOf<Todos>) {
    (question, writing) = (nil, nil)
    guard let action else { return }
    if case .addButtonTapped(let text) = action { awaitAdded(text, store.state) }
    store.send(action)
  }

  /// Moves the cursor to a todo that is about to be added; of a long list, its place may not be here.
  private func awaitAdded(_ text: String, _ state: Todos.State) {
    guard long == nil else { return message = StatusMessage("added at the end of the open todos") }
    if filter == .completed { filter = .all }
    awaited = Awaited(text: text, id: state.nextID)
  }

  // MARK: The line

  /// Opens a line for the text of a todo.
  func edit(_ id: Todo.State.ID, _ store: StoreOf<Todos>) {
    if isHere(id), let todo = store.todos[id: id] { write(todo) }
  }

  /// Opens a line for a new todo, or for the text of one.
  func write(_ todo: Todo.State? = nil) {
    line = todo?.text ?? ""
    writing = Writing(id: todo?.id, original: line)
  }

  /// Closes the line.
  func cancel() { writing = nil }

  /// The text of the todo that is being edited, if it has changed meanwhile.
  private func changedText(_ state: Todos.State) -> String? {
    guard let writing, let id = writing.id, let text = state.todos[id: id]?.text else { return nil }
    return text == writing.original ? nil : text
  }

  /// Returns true if another client has deleted the todo that is being edited.
  private func isDeleted(_ state: Todos.State) -> Bool { writing?.id.map { state.todos[id: $0] == nil } ?? false }

  /// What has happened to the todo that is being edited, in a word; nil if nothing has.
  func trouble(_ state: Todos.State) -> String? {
    isDeleted(state) ? "deleted" : changedText(state) != nil ? "changed" : nil
  }

  /// Adds or changes the todo, unless that would replace what the user has not seen.
  func submit(_ store: StoreOf<Todos>) {
    let (state, text) = (store.state, line)
    guard let writing else { return }
    guard text.contains(where: { !$0.isWhitespace }) else {
      let end = writing.id == nil ? "" : ", then d deletes the todo"
      return message = StatusMessage("a todo needs a text; esc cancels\(end)")
    }
    if isDeleted(state) { return question = Self.deletionQuestion(text) }
    if let current = changedText(state), current != text, writing.original != text {
      return warn(of: current)
    }
    self.writing = nil
    guard let id = writing.id else {
      awaitAdded(text, state)
      return _ = store.send(.addButtonTapped(text: text))
    }
    let isUnchanged = text == writing.original || text == state.todos[id: id]?.text
    if !isUnchanged { store.send(.todos(.element(id: id, action: .textChanged(text)))) }
  }

  /// Asks for a second Enter, since the user may not have seen the text that the line would replace.
  private func warn(of text: String) {
    writing?.original = text
    let shown = TextWidth.fit(text, columns: 40)
    message = StatusMessage(
      "the todo was changed meanwhile to '\(shown)'; enter replaces that, then u restores it; esc keeps it",
      isBad: true)
  }

  /// Asks whether the text of a deleted todo becomes a new one: whoever deleted it may have had a reason.
  private static func deletionQuestion(_ text: String) -> ConfirmationDialogState<Todos.Action> {
    ConfirmationDialogState(titleVisibility: .visible) {
      TextState("This todo was deleted meanwhile")
    } actions: {
      ButtonState(action: .addButtonTapped(text: text)) { TextState("Add") }
      ButtonState(role: .cancel) { TextState("Discard") }
    } message: {
      TextState("Add '\(TextWidth.fit(text, columns: 40))' as a new todo?")
    }
  }
}

extension TodoFilter {
  /// The filter after this one, from the last to the first.
  var next: TodoFilter {
    let all = Self.allCases
    return all[((all.firstIndex(of: self) ?? 0) + 1) % all.count]
  }
}
