public import ReplicatedArchitecture

/// Which todos somebody wants to see.
///
/// It is no part of the shared state, nor is there an action for it: the list is everyone's, the look at it is one's own. Who
/// hides what is done must not hide it from all others. So every client keeps a filter of its own and applies it
/// with ``Todos/State/todos(showing:)``.
public enum TodoFilter: String, CaseIterable, Sendable {
  case all, active, completed

  /// Whether a todo is shown.
  public func shows(_ todo: Todo.State) -> Bool {
    switch self {
    case .all: true
    case .active: !todo.isComplete
    case .completed: todo.isComplete
    }
  }
}

extension Todos.State {
  /// The todos that a filter shows, in their order.
  ///
  /// - Complexity: O(1) for all of them, otherwise O(n log n).
  public func todos(showing filter: TodoFilter) -> IdentifiedArrayOf<Todo.State> {
    filter == .all ? todos : todos.filter(filter.shows)
  }

  /// How many are not done. - Complexity: O(n).
  public var activeCount: Int { todos.reduce(0) { $0 + ($1.isComplete ? 0 : 1) } }
}
