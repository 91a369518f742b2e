internal import Features

/// The actions of a terminal that the hub has not acknowledged.
///
/// An action is only pending for its users if that takes longer than usual: a mark at each key would flicker.
nonisolated struct PendingMarks: Equatable, Sendable {
  /// The time after which an action is marked.
  static let delay = Duration.milliseconds(300)

  /// A todo that an action changes.
  struct ChangedTodo: Equatable, Sendable {
    var id: Todo.State.ID
    /// The text of an added todo, which may get another id.
    var text: String?
  }

  private struct Mark: Equatable, Sendable {
    var tab: Screens.Tab
    var todo: ChangedTodo?
    /// The time at which it becomes visible.
    var start: Duration
  }

  private var marks: [Int: Mark] = [:]

  /// Records a sent action of a screen.
  mutating func note(_ number: Int, on tab: Screens.Tab, _ todo: ChangedTodo?, at now: Duration) {
    marks[number] = Mark(tab: tab, todo: todo, start: now + Self.delay)
  }

  /// Removes an action whose outcome is known.
  mutating func remove(_ number: Int) { marks[number] = nil }

  /// The time at which a further action becomes visible.
  func nextChange(after now: Duration) -> Duration? { marks.values.lazy.map(\.start).filter { $0 > now }.min() }

  private func visible(at now: Duration) -> some Sequence<Mark> { marks.values.lazy.filter { $0.start <= now } }

  /// The number of pending actions.
  func count(at now: Duration) -> Int { visible(at: now).reduce(0) { count, _ in count + 1 } }

  /// Returns true if a screen has pending actions.
  func isPending(_ tab: Screens.Tab, at now: Duration) -> Bool { visible(at: now).contains { $0.tab == tab } }

  /// The todos with pending actions; with their texts if their ids are not certain.
  func todos(at now: Duration) -> [Todo.State.ID: String?] {
    var todos: [Todo.State.ID: String?] = [:]
    for mark in visible(at: now) {
      if let todo = mark.todo { todos.updateValue(todo.text, forKey: todo.id) }
    }
    return todos
  }
}
