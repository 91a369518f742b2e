public import ReplicatedArchitecture

/// A list of things to do that everyone sees and changes.
///
/// Where an action names a todo it names it by id, and a place by the todo that stands there: between what somebody saw and
/// what the action meets, somebody else may have moved everything.
@Reducer
public struct Todos: Sendable {
  /// The list.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The todos in their order.
    public var todos: IdentifiedArrayOf<Todo.State> = []
    /// The id of the next todo: a count, for there is one reducer that gives ids, and they are short on the wire.
    public var nextID = 0

    /// Creates a list; ids go on after the highest there is.
    public init(todos: IdentifiedArrayOf<Todo.State> = []) {
      self.todos = todos
      nextID = (todos.lazy.map(\.id).max() ?? -1) + 1
    }

    /// Whether every open todo stands before every completed one.
    /// - Complexity: O(n).
    var isSorted: Bool {
      guard let firstCompleted = todos.firstIndex(where: \.isComplete) else { return true }
      return todos[firstCompleted...].allSatisfy(\.isComplete)
    }

    mutating func add(_ text: String) {
      todos.insert(Todo.State(id: nextID, text: text), at: startOfCompleted)
      nextID += 1
    }

    /// Where the completed todos begin: a place with no completed todo before it and no open one at it. If the list is not
    /// sorted at the moment, one of the places that separate an open todo from a completed one.
    ///
    /// - Complexity: O(log² n).
    private var startOfCompleted: Int {
      var (low, high) = (todos.startIndex, todos.endIndex)
      while low < high {
        let middle = low + (high - low) / 2
        if todos[middle].isComplete { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  /// What can happen to the list.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// Someone wants another todo with this text.
    case addButtonTapped(text: String)
    /// Someone takes all away that are done.
    case clearCompletedButtonTapped
    /// Someone takes one away.
    case deleteButtonTapped(id: Todo.State.ID)
    /// Someone puts one before another one, or at the end.
    case moved(id: Todo.State.ID, before: Todo.State.ID?)
    /// It is time for those that are done to go to the end.
    case sortCompletedTodos
    /// Something happened to one of them.
    case todos(IdentifiedActionOf<Todo>)
  }

  private enum CancelID { case sorting }

  @Dependency(\.continuousClock) private var clock

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .addButtonTapped(let text):
        state.add(text)
        return .none

      case .clearCompletedButtonTapped:
        state.todos.removeAll(where: \.isComplete)
        return .none

      case .deleteButtonTapped(let id):
        state.todos.remove(id: id)
        return .none

      case .moved(let id, let next):
        guard let source = state.todos.index(id: id) else { return .none }
        var destination = state.todos.endIndex
        if let next {
          guard let index = state.todos.index(id: next) else { return .none }
          destination = index
        }
        state.todos.move(fromOffsets: [source], toOffset: destination)
        return sortSoon()

      case .sortCompletedTodos:
        state.todos.partition(by: \.isComplete)
        return .none

      case .todos(.element(_, .completionChanged)):
        return sortSoon()

      case .todos:
        return .none
      }
    }
    .forEach(\.todos, action: \.todos) { Todo() }
    .passingOver { state, action in
      guard case .todos(.element(let id, _)) = action else { return false }
      return state.todos[id: id] == nil
    }
  }

  /// Sorts a second after the last change, so that nothing moves away under the cursor of somebody who is ticking.
  private func sortSoon() -> Effect<Action> {
    .run(name: "sorting") { [clock] send in
      try await clock.sleep(for: .seconds(1))
      await send(.sortCompletedTodos)
    }
    .cancellable(id: CancelID.sorting, cancelInFlight: true)
  }
}
