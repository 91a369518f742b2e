import ComposableArchitecture
import Testing

@MainActor @Suite(.timeLimit(.minutes(30))) struct DismissTests {
  /// A feature with a presented child of its own type, a step, and a stack of its own type.
  @Reducer struct Node {
    @ObservableState struct State {
      var name = ""
      @Presents var child: Step.State?
      var embedded: Step.State?
      var plain = Step.State()
      var path = StackState<Step.State>()
      @Presents var node: Inner.State?
    }

    enum Action: Sendable {
      case child(PresentationAction<Step.Action>)
      case embedded(Step.Action)
      case plain(Step.Action)
      case path(StackActionOf<Step>)
      case node(PresentationAction<Inner.Action>)
      case change(@Sendable (inout State) -> Void)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.plain, action: \.plain) { Step() }
      Reduce { state, action in
        if case .change(let change) = action { change(&state) }
        return .none
      }
      .ifLet(\.$child, action: \.child) { Step() }
      .ifLet(\.embedded, action: \.embedded) { Step() }
      .ifLet(\.$node, action: \.node) { Inner() }
      .forEach(\.path, action: \.path) { Step() }
    }
  }

  @Reducer struct Inner {
    @ObservableState struct State: Identifiable {
      var id = 0
      @Presents var step: Step.State?
      var plain = Step.State()
      var optional: Step.State?
    }

    enum Action: Sendable {
      case step(PresentationAction<Step.Action>)
      case plain(Step.Action)
      case optional(Step.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.plain, action: \.plain) { Step() }
      EmptyReducer()
        .ifLet(\.$step, action: \.step) { Step() }
        .ifLet(\.optional, action: \.optional) { Step() }
    }
  }

  private func store(_ change: (inout Node.State) -> Void = { _ in }) -> StoreOf<Node> {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var state = Node.State()
      change(&state)
      return Store(initialState: state) { Node() }
    }
  }

  @Test func aPresentedChildDismissesItself() async {
    let store = store { $0.child = Step.State() }
    await store.send(.child(.presented(.dismiss))).finish()
    #expect(store.child == nil)
  }

  @Test func aChildThatWasPresentedByAnActionDismissesItself() async {
    let store = store()
    store.send(.change { $0.child = Step.State() })
    await store.send(.child(.presented(.dismiss))).finish()
    #expect(store.child == nil)
  }

  @Test func aNestedChildDismissesOnlyItself() async {
    let store = store { $0.node = Inner.State(step: Step.State()) }
    await store.send(.node(.presented(.step(.presented(.dismiss))))).finish()
    #expect(store.node != nil)
    #expect(store.node?.step == nil)
  }

  @Test func partsOfAPresentedChildDismissTheWhole() async {
    let actions: [Inner.Action] = [.plain(.dismiss), .optional(.dismiss)]
    for action in actions {
      let store = store { $0.node = Inner.State(optional: Step.State()) }
      await store.send(.node(.presented(action))).finish()
      #expect(store.node == nil)
    }
  }

  @Test func anElementOfAStackPopsItselfAndThoseAboveIt() async {
    let store = store { $0.path = StackState([Step.State(id: 1), Step.State(id: 2), Step.State(id: 3)]) }
    await store.send(.path(.element(id: 1, action: .dismiss))).finish()
    #expect(store.path.map(\.id) == [1])
  }

  @Test func dismissingAtTheRootIsReported() async {
    let actions: [Node.Action] = [.plain(.dismiss), .embedded(.dismiss)]
    for action in actions {
      let store = store { $0.embedded = Step.State() }
      let issues = await Issues.of { await store.send(action).finish() }
      #expect(issues.messages.count == 1)
      #expect(issues.files == ["ComposableArchitectureTests/Support.swift"])
      #expect(issues.messages.first?.contains("couldn't be dismissed") == true)
    }
  }

  @Test func aChildThatIsGoneDismissesNobody() async {
    // The nested child's work continues after its parent has removed it, and then calls `dismiss`.
    let store = store { $0.node = Inner.State(step: Step.State()) }
    let (gate, began, over) = (Gate(), Gate(), Gate())
    store.send(
      .node(
        .presented(
          .step(
            .presented(
              .run(
                .run { _ in
                  @Dependency(\.dismiss) var dismiss
                  began.open()
                  await Task.detached { await gate.wait() }.value
                  await dismiss()
                  over.open()
                }))))))
    await began.wait()
    store.send(.node(.presented(.step(.dismiss))))
    #expect(store.node?.step == nil)
    gate.open()
    await over.wait()
    #expect(store.node != nil)
  }

  @Test func anEarlierChildDoesNotDismissALaterOne() async {
    let store = store { $0.child = Step.State(id: 1) }
    let (gate, began, over) = (Gate(), Gate(), Gate())
    store.send(
      .child(
        .presented(
          .run(
            .run { _ in
              @Dependency(\.dismiss) var dismiss
              began.open()
              await Task.detached { await gate.wait() }.value
              await dismiss()
              over.open()
            }))))
    await began.wait()
    store.send(.child(.dismiss))
    store.send(.change { $0.child = Step.State(id: 1, log: ["later"]) })
    gate.open()
    await over.wait()
    #expect(store.child?.log == ["later"])
  }

  @Test func aFeatureKnowsWhetherItIsPresented() async {
    let yes = ["reducer true", "captured true, effect true"]
    let no = ["reducer false", "captured false, effect false"]
    let store = store {
      $0.child = Step.State()
      $0.embedded = Step.State()
      $0.node = Inner.State(step: Step.State(), optional: Step.State())
      $0.path = StackState([Step.State()])
    }
    let actions: [Node.Action] = [
      .child(.presented(.notePresentation)), .embedded(.notePresentation), .plain(.notePresentation),
      .path(.element(id: 0, action: .notePresentation)), .node(.presented(.plain(.notePresentation))),
      .node(.presented(.optional(.notePresentation))), .node(.presented(.step(.presented(.notePresentation)))),
    ]
    for action in actions { await store.send(action).finish() }
    #expect(store.child?.log == yes)
    #expect(store.embedded?.log == no)
    #expect(store.plain.log == no)
    #expect(store.path.first?.log == yes)
    #expect(store.node?.plain.log == yes)
    #expect(store.node?.optional?.log == yes)
    #expect(store.node?.step?.log == yes)
  }

  @Test func aTestMayObserveTheDismissal() async {
    let dismissed = Locked(0)
    let store = Store(initialState: Step.State()) {
      Step()
    } withDependencies: {
      $0.dismiss = DismissEffect { dismissed.change { $0 += 1 } }
    }
    await store.send(.dismiss).finish()
    await store.send(.notePresentation).finish()
    #expect(dismissed.value == 1)
    #expect(store.log == ["reducer true", "captured true, effect true"])
  }

  @Test func presentedChildrenIgnoreTheReplacementOfTheirParent() async {
    let dismissed = Locked(0)
    let store = withDependencies {
      $0.stackElementID = StackElementIDGenerator()
      $0.dismiss = DismissEffect { dismissed.change { $0 += 1 } }
    } operation: {
      var state = Node.State()
      state.child = Step.State()
      state.node = Inner.State(step: Step.State())
      state.path.append(Step.State())
      return Store(initialState: state) { Node() }
    }
    await store.send(.child(.presented(.dismiss))).finish()
    await store.send(.node(.presented(.step(.presented(.dismiss))))).finish()
    await store.send(.path(.element(id: 0, action: .dismiss))).finish()
    #expect(store.child == nil && store.node?.step == nil && store.path.isEmpty)
    #expect(dismissed.value == 0)
    await store.send(.plain(.dismiss)).finish()
    #expect(dismissed.value == 1)
  }

  @Test func aPresentedChildHasAReplacementOfItsOwn() async {
    let dismissed = Locked(0)
    var state = Node.State()
    state.child = Step.State()
    let store = Store(initialState: state) {
      EmptyReducer<Node.State, Node.Action>()
        .ifLet(\.$child, action: \.child) {
          Step().dependency(\.dismiss, DismissEffect { dismissed.change { $0 += 1 } })
        }
    }
    await store.send(.child(.presented(.dismiss))).finish()
    #expect(dismissed.value == 1)
    #expect(store.child != nil)
  }

  @Test func dismissalIsTheLastThingThatTheChildDoes() async {
    let store = store { $0.child = Step.State() }
    await store.send(
      .child(
        .presented(
          .run(
            .run { send in
              @Dependency(\.dismiss) var dismiss
              await dismiss()
              await send(.note("late"))
            })))
    ).finish()
    #expect(store.child == nil)
  }
}
