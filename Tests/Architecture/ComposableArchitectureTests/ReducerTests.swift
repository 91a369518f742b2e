import ComposableArchitecture
import Synchronization
import Testing

@Suite struct ReducerTests {
  struct Child: Reducer {
    struct State: Equatable { var count = 0 }
    enum Action: Sendable { case add(Int) }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .add(let number):
          state.count += number
          return number == 0 ? .send(.add(100)) : .none
        }
      }
    }
  }

  struct Parent: Reducer {
    struct State: Equatable {
      var before = "x"
      var child = Child.State()
      var computed: Child.State {
        get { child }
        set { child = newValue }
      }
      var log: [String] = []
    }

    enum Action: CasePathable, Sendable {
      case child(Child.Action)
      case other

      struct AllCasePaths: Sendable {
        var child: AnyCasePath<Action, Child.Action> {
          AnyCasePath(embed: { .child($0) }, extract: { if case .child(let action) = $0 { action } else { nil } })
        }
      }
      static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    var usesComputedProperty = false
    var isLogged = true

    var body: some ReducerOf<Self> {
      if usesComputedProperty {
        Scope(state: \.computed, action: \.child) { Child() }
      } else {
        Scope(state: \.child, action: \.child) { Child() }
      }
      if isLogged {
        Reduce { state, action in
          state.log.append("\(action.is(\.child) ? "child" : "other") \(state.child.count)")
          return .none
        }
      }
      for suffix in ["!", "?"] {
        Reduce { state, _ in
          state.before += suffix
          return .none
        }
      }
      EmptyReducer()
    }
  }

  @Test(arguments: [false, true])
  func aChildSeesItsActionsBeforeItsParent(usesComputedProperty: Bool) {
    var core = ReducerCore(
      initialState: Parent.State(), reducer: Parent(usesComputedProperty: usesComputedProperty))
    core.send(.child(.add(2)))
    core.send(.other)
    core.send(.child(.add(0)))
    let state = core.state

    #expect(state.child.count == 102)
    // The child's own effect came back as the child's action.
    #expect(state.log == ["child 2", "other 2", "child 2", "child 102"])
    #expect(state.before == "x!?!?!?!?")
  }

  /// A block of more than three reducers, compiled and called directly.
  @Test func aLongBlockRunsAllItsReducersInOrder() {
    struct Step: Reducer {
      let number: Int
      func reduce(into state: inout [Int], action: Bool) -> Effect<Bool> {
        state.append(number)
        return action ? .send(false) : .none
      }
    }
    struct Steps: Reducer {
      var body: some Reducer<[Int], Bool> {
        Step(number: 1)
        Step(number: 2)
        Step(number: 3)
        Step(number: 4)
        Step(number: 5)
      }
    }
    var core = ReducerCore(initialState: [], reducer: Steps())
    core.send(true)
    // Each of the five effects sends an action.
    #expect(core.state == Array(repeating: [1, 2, 3, 4, 5], count: 6).flatMap(\.self))
    var state: [Int] = []
    _ = Steps().reduce(into: &state, action: false)
    _ = Steps().body.reduce(into: &state, action: false)
    #expect(state == [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
  }

  @Test func anAbsentReducerDoesNothing() {
    var core = ReducerCore(initialState: Parent.State(), reducer: Parent(isLogged: false))
    core.send(.other)
    check(core.state.log == [])
  }

  @Test func aBodyIsEvaluatedOncePerStore() {
    final class Counter: Sendable {
      let count = Atomic(0)
    }
    struct Counted: Reducer {
      let counter: Counter
      var body: some Reducer<Int, Void> {
        let _ = counter.count.add(1, ordering: .relaxed)
        Reduce { state, _ in
          state += 1
          return .none
        }
      }
    }
    let counter = Counter()
    var core = ReducerCore(initialState: 0, reducer: Counted(counter: counter))
    for _ in 0..<10 { core.send(()) }
    check(core.state == 10)
    #expect(counter.count.load(ordering: .relaxed) == 1)
  }

  @Test func caseKeyPathsReachIntoCases() {
    let action = Parent.Action.child(.add(3))
    #expect(action.is(\.child))
    #expect(!Parent.Action.other.is(\.child))
    if case .add(let number)? = action[case: \.child] { #expect(number == 3) } else { Issue.record("no payload") }
  }
}
