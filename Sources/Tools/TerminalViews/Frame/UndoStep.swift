internal import ComposableCore
internal import Features
internal import Terminal

/// The way to revert one action, applied to the state at that time.
nonisolated enum UndoStep: Equatable, Sendable {
  /// Sends the opposite action, whatever the state is.
  case opposite(AppFeature.Action)
  /// Restores whether the timer runs.
  case timed(was: Bool)
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
  /// Restores whether a number is a favourite.
  case liked(number: Int, was: Bool)
  /// Cannot be reverted.
  case final(String)

  /// The result of a step.
  enum Outcome: Equatable {
    /// An action to send.
    case send(AppFeature.Action)
    /// Nothing to send, with the reason.
    case nothing(String)
  }

  // MARK: Recording

  /// Returns the description of an action that is sent in a state, and the step that reverts it; nil if there is nothing
  /// to revert.
  static func reverting(_ action: AppFeature.Action, in state: AppFeature.State) -> (what: String, step: UndoStep)? {
    switch action {
    case .counter(.incrementButtonTapped): ("counted up", .opposite(.counter(.decrementButtonTapped)))
    case .counter(.decrementButtonTapped): ("counted down", .opposite(.counter(.incrementButtonTapped)))
    case .counter(.toggleTimerButtonTapped):
      (state.counter.isTimerOn ? "stopped the timer" : "started the timer", .timed(was: state.counter.isTimerOn))
    case .counter: nil
    case .todos(let action): reverting(action, in: state.todos)
    case .favourites(.view(.incrementButtonTapped)):
      ("went up", .opposite(.favourites(.view(.decrementButtonTapped))))
    case .favourites(.view(.decrementButtonTapped)):
      ("went down", .opposite(.favourites(.view(.incrementButtonTapped))))
    case .favourites(.view(.favouriteButtonTapped)):
      liked(state.favourites.count, was: state.favourites.isFavourite)
    case .favourites(.destination(.presented(.favourites(.deleteButtonTapped(let number))))):
      liked(number, was: state.favourites.favourites[id: number] != nil)
    case .favourites: nil
    }
  }

  private static func liked(_ number: Int, was: Bool) -> (String, UndoStep) {
    (was ? "\(number) is no favourite" : "\(number) is a favourite", .liked(number: number, was: was))
  }

  private static func reverting(_ action: Todos.Action, in state: Todos.State) -> (String, UndoStep)? {
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
    case .sortCompletedTodos:
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

  // MARK: Reverting

  /// Returns the action that reverts the step in the current state.
  func outcome(in state: AppFeature.State) -> Outcome {
    let todos = state.todos.todos
    switch self {
    case .opposite(let action):
      return .send(action)
    case .timed(let was):
      guard state.counter.isTimerOn != was else { return .nothing("that has happened already") }
      return .send(.counter(.toggleTimerButtonTapped))
    case .added(let text, let first):
      let found = todos.filter { $0.id >= first && $0.text == text }
      guard let todo = found.first else { return .nothing("it is gone, or has another text") }
      guard found.count == 1 else { return .nothing("several todos have that text; delete the one that you added") }
      return .send(.todos(.deleteButtonTapped(id: todo.id)))
    case .restored(let id):
      guard todos[id: id] != nil else { return .nothing("it is gone") }
      return .send(.todos(.deleteButtonTapped(id: id)))
    case .edited(let id, let old, let new):
      guard let todo = todos[id: id] else { return .nothing("it is gone") }
      guard todo.text == new else { return .nothing("somebody has changed it since") }
      return .send(.todos(.todos(.element(id: id, action: .textChanged(old)))))
    case .ticked(let id, let was):
      guard let todo = todos[id: id] else { return .nothing("it is gone") }
      guard todo.isComplete != was else { return .nothing("that has happened already") }
      return .send(.todos(.todos(.element(id: id, action: .completionChanged(was)))))
    case .moved(let id, let next):
      guard todos[id: id] != nil else { return .nothing("it is gone") }
      if let next, todos[id: next] == nil { return .nothing("the todo that followed it is gone") }
      return .send(.todos(.moved(id: id, before: next)))
    case .deleted(let todo, let next):
      guard todos[id: todo.id] == nil else { return .nothing("it was restored already") }
      return .send(.todos(.restored(todo, before: next)))
    case .liked(let number, let was):
      guard (state.favourites.favourites[id: number] != nil) != was else {
        return .nothing("that has happened already")
      }
      guard state.favourites.count == number else { return .nothing("go to \(number) to change that") }
      return .send(.favourites(.view(.favouriteButtonTapped)))
    case .final(let reason):
      return .nothing(reason)
    }
  }
}
