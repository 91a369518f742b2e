import ComposableTesting
import Features
import TestSupport
import Testing
import Wire

@MainActor
@Suite(.timeLimit(.minutes(30))) struct TodosTests {
  private let three: IdentifiedArrayOf<Todo.State> = [
    Todo.State(id: 0, text: "bread"), Todo.State(id: 1, text: "milk"), Todo.State(id: 2, text: "salt"),
  ]

  private func store(
    _ todos: IdentifiedArrayOf<Todo.State>, clock: TestClock<Duration> = TestClock()
  ) -> TestStoreOf<Todos> {
    TestStore(initialState: Todos.State(todos: todos)) {
      Todos()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  private func texts(_ store: TestStoreOf<Todos>) -> [String] { store.state.todos.map(\.text) }

  @Test func todosAreAddedBehindThoseThatAreNotDone() async {
    let store = store([Todo.State(id: 4, text: "bread"), Todo.State(id: 2, text: "milk", isComplete: true)])
    await store.send(.addButtonTapped(text: "salt")) {
      $0.nextID = 6
      $0.todos.insert(Todo.State(id: 5, text: "salt"), at: 1)
    }
    #expect(texts(store) == ["bread", "salt", "milk"])
  }

  @Test func aTodoIsAddedBeforeTheFirstCompletedOneWhereverThatIs() {
    for open in 0...9 {
      let todos = (0..<9).map { Todo.State(id: $0, text: "\($0)", isComplete: $0 >= open) }
      var state = Todos.State(todos: IdentifiedArray(uniqueElements: todos))
      _ = Todos().reduce(into: &state, action: .addButtonTapped(text: "new"))
      #expect(state.todos.index(id: 9) == open)
    }
  }

  @Test func anIDIsNeverGivenTwice() async {
    let store = store(three)
    store.exhaustivity = .off
    await store.send(.deleteButtonTapped(id: 2))
    await store.send(.addButtonTapped(text: "pepper"))
    #expect(store.state.todos.ids.elementsEqual([0, 1, 3]))
  }

  @Test func aTextIsChanged() async {
    let store = store(three)
    await store.send(\.todos[id: 1].textChanged, "oat milk") { $0.todos[id: 1]?.text = "oat milk" }
  }

  @Test func todosThatAreDoneGoToTheEndASecondAfterTheLastChange() async {
    let clock = TestClock()
    let store = store(three, clock: clock)
    await store.send(\.todos[id: 0].completionChanged, true) { $0.todos[id: 0]?.isComplete = true }
    await clock.advance(by: .milliseconds(900))
    await store.send(\.todos[id: 1].completionChanged, true) { $0.todos[id: 1]?.isComplete = true }
    await clock.advance(by: .milliseconds(999))
    #expect(texts(store) == ["bread", "milk", "salt"])
    await clock.advance(by: .milliseconds(1))
    await store.receive(\.sortCompletedTodos) {
      $0.todos = [
        Todo.State(id: 2, text: "salt"), Todo.State(id: 0, text: "bread", isComplete: true),
        Todo.State(id: 1, text: "milk", isComplete: true),
      ]
    }
  }

  @Test func whoeverTicksTwiceAtOnceMeansDone() async {
    let clock = TestClock()
    let store = store(three, clock: clock)
    await store.send(\.todos[id: 2].completionChanged, true) { $0.todos[id: 2]?.isComplete = true }
    await store.send(\.todos[id: 2].completionChanged, true)
    await clock.advance(by: .seconds(1))
    await store.receive(\.sortCompletedTodos)
  }

  @Test(
    arguments: [
      (2, 0, [2, 0, 1]), (0, 2, [1, 0, 2]), (0, nil, [1, 2, 0]), (1, 1, [0, 1, 2]), (1, 2, [0, 1, 2]),
      (2, 1, [0, 2, 1]),
    ] as [(Int, Int?, [Int])])
  func aTodoIsMovedBeforeAnother(id: Int, before: Int?, order: [Int]) async {
    let clock = TestClock()
    let store = store(three, clock: clock)
    store.exhaustivity = .off
    await store.send(.moved(id: id, before: before))
    #expect(store.state.todos.ids.elementsEqual(order))
    await clock.advance(by: .seconds(1))
    await store.receive(\.sortCompletedTodos)
  }

  @Test func whatIsDoneAndMovedUpGoesBackToTheEnd() async {
    let clock = TestClock()
    var todos = three
    todos[id: 2]?.isComplete = true
    let store = store(todos, clock: clock)
    store.exhaustivity = .off
    await store.send(.moved(id: 2, before: 0))
    #expect(texts(store) == ["salt", "bread", "milk"])
    await clock.advance(by: .seconds(1))
    await store.receive(\.sortCompletedTodos)
    #expect(texts(store) == ["bread", "milk", "salt"])
  }

  @Test func whatIsDoneIsCleared() async {
    var todos = three
    todos[id: 1]?.isComplete = true
    let store = store(todos)
    await store.send(.clearCompletedButtonTapped) { $0.todos.remove(id: 1) }
  }

  /// The result of a sort does not depend on what the reducer remembers of the last one: a hub after a restart, which
  /// remembers nothing, continues like one that kept running.
  @Test(arguments: 1...5) func aSortIsTheSameAfterARestart(seed: Int) throws {
    var generator = SplitMix(seed: UInt64(seed))
    let todos = (0..<500).map { Todo.State(id: $0, text: "\($0)", isComplete: Bool.random(using: &generator)) }
    var state = Todos.State(todos: IdentifiedArray(uniqueElements: todos))
    for _ in 0..<30 {
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let id = Int.random(in: 0..<state.nextID, using: &generator)
        let other = Int.random(in: 0..<state.nextID, using: &generator)
        let actions: [Todos.Action] = [
          .addButtonTapped(text: "new"), .deleteButtonTapped(id: id), .moved(id: id, before: other),
          .todos(.element(id: id, action: .completionChanged(.random(using: &generator)))),
          .restored(Todo.State(id: id, text: "again", isComplete: .random(using: &generator)), before: other),
        ]
        _ = Todos().reduce(into: &state, action: actions.randomElement(using: &generator)!)
      }
      let unsorted = state
      var restarted = try Todos.State(decoding: state.encoded().span.bytes)
      _ = Todos().reduce(into: &state, action: .sortCompletedTodos)
      _ = Todos().reduce(into: &restarted, action: .sortCompletedTodos)
      #expect(restarted == state)
      #expect(state.todos.elementsEqual(unsorted.todos.filter { !$0.isComplete } + unsorted.todos.filter(\.isComplete)))
    }
  }

  @Test(arguments: [(0, [1, 0, 2]), (nil, [0, 2, 1]), (9, [0, 2, 1])] as [(Int?, [Int])])
  func aDeletedTodoIsRestored(before: Int?, order: [Int]) async {
    let clock = TestClock()
    let store = store(three, clock: clock)
    store.exhaustivity = .off
    await store.send(.deleteButtonTapped(id: 1))
    let todo = Todo.State(id: 1, text: "milk", isComplete: true)
    await store.send(.restored(todo, before: before))
    #expect(store.state.todos.ids.elementsEqual(order) && store.state.todos[id: 1] == todo)
    await clock.advance(by: .seconds(1))
    await store.receive(\.sortCompletedTodos)
    #expect(store.state.todos.ids.elementsEqual([0, 2, 1]))
  }

  /// Nothing changes, nothing is reported, and no effect remains.
  @Test(
    arguments: [
      .todos(.element(id: 9, action: .completionChanged(true))), .todos(.element(id: 9, action: .textChanged("late"))),
      .deleteButtonTapped(id: 9), .moved(id: 9, before: 0), .moved(id: 0, before: 9),
      .restored(Todo.State(id: 9, text: "never assigned"), before: 0),
      .restored(Todo.State(id: 0, text: "not deleted"), before: nil),
    ] as [Todos.Action])
  func whatSomebodyElseHasDeletedIsPassedOver(action: Todos.Action) async {
    let store = store(three)
    await store.send(action)
  }

  @Test func aFilterIsALookAtTheListAndNoPartOfIt() {
    var state = Todos.State(todos: three)
    state.todos[id: 1]?.isComplete = true
    #expect(state.todos(showing: .all) == state.todos)
    #expect(state.todos(showing: .active).ids.elementsEqual([0, 2]))
    #expect(state.todos(showing: .completed).ids.elementsEqual([1]))
    #expect(state.activeCount == 2)
  }
}
