/// The action that a load test sends.
public nonisolated enum Workload: String, Sendable, CaseIterable {
  /// Counts the shared counter up.
  case increment
  /// Adds a todo.
  case add
  /// Changes the text of a todo.
  case edit
  /// Moves a todo before another one.
  case move
  /// Deletes a todo.
  case delete
  /// Completes a todo, or undoes that.
  case toggle
}
