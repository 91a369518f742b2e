public import ReplicatedArchitecture

/// The todos that a user wants to see.
///
/// It is neither part of the shared state nor set by an action: the list is shared, its presentation is not. A user who
/// hides completed todos must not hide them from the others. Each client therefore keeps its own filter and applies it
/// with ``Todos/State/todos(showing:)``.
public enum TodoFilter: String, CaseIterable, Sendable {
  case all, active, completed

  /// Returns true if a todo is shown.
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

  /// The number of todos that are not completed. - Complexity: O(n).
  public var activeCount: Int { todos.reduce(0) { $0 + ($1.isComplete ? 0 : 1) } }
}
