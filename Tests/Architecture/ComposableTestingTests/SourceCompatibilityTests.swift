import ComposableTesting
import Testing

/// Source code for the original library, in the styles of 1.0 and later.
@MainActor @Suite struct SourceCompatibilityTests {
  // MARK: Case paths of 1.0

  struct Child: Reducer {
    struct State: Equatable { var count = 0 }
    enum Action: Equatable { case tap }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        state.count += 1
        return .none
      }
    }
  }

  struct Parent: Reducer {
    struct State: Equatable {
      var optional: Child.State?
      var path = StackState<Child.State>()
    }
    enum Action: Equatable {
      case optional(Child.Action)
      case path(StackAction<Child.State, Child.Action>)
    }
    var body: some ReducerOf<Self> {
      EmptyReducer()
        .ifLet(\.optional, action: /Action.optional) { Child() }
        .forEach(\.path, action: /Action.path) { Child() }
    }
  }

  struct Either: Reducer {
    enum State: Equatable { case left(Child.State), right }
    enum Action: Equatable { case left(Child.Action), right }
    var body: some ReducerOf<Self> {
      EmptyReducer().ifCaseLet(/State.left, action: /Action.left) { Child() }
    }
  }

  @Test func childrenAreNamedByCasePaths() async {
    let store = TestStore(initialState: .init(optional: .init(), path: .init([.init()]))) { Parent() }
    await store.send(.optional(.tap)) { $0.optional?.count = 1 }
    await store.send(.path(.element(id: 0, action: .tap))) { $0.path[id: 0]?.count = 1 }
    let either = TestStore(initialState: .left(.init())) { Either() }
    await either.send(.left(.tap)) { $0 = .left(.init(count: 1)) }
  }

  // MARK: Stacks

  struct Stack: Reducer {
    struct State: Equatable { var path = StackState<Int>() }
    enum Action: Equatable { case path(StackAction<Int, Never>), push, pushed }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .path: return .none
        case .push:
          state.path.append(1)
          return .send(.pushed)
        case .pushed:
          state.path.append(2)
          return .none
        }
      }
      .forEach(\.path, action: /Action.path) {}
    }
  }

  @Test func pushesAreAssertedByID() async {
    let store = TestStore(initialState: Stack.State()) { Stack() }
    await store.send(.push) { $0.path[id: 0] = 1 }
    await store.receive(.pushed) { $0.path[id: 1] = 2 }
    await store.send(.push) { $0.path[id: 2] = 1 }
    await store.receive(.pushed) { $0.path[id: 3] = 2 }
    await store.send(.path(.push(id: 4, state: 7))) { $0.path[id: 4] = 7 }
    await store.send(.path(.popFrom(id: 1))) { $0.path.pop(from: 1) }
    #expect(store.state.path.ids == [0])
  }

  @Test func aWrongIDIsShownInTheDifference() async {
    let store = TestStore(initialState: Stack.State()) { Stack() }
    let issues = await withExpectedIssue { await store.send(.path(.push(id: 0, state: 7))) { $0.path[id: 1] = 7 } }
    #expect(issues.count == 1)
    #expect(issues.first?.contains("#1: 7") == true && issues.first?.contains("#0: 7") == true, "\(issues)")
  }

  // MARK: Builders

  private var existential: any ReducerOf<Child> { Child() }

  @Test func reducersOfUnknownTypeAreInBuilders() async {
    let store = TestStore(initialState: Child.State()) {
      CombineReducers {
        existential
        Optional<Child>.none
        Child()
      }
    }
    await store.send(.tap) { $0.count = 2 }
  }

  // MARK: Bindings

  @Reducer struct Login {
    @ObservableState struct State: Equatable {
      var email = ""
      var log: [String] = []
    }
    enum Action: ViewAction {
      case view(View)
      enum View: BindableAction {
        case binding(BindingAction<State>)
      }
    }
    var body: some ReducerOf<Self> {
      BindingReducer(action: \.view)
      Reduce { state, action in
        switch action {
        case .view(.binding(\.email)): state.log.append(state.email)
        case .view: break
        }
        return .none
      }
    }
  }

  @Test func aViewActionIsBindable() async {
    let store = TestStore(initialState: Login.State()) { Login() }
    await store.send(.view(.set(\.email, "blob@example.org"))) {
      $0.email = "blob@example.org"
      $0.log = ["blob@example.org"]
    }
  }

  // MARK: Errors that cannot be compared

  struct Loading: Reducer {
    struct Failure: Error {}
    enum Action: Equatable { case load, response(TaskResult<Int>) }
    func reduce(into state: inout Int, action: Action) -> Effect<Action> {
      action == .load ? .run { await $0(.response(TaskResult { throw Failure() })) } : .none
    }
  }

  @Test func anErrorThatCannotBeComparedIsReportedOnce() async {
    let store = TestStore(initialState: 0) { Loading() }
    await store.send(.load)
    let issues = await withExpectedIssue { await store.receive(.response(.failure(Loading.Failure()))) }
    #expect(issues.count == 2)
    #expect(issues.first?.contains("is not equatable") == true)
    #expect(issues.last?.hasPrefix("Received unexpected action") == true)
  }

  // MARK: XCTModify

  @Test func aModificationMustChangeSomethingInExhaustiveTestsOnly() async {
    let store = TestStore(initialState: .init(optional: .init())) { Parent() }
    store.exhaustivity = .off
    await store.send(.optional(.tap)) { XCTModify(&$0.optional) { $0.count = 1 } }
    store.exhaustivity = .on
    await store.send(.optional(.tap)) { XCTModify(&$0.optional) { $0.count = 2 } }
    let issues = await withExpectedIssue {
      await store.send(.optional(.tap)) { XCTModify(&$0.optional) { $0.count = 2 } }
    }
    #expect(issues.count == 2)
    #expect(issues.first?.contains("was unchanged") == true)
  }

  // MARK: Dumps

  struct Older: Reducer {
    struct State: Equatable {
      @BindingState var width = 0
      var name = ""
    }
    enum Action: BindableAction, Equatable { case binding(BindingAction<State>) }
    var body: some ReducerOf<Self> { BindingReducer() }
  }

  @Test func bindingActionsAreDumpedWithTheirFields() {
    #expect(String(customDumping: BindingAction<Older.State>.set(\.$width, 50)) == #".set(\State.$width, 50)"#)
    #expect(String(customDumping: BindingAction<Older.State>.set(\.name, "Blob")) == #".set(\State.name, "Blob")"#)
    #expect(String(customDumping: BindingAction<Login.State>.set(\.email, "a")) == #".set(\State.email, "a")"#)
    #expect(
      String(customDumping: Older.Action.set(\.$width, 1)).hasSuffix(#"Action.binding(.set(\State.$width, 1))"#))
  }

  @Test func aBindingIsReceivedAndSent() async {
    let store = TestStore(initialState: Older.State()) { Older() }
    await store.send(.set(\.$width, 5)) { $0.width = 5 }
    await store.send(.binding(.set(\.$width, 6))) { $0.width = 6 }
  }

  @Test func theTypesOfATestStoreAreThoseOfItsReducer() async {
    let store = TestStore(initialState: 0) {
      Reduce<Int?, Bool> { state, isOn in
        state = isOn ? 1 : nil
        return .none
      }
    }
    await store.send(false) { $0 = nil }
  }
}
