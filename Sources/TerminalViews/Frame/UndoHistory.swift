internal import ComposableCore
internal import Features

/// The actions of one terminal that it can undo; those of other clients are not included.
///
/// Since other clients act in the meantime, a step is applied to the current state, and may find nothing left to undo.
nonisolated struct UndoHistory: Equatable, Sendable {
  /// The maximum number of steps.
  private static let limit = 100

  private enum Step: Equatable, Sendable {
    /// Sends the opposite action, whatever the state is.
    case opposite(AppFeature.Action)
    /// Restores whether the timer runs.
    case timed(was: Bool)
    /// Deletes a todo that this terminal added, found by its text and the smallest id that it can have, unless another
    /// client has added the same text since.
    case added(text: String, id: Todo.State.ID)
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
    /// Cannot be undone.
    case final(String)
  }

  /// The result of an undo.
  enum Outcome: Equatable {
    /// An action to send, with its description.
    case send(AppFeature.Action, String)
    /// Nothing to send, with the reason.
    case nothing(String)
  }

  /// A step and the number of the action that it undoes.
  private struct Entry: Equatable, Sendable {
    var number: Int
    var step: Step
  }

  /// An entry whose undo was sent, and the number of the action that undoes it.
  private struct Undone: Equatable, Sendable {
    var number: Int
    var entry: Entry
  }

  /// The entries in the order of their actions.
  private var entries: [Entry] = []
  private var undone: [Undone] = []
  /// The number of the last sent action; they are counted from 1.
  private(set) var lastNumber = 0

  /// Numbers an action that is sent in a state, and records its step.
  mutating func note(_ action: AppFeature.Action, in state: AppFeature.State) {
    lastNumber += 1
    guard let step = Self.step(action, state) else { return }
    insert(Entry(number: lastNumber, step: step))
  }

  /// Removes the step of an action that had no effect. If the action was an undo, its step can be undone again.
  mutating func forget(_ number: Int) {
    entries.removeAll { $0.number == number }
    undone.removeAll { $0.entry.number == number }
    guard let index = undone.firstIndex(where: { $0.number == number }) else { return }
    let entry = undone.remove(at: index).entry
    insert(entry)
  }

  private mutating func insert(_ entry: Entry) {
    let index = entries.firstIndex { $0.number > entry.number } ?? entries.endIndex
    entries.insert(entry, at: index)
    if entries.count > Self.limit { entries.removeFirst() }
  }

  private static func step(_ action: AppFeature.Action, _ state: AppFeature.State) -> Step? {
    switch action {
    case .counter(.incrementButtonTapped): .opposite(.counter(.decrementButtonTapped))
    case .counter(.decrementButtonTapped): .opposite(.counter(.incrementButtonTapped))
    case .counter(.toggleTimerButtonTapped): .timed(was: state.counter.isTimerOn)
    case .counter: nil
    case .todos(let action): step(action, state.todos)
    case .favourites(.view(.incrementButtonTapped)): .opposite(.favourites(.view(.decrementButtonTapped)))
    case .favourites(.view(.decrementButtonTapped)): .opposite(.favourites(.view(.incrementButtonTapped)))
    case .favourites(.view(.favouriteButtonTapped)):
      .liked(number: state.favourites.count, was: state.favourites.isFavourite)
    case .favourites(.destination(.presented(.favourites(.deleteButtonTapped(let number))))):
      .liked(number: number, was: state.favourites.favourites[id: number] != nil)
    case .favourites: nil
    }
  }

  private static func step(_ action: Todos.Action, _ state: Todos.State) -> Step? {
    switch action {
    case .addButtonTapped(let text):
      return .added(text: text, id: state.nextID)
    case .clearCompletedButtonTapped:
      return .final("clearing cannot be undone")
    case .deleteButtonTapped(let id):
      return state.todos[id: id].map { .deleted($0, before: next(to: id, state)) }
    case .moved(let id, _):
      return state.todos[id: id].map { _ in .moved(id: id, before: next(to: id, state)) }
    case .todos(.element(let id, .completionChanged)):
      return state.todos[id: id].map { .ticked(id: id, was: $0.isComplete) }
    case .todos(.element(let id, .textChanged(let text))):
      return state.todos[id: id].map { .edited(id: id, old: $0.text, new: text) }
    case .sortCompletedTodos, .restored:
      return nil
    }
  }

  /// The id of the todo that follows another one.
  private static func next(to id: Todo.State.ID, _ state: Todos.State) -> Todo.State.ID? {
    guard let index = state.todos.index(id: id), index + 1 < state.todos.count else { return nil }
    return state.todos[index + 1].id
  }

  /// Undoes the last step.
  mutating func undo(in state: AppFeature.State) -> Outcome {
    guard let entry = entries.popLast() else { return .nothing("nothing to undo") }
    let outcome = Self.outcome(of: entry.step, state)
    guard case .send = outcome else { return outcome }
    lastNumber += 1
    undone.append(Undone(number: lastNumber, entry: entry))
    if undone.count > Self.limit { undone.removeFirst() }
    return outcome
  }

  private static func outcome(of step: Step, _ state: AppFeature.State) -> Outcome {
    let todos = state.todos.todos
    switch step {
    case .opposite(let action):
      return .send(action, "undone")
    case .timed(let was):
      guard state.counter.isTimerOn != was else { return .nothing("that is undone already") }
      return .send(.counter(.toggleTimerButtonTapped), "undone")
    case .added(let text, let first):
      let found = todos.filter { $0.id >= first && $0.text == text }
      guard let todo = found.first else { return .nothing("the todo that you added is gone, or has another text") }
      guard found.count == 1 else { return .nothing("several todos have that text; delete the one that you added") }
      return .send(.todos(.deleteButtonTapped(id: todo.id)), "undone: added")
    case .edited(let id, let old, let new):
      guard let todo = todos[id: id] else { return .nothing("the todo that you changed is gone") }
      guard todo.text == new else { return .nothing("somebody has changed that todo since") }
      return .send(.todos(.todos(.element(id: id, action: .textChanged(old)))), "undone: changed")
    case .ticked(let id, let was):
      guard let todo = todos[id: id] else { return .nothing("the todo that you ticked is gone") }
      guard todo.isComplete != was else { return .nothing("that is undone already") }
      return .send(
        .todos(.todos(.element(id: id, action: .completionChanged(was)))), was ? "undone: unticked" : "undone: ticked")
    case .moved(let id, let next):
      guard todos[id: id] != nil else { return .nothing("the todo that you moved is gone") }
      if let next, todos[id: next] == nil { return .nothing("the todo that followed it is gone") }
      return .send(.todos(.moved(id: id, before: next)), "undone: moved")
    case .deleted(let todo, let next):
      guard todos[id: todo.id] == nil else { return .nothing("that todo has already been restored") }
      return .send(.todos(.restored(todo, before: next)), "undone: deleted")
    case .liked(let number, let was):
      guard (state.favourites.favourites[id: number] != nil) != was else {
        return .nothing("that is undone already")
      }
      guard state.favourites.count == number else { return .nothing("go to \(number) to change that again") }
      return .send(.favourites(.view(.favouriteButtonTapped)), "undone")
    case .final(let reason):
      return .nothing(reason)
    }
  }
}
