import ComposableArchitecture
import Foundation
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct StackTests {
  @Reducer enum Path {
    case step(Step)
    case other(Step)
    case alert(AlertState<Int>)
  }

  static let line: UInt = #line + 24
  @Reducer struct Root {
    @ObservableState struct State {
      var path = StackState<Path.State>()
      var log: [String] = []
    }

    enum Action: Sendable {
      case path(StackActionOf<Path>)
      case change(@Sendable (inout State) -> Void)
      case cancel(Int)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .path(.popFrom(let id)): state.log.append("pop \(id.generation) of \(state.path.count)")
        case .path(.push(let id, _)): state.log.append("push \(id.generation) of \(state.path.count)")
        case .path(.element(let id, _)): state.log.append("element \(id.generation)")
        case .change(let change): change(&state)
        case .cancel(let id): return .cancel(id: id)
        }
        return .none
      }
      .forEach(\.path, action: \.path)
    }
  }

  /// A store with element ids from 0, and one element per log.
  private func store(_ logs: [String]...) -> StoreOf<Root> {
    let store = Store(initialState: Root.State()) {
      Root()
    } withDependencies: {
      $0.stackElementID = StackElementIDGenerator()
    }
    for log in logs { store.send(.change { $0.path.append(.step(Step.State(log: log))) }) }
    return store
  }

  private func logs(_ store: StoreOf<Root>) -> [[String]] {
    store.path.map { $0[case: \.step]?.log ?? $0[case: \.other]?.log ?? [] }
  }

  @Test func anElementOfTheStackRuns() {
    let store = store([], [])
    store.send(.path(.element(id: 1, action: .step(.note("a")))))
    #expect(logs(store) == [[], ["a"]])
    #expect(store.log == ["element 1"])
  }

  @Test func poppingTakesThoseAboveOffAndComesAfterTheParent() {
    let store = store(["a"], ["b"], ["c"])
    store.send(.path(.popFrom(id: 1)))
    #expect(logs(store) == [["a"]])
    #expect(store.log == ["pop 1 of 3"])
  }

  @Test func pushingComesBeforeTheParent() {
    let store = store(["a"])
    store.send(.path(.push(id: 1, state: .other(Step.State(log: ["b"])))))
    #expect(logs(store) == [["a"], ["b"]])
    #expect(store.log == ["push 1 of 2"])
  }

  @Test func effectsEndWhenTheirElementIsPopped() async {
    let store = store([], [], [])
    let gate = Gate()
    let cancelled = [Gate(), Gate()]
    let kept = store.send(.path(.element(id: 0, action: .step(.run(.after(gate, .note("kept")))))))
    store.send(.path(.element(id: 1, action: .step(.run(.endless(cancelled[0]))))))
    store.send(.path(.element(id: 2, action: .step(.run(.endless(cancelled[1]))))))
    store.send(.path(.popFrom(id: 1)))
    for gate in cancelled { await gate.wait() }
    gate.open()
    await kept.finish()
    #expect(logs(store) == [["kept"]])
  }

  @Test func effectsEndWhenTheParentTakesTheirElementAway() async {
    let changes: [@Sendable (inout Root.State) -> Void] = [
      { $0.path.removeAll() },
      { $0.path[id: 0] = nil },
      { $0.path.removeLast() },
      { $0.path = StackState() },
      { $0.path.pop(from: 0) },
    ]
    for change in changes {
      let store = store([])
      let cancelled = Gate()
      store.send(.path(.element(id: 0, action: .step(.run(.endless(cancelled))))))
      store.send(.change(change))
      await cancelled.wait()
      #expect(store.path.isEmpty)
    }
  }

  @Test func elementsCannotCancelOneAnother() async {
    let store = store([], [])
    let gate = Gate()
    let task = store.send(.path(.element(id: 0, action: .step(.run(.after(gate, .note("kept")).cancellable(id: 1))))))
    store.send(.path(.element(id: 1, action: .step(.run(.cancel(id: 1))))))
    gate.open()
    await task.finish()
    #expect(logs(store) == [["kept"], []])
  }

  @Test func actionsForMissingElementsAreReported() {
    let store = store([])
    let issues = Issues.of {
      store.send(.path(.element(id: 9, action: .step(.note("a")))))
      store.send(.path(.popFrom(id: 9)))
      store.send(.path(.push(id: 0, state: .step(Step.State()))))
    }
    #expect(issues.lines == [Self.line, Self.line, Self.line])
    #expect(issues.messages.first?.contains("received an action for a missing element") == true)
    #expect(issues.messages.dropFirst().first?.contains("received a \"popFrom\" action for a missing element") == true)
    #expect(
      issues.messages.last?.contains("received a \"push\" action for an element it already contains") == true)
    #expect(logs(store) == [[]])
    #expect(store.log == ["element 9", "pop 9 of 1", "push 0 of 1"])
  }

  @Test func aPromptOnTheStackStays() {
    let store = store([])
    store.send(.change { $0.path.append(.alert(AlertState { TextState("Sure?") })) })
    store.send(.path(.element(id: 1, action: .alert(7))))
    #expect(store.path.ids == [0, 1])
  }

  @Test func idsAreNotUsedAgain() {
    let store = store([], [])
    store.send(.path(.popFrom(id: 1)))
    store.send(.change { $0.path.append(.step(Step.State())) })
    #expect(store.path.ids == [0, 2])
  }

  @Test func aStackIsReadAndChangedByID() {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var path = StackState<Path.State>([.step(Step.State(id: 1)), .other(Step.State(id: 2)), .step(Step.State(id: 3))])
      #expect(path.ids == [0, 1, 2])
      #expect(path[id: 1]?[case: \.other]?.id == 2)
      #expect(path[id: 1, case: \.step] == nil)
      path[id: 1, case: \.other]?.log.append("a")
      #expect(path[id: 1, case: \.other]?.log == ["a"])
      #expect(path[id: 7] == nil)

      path[id: 0] = .other(Step.State(id: 4))
      #expect(path.ids == [0, 1, 2])
      #expect(path.first?[case: \.other]?.id == 4)

      path.pop(to: 1)
      #expect(path.ids == [0, 1])
      path[0] = .step(Step.State(id: 5))
      #expect(path.ids == [0, 1])
      path.append(.step(Step.State()))
      path.insert(.step(Step.State()), at: 0)
      #expect(path.ids == [4, 0, 1, 3])
      path.swapAt(0, 1)
      path.pop(from: 7)
      #expect(path.count == 4)
    }
  }

  @Test func writingThroughAnotherCaseIsReported() {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var path = StackState<Path.State>([.step(Step.State())])
      var line: UInt = 0
      let issues = Issues.of {
        line = #line + 1
        path[id: 0, case: \.other] = Step.State()
        path[id: 0, case: \.other] = nil
        path[id: 0, case: \.other]?.log.append("a")
        path[id: 7, case: \.other]?.log.append("a")
        path[id: 0, case: /Path.State.other] = nil
      }
      #expect(issues.lines == Array(line...(line + 4)))
      #expect(issues.messages.first == "Can't modify unrelated case \"step\"")
      #expect(issues.messages[3] == "Can't modify unrelated case")
      #expect(path[id: 0, case: \.step] == Step.State())
      #expect(path.count == 1)

      path[id: 0, case: /Path.State.step]?.log.append("a")
      #expect(path[id: 0, case: /Path.State.step]?.log == ["a"])
      path[id: 0, case: \.step] = nil
      #expect(path.isEmpty)
    }
  }

  @Test func anElementOfAMissingIDIsAppendedWithIt() {
    var path = StackState<Int>()
    path[id: 4] = 1
    path[id: 2] = 2
    #expect(path.ids == [4, 2])
    #expect(Array(path) == [1, 2])
    path[id: 9]? += 1
    path[id: 9] = nil
    #expect(path.ids == [4, 2])
  }

  @Test func elementsThatStayKeepTheirIDs() {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var path = StackState([10, 11, 12, 13])
      path.removeAll { $0 == 11 }
      #expect(path.ids == [0, 2, 3])
      #expect(Array(path) == [10, 12, 13])
      path.removeAll()
      path.append(1)
      #expect(path.ids == [4])
    }
  }

  @Test func anIDThatIsInUseIsNotGivenAgain() {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var path = StackState<Int>()
      path[id: 0] = 1
      path.append(2)
      #expect(path.ids == [0, 1])
      #expect(Array(path) == [1, 2])
    }
  }

  @Test func pushingAdvancesTheGenerator() {
    let store = store([])
    store.send(.path(.push(id: 1, state: .step(Step.State(log: ["pushed"])))))
    store.send(.change { $0.path.append(.step(Step.State(log: ["appended"]))) })
    #expect(store.path.ids == [0, 1, 2])
    #expect(logs(store) == [[], ["pushed"], ["appended"]])
  }

  @Test func anIDBeyondTheNextOneIsReported() {
    let store = store([])
    let issues = Issues.of { _ = store.send(.path(.push(id: 5, state: .step(Step.State())))) }
    #expect(issues.lines == [Self.line])
    let message = issues.messages.first ?? ""
    #expect(message.contains("\"push\" action with an unexpected generational ID"))
    #expect(message.contains("Received ID:\n    #5") && message.contains("Expected ID:\n    #1"), "\(message)")
    #expect(store.path.ids == [0, 5])
  }

  @Test func popsAndPushesInVainNameTheIDs() {
    let store = store([], [])
    let issues = Issues.of { _ = store.send(.path(.popFrom(id: 9))) }
    #expect(issues.messages.first?.contains("ID:\n    #9\n  Path IDs:\n    [#0, #1]") == true, "\(issues.messages)")
  }

  /// A parent whose stack is also changed by a reducer around the `forEach`.
  @Reducer struct Outer {
    var body: some Reducer<Root.State, Root.Action> {
      Root()
      Reduce { state, action in
        if case .cancel = action { state.path.removeAll() }
        return .none
      }
    }
  }

  @Test func effectsOfElementsRemovedElsewhereEndAtTheNextAction() async {
    let store = Store(initialState: Root.State()) {
      Outer()
    } withDependencies: {
      $0.stackElementID = StackElementIDGenerator()
    }
    store.send(.change { $0.path.append(.step(Step.State())) })
    let cancelled = Gate()
    let task = store.send(.path(.element(id: 0, action: .step(.run(.endless(cancelled))))))
    store.send(.cancel(7))
    #expect(store.path.isEmpty)
    #expect(!task.isOver)
    store.send(.change { _ in })
    await cancelled.wait()
    #expect(task.isOver)
  }

  @Test func idsAreInDumpsAndDifferences() {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      let path = StackState(["a"])
      var changed = path
      changed.append("b")
      #expect(String(customDumping: path) == "[\n  #0: \"a\"\n]")
      #expect(diff(path, changed) == "  [\n    #0: \"a\",\n+   #1: \"b\"\n  ]")
      #expect(String(customDumping: StackElementID(generation: 3)) == "#3")
      #expect(StackElementID(generation: 3).customDumpDescription == "#3")
      #expect("\(changed)" == "[\"a\", \"b\"]")
      #expect(String(reflecting: path) == "StackState<String>([#0: \"a\"])")
      #expect(
        String(customDumping: StackAction<Int, Int>.popFrom(id: 1)) == "StackAction.popFrom(id: #1)")
    }
  }

  @Test func aStackIsCodedAsItsElements() throws {
    let path = StackState([1, 2])
    let data = try JSONEncoder().encode(path)
    #expect(String(decoding: data, as: UTF8.self) == "[1,2]")
    #expect(Array(try JSONDecoder().decode(StackState<Int>.self, from: data)) == [1, 2])
  }

  /// The style of 1.0, with case paths.
  struct Older: Reducer {
    struct State { var path = StackState<Step.State>() }
    enum Action { case path(StackAction<Step.State, Step.Action>) }
    var body: some ReducerOf<Self> {
      EmptyReducer().forEach(\.path, action: /Action.path) { Step() }
    }
  }

  @Test func actionsOfAStackAreNamedByACasePath() {
    let store = Store(initialState: Older.State(path: StackState([Step.State()]))) { Older() }
    let id = store.state.path.ids[0]
    store.send(.path(.element(id: id, action: .note("a"))))
    #expect(store.state.path[id: id]?.log == ["a"])
  }

  @Test func stacksAreEqualByIDsAndElements() {
    let (first, second) = withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      (StackState([1, 2]), StackState([1, 2]))
    }
    #expect(first != second)
    var copy = first
    #expect(copy == first)
    copy[1] = 3
    #expect(copy != first)
  }
}
