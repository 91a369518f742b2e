public import ReplicatedArchitecture

/// A list of todos that all users see and change.
///
/// Actions refer to todos by id, and to positions by the todo there: others may have moved todos since the user last
/// saw the list.
@Reducer
public struct Todos: Sendable {
  /// The list.
  @ObservableState
  @Replicated
  public struct State: Equatable, Sendable {
    /// The todos in their order.
    public var todos: IdentifiedArrayOf<Todo.State> = []
    /// The id of the next todo: a counter, because a single reducer assigns ids, and they are short on the wire.
    public var nextID = 0
    /// The list as its last sort left it: the next one looks only at what has changed since. Until then, replaced parts of
    /// the list stay in memory.
    @Replicated(omit)
    @ObservationStateIgnored
    var lastSorted = Remembered<IdentifiedArrayOf<Todo.State>>()
    /// How far a sort in steps has come, if nobody has disturbed it.
    @Replicated(omit)
    @ObservationStateIgnored
    var sortProgress = Remembered<SortProgress>()
    /// The number of actions since the last sort.
    @Replicated(omit)
    @ObservationStateIgnored
    var actionsSinceSort = Tally()

    /// Creates a list; new ids follow the highest existing one.
    public init(todos: IdentifiedArrayOf<Todo.State> = []) {
      self.todos = todos
      nextID = (todos.lazy.map(\.id).max() ?? -1) + 1
    }

    /// True if all open todos precede all completed ones.
    /// - Complexity: O(n).
    package var isSorted: Bool {
      guard let firstCompleted = todos.firstIndex(where: \.isComplete) else { return true }
      return todos[firstCompleted...].allSatisfy(\.isComplete)
    }

    /// The greatest length of a list that is sorted in one action.
    package static let sortedAtOnce = 4096

    /// Moves the completed todos to the end.
    ///
    /// - Complexity: O(k log n) for k todos that have changed since the last sort; O(n) for the first.
    mutating func sort() {
      todos.partition(since: lastSorted.value ?? [], by: \.isComplete)
      lastSorted.value = todos
      (sortProgress.value, actionsSinceSort.count) = (nil, 0)
    }

    mutating func add(_ text: String) {
      todos.insert(Todo.State(id: nextID, text: text), at: startOfCompleted)
      nextID += 1
    }

    /// Inserts a deleted todo again: before another one or at the end; if the other one is gone, at the end of the todos
    /// with the same mark.
    /// - Returns: False if its id was never assigned, or is in use.
    mutating func restore(_ todo: Todo.State, before next: Todo.State.ID?) -> Bool {
      guard (0..<nextID).contains(todo.id), todos.index(id: todo.id) == nil else { return false }
      let end = next == nil || todo.isComplete ? todos.endIndex : startOfCompleted
      todos.insert(todo, at: next.flatMap { todos.index(id: $0) } ?? end)
      return true
    }

    /// The start of the completed todos: a position with no completed todo before it and no open one at or after it. If
    /// the list is not sorted at the moment, one of the positions between an open todo and a completed one.
    ///
    /// - Complexity: O(log² n).
    private var startOfCompleted: Int { startOfCompleted(from: todos.startIndex) }

    /// The same of the todos from a position on.
    func startOfCompleted(from start: Int) -> Int {
      var (low, high) = (start, todos.endIndex)
      while low < high {
        let middle = low + (high - low) / 2
        if todos[middle].isComplete { high = middle } else { low = middle + 1 }
      }
      return low
    }
  }

  /// The actions of the list.
  @Replicated
  public enum Action: Equatable, Sendable {
    /// A user adds a todo with this text.
    case addButtonTapped(text: String)
    /// A user removes all completed todos.
    case clearCompletedButtonTapped
    /// A user removes a todo.
    case deleteButtonTapped(id: Todo.State.ID)
    /// A user moves a todo before another one, or to the end.
    case moved(id: Todo.State.ID, before: Todo.State.ID?)
    /// Moves the completed todos to the end. For a long list, begins to do so.
    case sortCompletedTodos
    /// An action of a todo.
    case todos(IdentifiedActionOf<Todo>)
    /// A user inserts a deleted todo again, before another one or at the end.
    ///
    /// Indirect, because its payload would enlarge every action: destroying one would take 60 instructions more.
    indirect case restored(Todo.State, before: Todo.State.ID?)
    /// Goes on to sort a long list, from its end to its start: sorts the todos before one of them, or before the end, and
    /// not before another one, together with all that follow.
    indirect case sortContinued(from: Todo.State.ID?, before: Todo.State.ID?)
  }

  private enum CancelID { case sorting, sortingInSteps }

  @Dependency(\.continuousClock) private var clock

  /// Creates the reducer.
  public init() {}

  public var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .sortContinued = action {} else { state.actionsSinceSort.count &+= 1 }
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
        return sortSoon(&state)

      case .restored(let todo, let next):
        return state.restore(todo, before: next) ? sortSoon(&state) : .none

      case .sortCompletedTodos:
        guard state.todos.count > State.sortedAtOnce else {
          state.sort()
          return .none
        }
        return sort(state.beginSort())

      case .sortContinued(let start, let end):
        return sort(state.continueSort(from: start, before: end))

      case .todos(.element(_, .completionChanged)):
        return sortSoon(&state)

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

  /// Sorts a second after the last change, so that todos do not move while a user is ticking them.
  private func sortSoon(_ state: inout State) -> Effect<Action> {
    state.disturbSort()
    return .run(name: "sorting") { [clock] send in
      try await clock.sleep(for: .seconds(1))
      await send(.sortCompletedTodos)
    }
    .cancellable(id: CancelID.sorting, cancelInFlight: true)
  }

  /// Sends itself the next step of a sort. Each is an action of its own, between which those of clients are handled; an
  /// effect with `send` alone would be reduced together with this one.
  private func sort(_ next: State.SortStep?) -> Effect<Action> {
    guard let next else { return .none }
    return .run(name: "sorting in steps") { send in await send(.sortContinued(from: next.start, before: next.end)) }
      .cancellable(id: CancelID.sortingInSteps, cancelInFlight: true)
  }
}
