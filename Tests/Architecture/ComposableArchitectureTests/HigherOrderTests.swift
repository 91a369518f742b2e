import ComposableArchitecture
import Testing

/// Higher-order reducers that call others by `reduce(into:action:)`.
@MainActor @Suite(.timeLimit(.minutes(30))) struct HigherOrderTests {
  struct Wrapping<Base: Reducer>: Reducer {
    let base: Base
    func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
      base.reduce(into: &state, action: action)
    }
  }

  struct Calling<Base: Reducer>: Reducer {
    let base: Base
    var body: some Reducer<Base.State, Base.Action> {
      Reduce { state, action in base.reduce(into: &state, action: action) }
    }
  }

  private typealias Presenting = PresentationTests.Parent

  private func stores() -> [StoreOf<PresentationTests.Parent>] {
    var state = Presenting.State()
    state.step = Step.State()
    return [
      Store(initialState: state) { Wrapping(base: Presenting()) },
      Store(initialState: state) { Calling(base: Presenting()) },
      Store(initialState: state) { Calling(base: Wrapping(base: Reduce(Presenting()))) },
      Store(initialState: state) { Calling(base: Reduce(Wrapping(base: Presenting()))) },
    ]
  }

  @Test func effectsEndWithTheDismissal() async {
    for store in stores() {
      let cancelled = Gate()
      store.send(.step(.presented(.run(.endless(cancelled)))))
      store.send(.step(.dismiss))
      await cancelled.wait()
      #expect(store.step == nil)
    }
  }

  @Test func childrenDismissThemselves() async {
    for store in stores() {
      await store.send(.step(.presented(.dismiss))).finish()
      #expect(store.step == nil)
    }
  }

  @Test func effectsOfAChildAreItsOwn() async {
    for store in stores() {
      let gate = Gate()
      let task = store.send(.step(.presented(.run(.after(gate, .note("kept")).cancellable(id: 1)))))
      store.send(.change { $0.destination = .step(Step.State()) })
      store.send(.destination(.presented(.step(.run(.cancel(id: 1))))))
      gate.open()
      await task.finish()
      #expect(store.step?.log == ["kept"])
    }
  }

  @Test func effectsEndWithARow() async {
    typealias Rows = ForEachTests.Rows
    for store in [
      Store(initialState: Rows.State()) { Wrapping(base: Rows()) },
      Store(initialState: Rows.State()) { Calling(base: Rows()) },
    ] {
      let cancelled = Gate()
      store.send(.rows(.element(id: 1, action: .run(.endless(cancelled)))))
      store.send(.remove(1))
      await cancelled.wait()
    }
  }

  @Test func effectsEndWithAGrandchild() async {
    let store = Store(initialState: DismissTests.Node.State(node: .init(step: Step.State()))) {
      Wrapping(base: DismissTests.Node())
    }
    let cancelled = Gate()
    store.send(.node(.presented(.step(.presented(.run(.endless(cancelled)))))))
    store.send(.node(.presented(.step(.dismiss))))
    await cancelled.wait()
    #expect(store.node?.step == nil && store.node != nil)
  }

  /// Two children of the same type in one parent, presented by the same key path.
  struct Twins: Reducer {
    struct State {
      var left = PresentationTests.Parent.State()
      var right = PresentationTests.Parent.State()
    }

    @CasePathable enum Action {
      case left(PresentationTests.Parent.Action)
      case right(PresentationTests.Parent.Action)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.left, action: \.left) { PresentationTests.Parent() }
      Scope(state: \.right, action: \.right) { PresentationTests.Parent() }
    }
  }

  @Test func siblingsOfOneTypeAreApart() async {
    for isWrapped in [false, true] {
      var state = Twins.State()
      state.left.step = Step.State()
      state.right.step = Step.State()
      let store =
        isWrapped
        ? Store(initialState: state) { Wrapping(base: Twins()) } : Store(initialState: state) { Twins() }
      let (gate, cancelled) = (Gate(), Gate())
      let left = store.send(.left(.step(.presented(.run(.after(gate, .note("kept")))))))
      store.send(.right(.step(.presented(.run(.endless(cancelled))))))
      store.send(.right(.step(.dismiss)))
      await cancelled.wait()
      gate.open()
      await left.finish()
      #expect(store.left.step?.log == ["kept"])
    }
  }
}
