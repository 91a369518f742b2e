internal import ComposableCore
internal import Features
internal import Wire

/// The actions of a workload on the state that the hub had at the start, by number.
nonisolated struct ActionSource {
  private let workload: Workload
  private let initial: AppFeature.State
  /// Consecutive actions go to todos this far apart, so that no two in a turn share a leaf of the list.
  private let stride: Int
  private static let increment = AppFeature.Action.counter(.incrementButtonTapped).encoded()

  init(_ workload: Workload, initial: AppFeature.State) {
    (self.workload, self.initial) = (workload, initial)
    stride = initial.todos.todos.count.isMultiple(of: 7919) ? 1 : 7919
  }

  /// Why `count` actions cannot be sent to this state, if so.
  func refusal(of count: Int) -> LoadError? {
    let needed =
      switch workload {
      case .increment, .add: 0
      case .delete: count
      case .edit, .move, .toggle: 1
      }
    let todos = initial.todos.todos.count
    return todos < needed ? .tooFewTodos(needed: needed, found: todos) : nil
  }

  /// Appends the action with a number, counted from 0.
  func encode(_ number: Int, to encoder: inout CBOREncoder) {
    if workload == .increment { return encoder.append(Self.increment.span.bytes) }
    AppFeature.Action.todos(action(number)).encode(to: &encoder)
  }

  /// How the state at the end differs from what `count` actions make of the state at the start, if it does.
  func fault(after count: Int, from connections: Int, in final: AppFeature.State) -> LoadError? {
    let (before, after) = (initial.todos.todos, final.todos.todos)
    switch workload {
    case .increment:
      let expected = initial.counter.count + count
      return final.counter.count == expected ? nil : .wrongCount(expected: expected, found: final.counter.count)
    case .add, .delete, .move:
      let expected = before.count + (workload == .add ? count : workload == .delete ? -count : 0)
      return after.count == expected ? nil : .wrongCount(expected: expected, found: after.count)
    case .edit, .toggle:
      // Every todo has what the last action for it said; between connections there is no order.
      guard connections == 1 || count <= before.count else { return nil }
      for number in max(0, count - before.count)..<count {
        let todo = before[position(number)]
        let isRight =
          workload == .edit
          ? after[id: todo.id]?.text == text(number) : after[id: todo.id]?.isComplete == completion(number)
        guard isRight else { return .wrongTodo(id: todo.id) }
      }
      return nil
    }
  }

  private func action(_ number: Int) -> Todos.Action {
    switch workload {
    case .increment, .add: .addButtonTapped(text: text(number))
    case .edit: .todos(.element(id: id(number), action: .textChanged(text(number))))
    case .move: .moved(id: id(number), before: id(number + 1) == id(number) ? nil : id(number + 1))
    case .delete: .deleteButtonTapped(id: id(number))
    case .toggle: .todos(.element(id: id(number), action: .completionChanged(completion(number))))
    }
  }

  private func position(_ number: Int) -> Int { number &* stride % initial.todos.todos.count }
  private func id(_ number: Int) -> Int { initial.todos.todos[position(number)].id }
  private func text(_ number: Int) -> String { "todo number \(number)" }

  /// The opposite of what the todo was, and once more the opposite each time that its turn comes again.
  private func completion(_ number: Int) -> Bool {
    initial.todos.todos[position(number)].isComplete != (number / initial.todos.todos.count).isMultiple(of: 2)
  }
}
