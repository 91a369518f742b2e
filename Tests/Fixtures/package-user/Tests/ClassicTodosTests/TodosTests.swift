import ComposableArchitectureClassic
import ComposableArchitectureTestSupport
import XCTest

@testable import ClassicTodos

class TodosTests: XCTestCase {
  let scheduler = DispatchQueue.testScheduler

  func environment(uuid: @escaping () -> UUID = UUID.incrementing, search: SearchClient = .failing) -> AppEnvironment {
    AppEnvironment(mainQueue: self.scheduler.eraseToAnyScheduler(), uuid: uuid, searchClient: search)
  }

  func testAddTodo() {
    let store = TestStore(initialState: AppState(), reducer: appReducer, environment: environment())

    store.assert(
      .send(.addTodoButtonTapped) {
        $0.todos.insert(
          Todo(description: "", id: UUID(uuidString: "00000000-0000-0000-0000-000000000000")!, isComplete: false), at: 0
        )
      }
    )
  }

  func testCompleteTodoDebounces() {
    var state = AppState()
    state.todos = [
      Todo(description: "", id: UUID(uuidString: "00000000-0000-0000-0000-000000000000")!, isComplete: false),
      Todo(description: "", id: UUID(uuidString: "00000000-0000-0000-0000-000000000001")!, isComplete: false),
    ]
    let store = TestStore(initialState: state, reducer: appReducer, environment: environment())

    store.send(.todo(id: state.todos[0].id, action: .checkBoxToggled)) {
      $0.todos[id: state.todos[0].id]?.isComplete = true
    }
    self.scheduler.advance(by: 0.5)
    store.send(.todo(id: state.todos[0].id, action: .checkBoxToggled)) {
      $0.todos[id: state.todos[0].id]?.isComplete = false
    }
    store.send(.todo(id: state.todos[0].id, action: .checkBoxToggled)) {
      $0.todos[id: state.todos[0].id]?.isComplete = true
    }
    self.scheduler.advance(by: 1)
    store.receive(.sortCompletedTodos) {
      $0.todos = [$0.todos[1], $0.todos[0]]
    }
    XCTAssertEqual(state.filteredTodos.count, 2)
  }

  func testSearch() {
    let store = TestStore(initialState: AppState(), reducer: appReducer, environment: environment(search: .live))

    store.assert(
      .send(.setSearch(isPresented: true)) { $0.search = SearchState() },
      .send(.search(.queryChanged("a"))) {
        $0.search?.query = "a"
        $0.search?.isLoading = true
      },
      .do { self.scheduler.advance(by: 0.1) },
      .send(.search(.queryChanged("ab"))) { $0.search?.query = "ab" },
      .do { self.scheduler.advance(by: 1) },
      .receive(.search(.response(.success(["ab", "AB"])))) {
        $0.search?.isLoading = false
        $0.search?.results = ["ab", "AB"]
      },
      .send(.search(.queryChanged("abc"))) {
        $0.search?.query = "abc"
        $0.search?.isLoading = true
      },
      .send(.setSearch(isPresented: false)) { $0.search = nil },
      .do { self.scheduler.run() }
    )
  }
}

class ClockTests: XCTestCase {
  func testClock() {
    let scheduler = DispatchQueue.testScheduler
    let delegates = SocketClient.Delegates()
    let store = TestStore(
      initialState: Mode.running(Clock()),
      reducer: modeReducer,
      environment: ClockEnvironment(
        mainQueue: scheduler.eraseToAnyScheduler(), socket: .live(delegates: delegates)))

    store.assert(
      .send(.onAppear),
      .do { scheduler.advance() },
      .receive(.socket(.opened)),
      .do {
        delegates.all.values.first?.send(.message("Hi"))
        scheduler.advance(by: 1)
      },
      .receive(.socket(.message("Hi"))) {
        var clock = Clock()
        clock.messages = ["Hi"]
        $0 = .running(clock)
      },
      .receive(.ticked) {
        var clock = Clock()
        clock.messages = ["Hi"]
        clock.seconds = 1
        $0 = .running(clock)
      },
      .send(.onDisappear) { $0 = .stopped }
    )
  }
}

extension UUID {
  static var incrementing: () -> UUID {
    var uuid = 0
    return {
      defer { uuid += 1 }
      return UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012x", uuid))")!
    }
  }
}
