internal import ComposableCore
package import Features
internal import Terminal

/// The way to revert an action of the todos.
package nonisolated enum TodosStep: UndoStep {
  /// Deletes a todo that this terminal added, found by its text and the smallest id that it can have, unless another
  /// client has added the same text since.
  case added(text: String, id: Todo.State.ID)
  /// Deletes a todo that this terminal has inserted again.
  case restored(id: Todo.State.ID)
  /// Restores the earlier text of a todo, unless another client has changed it since.
  case edited(id: Todo.State.ID, old: String, new: String)
  /// Restores the mark of a todo as done or not done.
  case ticked(id: Todo.State.ID, was: Bool)
  /// Moves a todo back to before another one, or to the end.
  case moved(id: Todo.State.ID, before: Todo.State.ID?)
  /// Inserts a deleted todo again, before the one that followed it.
  case deleted(Todo.State, before: Todo.State.ID?)
  /// Cannot be reverted.
  case final(String)

  package static let screen = TerminalModel.Screen.todos

  // MARK: Recording

  package static func reverting(_ action: Todos.Action, in state: Todos.State) -> (what: String, step: TodosStep)? {
    switch action {
    case .addButtonTapped(let text):
      return ("added \(quoted(text))", .added(text: text, id: state.nextID))
    case .clearCompletedButtonTapped:
      return ("cleared the completed todos", .final("the todos cannot be restored"))
    case .deleteButtonTapped(let id):
      return state.todos[id: id].map { ("deleted \(quoted($0.text))", .deleted($0, before: next(to: id, state))) }
    case .moved(let id, _):
      return state.todos[id: id].map { ("moved \(quoted($0.text))", .moved(id: id, before: next(to: id, state))) }
    case .todos(.element(let id, .completionChanged(let isComplete))):
      return state.todos[id: id].map {
        ("\(isComplete ? "ticked" : "unticked") \(quoted($0.text))", .ticked(id: id, was: $0.isComplete))
      }
    case .todos(.element(let id, .textChanged(let text))):
      return state.todos[id: id].map { todo in
        ("changed \(quoted(todo.text, 20)) to \(quoted(text, 20))", .edited(id: id, old: todo.text, new: text))
      }
    case .restored(let todo, _):
      return ("restored \(quoted(todo.text))", .restored(id: todo.id))
    case .sortCompletedTodos, .sortContinued:
      return nil
    }
  }

  private static func quoted(_ text: String, _ columns: Int = 40) -> String {
    "'\(TextWidth.fit(text, columns: columns))'"
  }

  /// The id of the todo that follows another one.
  private static func next(to id: Todo.State.ID, _ state: Todos.State) -> Todo.State.ID? {
    guard let index = state.todos.index(id: id), index + 1 < state.todos.count else { return nil }
    return state.todos[index + 1].id
  }

  package static func mark(of action: Todos.Action, in state: Todos.State) -> PendingMark {
    switch action {
    case .addButtonTapped(let text): .todo(id: state.nextID, text: text)
    case .moved(let id, before: _): .todo(id: id, text: nil)
    case .todos(.element(let id, action: _)): .todo(id: id, text: nil)
    case .restored(let todo, before: _): .todo(id: todo.id, text: nil)
    case .clearCompletedButtonTapped, .deleteButtonTapped, .sortCompletedTodos, .sortContinued: .screen(.todos)
    }
  }

  // MARK: Reverting

  package func outcome(in state: Todos.State) -> UndoOutcome<Todos.Action> {
    let todos = state.todos
    switch self {
    case .added(let text, let first):
      let found = todos.filter { $0.id >= first && $0.text == text }
      guard let todo = found.first else { return .nothing("it is gone, or has another text") }
      guard found.count == 1 else { return .nothing("several todos have that text; delete the one that you added") }
      return .send(.deleteButtonTapped(id: todo.id))
    case .restored(let id):
      guard todos[id: id] != nil else { return .nothing("it is gone") }
      return .send(.deleteButtonTapped(id: id))
    case .edited(let id, let old, let new):
      guard let todo = todos[id: id] else { return .nothing("it is gone") }
      guard todo.text == new else { return .nothing("somebody has changed it since") }
      return .send(.todos(.element(id: id, action: .textChanged(old))))
    case .ticked(let id, let was):
      guard let todo = todos[id: id] else { return .nothing("it is gone") }
      guard todo.isComplete != was else { return .nothing("that has happened already") }
      return .send(.todos(.element(id: id, action: .completionChanged(was))))
    case .moved(let id, let next):
      guard todos[id: id] != nil else { return .nothing("it is gone") }
      if let next, todos[id: next] == nil { return .nothing("the todo that followed it is gone") }
      return .send(.moved(id: id, before: next))
    case .deleted(let todo, let next):
      guard todos[id: todo.id] == nil else { return .nothing("it was restored already") }
      return .send(.restored(todo, before: next))
    case .final(let reason):
      return .nothing(reason)
    }
  }
}
