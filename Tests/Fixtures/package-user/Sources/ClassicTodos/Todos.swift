// A list of todos in the style of 2020 and 2021, by an author who knew only that library.
import ComposableArchitectureClassic
import Foundation

public struct Todo: Equatable, Identifiable {
  public var description = ""
  public let id: UUID
  public var isComplete = false
}

public enum TodoAction: Equatable {
  case checkBoxToggled
  case textFieldChanged(String)
}

struct TodoEnvironment {}

let todoReducer = Reducer<Todo, TodoAction, TodoEnvironment> { todo, action, _ in
  switch action {
  case .checkBoxToggled:
    todo.isComplete.toggle()
    return .none

  case let .textFieldChanged(description):
    todo.description = description
    return .none
  }
}

public enum Filter: String, CaseIterable, Hashable {
  case all = "All"
  case active = "Active"
  case completed = "Completed"
}

public struct AppState: Equatable {
  public var filter: Filter = .all
  public var todos: IdentifiedArrayOf<Todo> = []
  public var search: SearchState?

  public init() {}

  public var filteredTodos: IdentifiedArrayOf<Todo> {
    switch filter {
    case .active: return self.todos.filter { !$0.isComplete }
    case .all: return self.todos
    case .completed: return self.todos.filter(\.isComplete)
    }
  }
}

public enum AppAction: Equatable {
  case addTodoButtonTapped
  case clearCompletedButtonTapped
  case delete(IndexSet)
  case filterPicked(Filter)
  case search(SearchAction)
  case setSearch(isPresented: Bool)
  case sortCompletedTodos
  case todo(id: Todo.ID, action: TodoAction)
}

public struct AppEnvironment {
  var mainQueue: AnySchedulerOf<DispatchQueue>
  var uuid: () -> UUID
  var searchClient: SearchClient

  public init(mainQueue: AnySchedulerOf<DispatchQueue>, uuid: @escaping () -> UUID, searchClient: SearchClient) {
    self.mainQueue = mainQueue
    self.uuid = uuid
    self.searchClient = searchClient
  }
}

public let appReducer = Reducer<AppState, AppAction, AppEnvironment>.combine(
  todoReducer.forEach(
    state: \AppState.todos,
    action: /AppAction.todo(id:action:),
    environment: { _ in TodoEnvironment() }
  ),
  searchReducer
    .optional()
    .pullback(
      state: \.search,
      action: /AppAction.search,
      environment: { SearchEnvironment(client: $0.searchClient, mainQueue: $0.mainQueue) }
    ),
  Reducer { state, action, environment in
    switch action {
    case .addTodoButtonTapped:
      state.todos.insert(Todo(id: environment.uuid()), at: 0)
      return .none

    case .clearCompletedButtonTapped:
      state.todos.removeAll(where: { $0.isComplete })
      return .none

    case let .delete(indexSet):
      for index in indexSet.reversed() { state.todos.remove(at: index) }
      return .none

    case let .filterPicked(filter):
      state.filter = filter
      return .none

    case .setSearch(isPresented: true):
      state.search = .init()
      return .none

    case .setSearch(isPresented: false):
      state.search = nil
      return .cancel(id: SearchID())

    case .search:
      return .none

    case .sortCompletedTodos:
      state.todos = IdentifiedArray(
        uniqueElements: state.todos.enumerated()
          .sorted(by: { lhs, rhs in
            (rhs.element.isComplete && !lhs.element.isComplete)
              || (rhs.element.isComplete == lhs.element.isComplete && lhs.offset < rhs.offset)
          })
          .map(\.element)
      )
      return .none

    case .todo(id: _, action: .checkBoxToggled):
      struct TodoCompletionId: Hashable {}
      return Effect(value: .sortCompletedTodos)
        .debounce(id: TodoCompletionId(), for: 1, scheduler: environment.mainQueue.animation())

    case .todo:
      return .none
    }
  }
)
.debug()
