import ComposableTesting
import TestSupport
import Testing
import Wire

@testable import Features

/// Long lists are sorted in steps, between which others change them.
@MainActor
@Suite(.timeLimit(.minutes(30))) struct TodoSortTests {
  private static func state(_ count: Int, _ isComplete: (Int) -> Bool) -> Todos.State {
    Todos.State(
      todos: IdentifiedArray(
        uniqueElements: (0..<count).map { Todo.State(id: $0, text: "\($0)", isComplete: isComplete($0)) }))
  }

  /// The same state in a process that remembers nothing.
  private static func restarted(_ state: Todos.State) throws -> Todos.State {
    try Todos.State(decoding: state.encoded().span.bytes)
  }

  private static func sortedIDs(_ state: Todos.State) -> [Int] {
    state.todos.filter { !$0.isComplete }.map(\.id) + state.todos.filter(\.isComplete).map(\.id)
  }

  /// Sorts without disturbance, and returns the steps.
  private static func sort(_ state: inout Todos.State) -> [Todos.State.SortStep] {
    var (steps, next): ([Todos.State.SortStep], _) = ([], state.beginSort())
    while let step = next {
      steps.append(step)
      next = state.continueSort(from: step.start, before: step.end)
    }
    return steps
  }

  private func begun(_ state: inout Todos.State) throws -> Todos.State.SortStep {
    let first = state.beginSort()
    return try #require(first)
  }

  private func continued(_ state: inout Todos.State, _ step: Todos.State.SortStep) throws -> Todos.State.SortStep {
    let next = state.continueSort(from: step.start, before: step.end)
    return try #require(next)
  }

  private nonisolated static let lists: [(name: String, isComplete: @Sendable (Int) -> Bool)] = [
    ("sorted", { $0 >= 15_000 }), ("open", { _ in false }), ("completed", { _ in true }),
    ("the first is completed", { $0 == 0 }), ("the last is open", { $0 < 19_999 }),
    ("every third", { $0 % 3 == 0 }), ("some", { $0 % 1_000 == 7 }), ("reversed", { $0 < 10_000 }),
  ]

  @Test(arguments: 0..<8) func allStepsTogetherSort(list: Int) {
    var state = Self.state(20_000, Self.lists[list].isComplete)
    let expected = Self.sortedIDs(state)
    let steps = Self.sort(&state)
    #expect(steps.count >= 3, "a step looks at a part of the list only")
    #expect(state.todos.ids.elementsEqual(expected), "\(Self.lists[list].name)")
  }

  @Test func theActionOfALongListOnlyBeginsAndItsEffectGoesOn() async {
    let store = TestStore(initialState: Self.state(10_000) { $0 < 10 }) { Todos() }
    store.exhaustivity = .off
    await store.send(.sortCompletedTodos)
    #expect(store.state.todos[0].isComplete)
    await store.receive(\.sortContinued)
    await store.finish()
    await store.skipReceivedActions()
    #expect(store.state.todos.ids.elementsEqual(Array(10..<10_000) + Array(0..<10)))
  }

  @Test func theNextSortLooksAtWhatHasChanged() {
    var state = Self.state(100_000) { _ in false }
    _ = Self.sort(&state)
    #expect(Self.sort(&state).isEmpty)
    for id in [5, 6, 7, 70_000] { state.todos[id: id]?.isComplete = true }
    let expected = Self.sortedIDs(state)
    let steps = Self.sort(&state)
    #expect(steps.map(\.start) == [70_000, 5] && steps.map(\.end) == [70_001, 8])
    #expect(state.todos.ids.elementsEqual(expected))
  }

  /// Random actions of others between the steps. What each step does is the same in a process that remembers nothing, and
  /// a sort that nobody disturbs sorts all.
  @Test(arguments: 1...6) func othersActBetweenTheSteps(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    var state = Self.state(12_000) { id in id % 5 == seed % 5 }
    var replayed = try Self.restarted(state)
    func reduce(_ action: Todos.Action) {
      _ = Todos().reduce(into: &state, action: action)
      _ = Todos().reduce(into: &replayed, action: action)
    }
    for round in 0..<4 {
      var next = state.beginSort()
      var isDisturbed = false
      while let step = next {
        next = state.continueSort(from: step.start, before: step.end)
        _ = Todos().reduce(into: &replayed, action: .sortContinued(from: step.start, before: step.end))
        guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
        let id = Int.random(in: 0..<state.nextID, using: &random)
        let other = step.end ?? Int.random(in: 0..<state.nextID, using: &random)
        switch Int.random(in: 0..<(round % 2 == 0 ? 4 : 6), using: &random) {
        case 0: reduce(.addButtonTapped(text: "new"))
        case 1: reduce(.deleteButtonTapped(id: other))
        case 2: reduce(.deleteButtonTapped(id: id))
        case 3: reduce(.todos(.element(id: id, action: .textChanged("changed"))))
        case 4:
          isDisturbed = true
          reduce(.moved(id: id, before: other))
        default:
          isDisturbed = true
          reduce(.todos(.element(id: id, action: .completionChanged(.random(using: &random)))))
        }
      }
      // Not with `#expect` of the states: the description of a failure would take hours.
      #expect(state.todos.elementsEqual(replayed.todos), "round \(round)")
      if isDisturbed { _ = Self.sort(&state) }
      #expect(state.isSorted, "round \(round)")
      replayed = try Self.restarted(state)
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        reduce(
          .todos(
            .element(
              id: Int.random(in: 0..<state.nextID, using: &random),
              action: .completionChanged(.random(using: &random)))))
      }
    }
  }

  @Test func aHubThatStartsInTheMiddleSortsTheRest() throws {
    var state = Self.state(20_000) { $0 < 100 }
    let expected = Self.sortedIDs(state)
    var step = try begun(&state)
    step = try continued(&state, step)
    var app = AppFeature.State()
    app.todos = try Self.restarted(state)
    #expect(AppFeature.actions(for: .started, in: app) == [.todos(.sortCompletedTodos)])
    _ = Self.sort(&app.todos)
    #expect(app.todos.todos.ids.elementsEqual(expected))
    // The step that the earlier process did not take comes late, if at all.
    _ = app.todos.continueSort(from: step.start, before: step.end)
    #expect(app.todos.todos.ids.elementsEqual(expected))
  }

  @Test func aSecondSortMayBeginWhileOneRuns() throws {
    var state = Self.state(20_000) { $0 % 700 == 0 }
    let expected = Self.sortedIDs(state)
    let first = try begun(&state)
    let old = try continued(&state, first)
    let second = try begun(&state)
    _ = state.continueSort(from: old.start, before: old.end)
    var next: Todos.State.SortStep? = second
    while let step = next { next = state.continueSort(from: step.start, before: step.end) }
    #expect(state.todos.ids.elementsEqual(expected))
    #expect(Self.sort(&state).count <= 3)
  }

  /// A client may send the action of a step, for any place, while a sort goes on.
  @Test(arguments: [nil, 3, 9_999, 15_000, 30_000] as [Int?]) func aStepThatNobodyAskedForLeavesNothingUnsorted(
    end: Int?
  ) throws {
    var state = Self.state(20_000) { $0 % 7 == 0 }
    let expected = Self.sortedIDs(state)
    _ = try continued(&state, try begun(&state))
    // Its effect takes the place of the one that was to go on.
    var next = state.continueSort(from: nil, before: end)
    while let step = next { next = state.continueSort(from: step.start, before: step.end) }
    #expect(state.isSorted && Set(state.todos.ids) == Set(expected))
  }
}
