import ComposableCore
public import Features
public import Terminal

/// One terminal's own view of the shared list of todos, which is not part of the shared state: the filter, the cursor, and
/// the line that is being edited.
public nonisolated struct TodosPanel: Equatable, Sendable {
  /// The filter of the list.
  public private(set) var filter = TodoFilter.all
  /// The todo that keys act on.
  public private(set) var cursor = ListCursor<Todo.State.ID>()
  /// The line that is being edited, if any.
  public private(set) var writing: Writing?
  /// The todo that this terminal added and that has not come back yet: the cursor moves to it.
  private var awaited: Awaited?

  /// A line that is being edited, and the todo it belongs to.
  public struct Writing: Equatable, Sendable {
    /// The line.
    public var line = TextLine()
    /// The todo that is edited; nil for a new one.
    public var id: Todo.State.ID?
  }

  /// A todo that was sent: its text, and the smallest id that it can have.
  private struct Awaited: Equatable {
    var text: String
    var id: Todo.State.ID
  }

  /// Creates a view of all todos.
  public init() {}

  /// Finds the cursor's todo again after the list may have changed.
  public mutating func follow(_ state: Todos.State) {
    let shown = state.todos(showing: filter)
    cursor.follow(shown.ids) { shown.index(id: $0) }
    if let sent = awaited, let position = shown.firstIndex(where: { $0.id >= sent.id && $0.text == sent.text }) {
      awaited = nil
      cursor.select(shown[position].id, at: position)
    }
    // Another client deleted the todo that is being edited: the text is not lost, it becomes a new todo.
    if let id = writing?.id, state.todos[id: id] == nil { writing?.id = nil }
  }

  /// Takes a key.
  ///
  /// - Returns: The action to send, if any.
  public mutating func pressed(_ key: Key, _ state: Todos.State) -> Todos.Action? {
    // Pasted text is many keys, and none of them changes which todos are shown.
    if writing != nil, key != .enter, key != .escape {
      writing?.line.pressed(key)
      return nil
    }
    follow(state)
    defer { follow(state) }
    if writing != nil { return written(key, state) }
    let shown = state.todos(showing: filter)
    if cursor.pressed(key, shown.ids) {
      awaited = nil
      return nil
    }
    switch key {
    case .character("a"):
      writing = Writing()
    case .character("f"):
      let all = TodoFilter.allCases
      filter = all[((all.firstIndex(of: filter) ?? 0) + 1) % all.count]
    case .character("c"):
      return .clearCompletedButtonTapped
    default:
      return cursor.id.flatMap { shown[id: $0] }.flatMap { pressed(key, on: $0, shown, state) }
    }
    return nil
  }

  /// A key that acts on the cursor's todo.
  private mutating func pressed(
    _ key: Key, on todo: Todo.State, _ shown: IdentifiedArrayOf<Todo.State>, _ state: Todos.State
  ) -> Todos.Action? {
    switch key {
    case .character(" "), .character("x"):
      return .todos(.element(id: todo.id, action: .completionChanged(!todo.isComplete)))
    case .character("e"), .enter:
      writing = Writing(line: TextLine(todo.text), id: todo.id)
    case .character("d"), .delete:
      return .deleteButtonTapped(id: todo.id)
    case .character("K") where cursor.position > 0:
      return .moved(id: todo.id, before: shown[cursor.position - 1].id)
    case .character("J") where cursor.position + 1 < shown.count:
      // Behind the next one that is shown: before whatever follows that, shown or not.
      let next = (state.todos.index(id: shown[cursor.position + 1].id) ?? 0) + 1
      return .moved(id: todo.id, before: next < state.todos.count ? state.todos[next].id : nil)
    default:
      break
    }
    return nil
  }

  /// A key that ends the line that is being written.
  private mutating func written(_ key: Key, _ state: Todos.State) -> Todos.Action? {
    guard let writing else { return nil }
    switch key {
    case .escape:
      self.writing = nil
    case .enter:
      self.writing = nil
      let text = writing.line.text
      guard !writing.line.isBlank else { return nil }
      if let id = writing.id {
        return state.todos[id: id]?.text == text ? nil : .todos(.element(id: id, action: .textChanged(text)))
      }
      if filter == .completed { filter = .all }
      awaited = Awaited(text: text, id: state.nextID)
      return .addButtonTapped(text: text)
    default:
      break
    }
    return nil
  }
}
