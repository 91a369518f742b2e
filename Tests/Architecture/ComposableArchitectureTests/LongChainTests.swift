import ComposableArchitecture
import Testing

/// A body with many children in one chain of modifiers. The compiler gives up on such an expression if each modifier has
/// too many overloads of the same rank.
@MainActor @Suite struct LongChainTests {
  @Reducer struct Leaf {
    struct State: Equatable, Identifiable {
      var id = 0
      var count = 0
    }

    enum Action { case tap }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    }
  }

  @Reducer struct Parent {
    @ObservableState struct State: Equatable {
      @Presents var a: Leaf.State?
      @Presents var b: Leaf.State?
      @Presents var c: Leaf.State?
      @Presents var d: Leaf.State?
      @Presents var e: Leaf.State?
      @Presents var f: Leaf.State?
      @Presents var g: Leaf.State?
      @Presents var h: Leaf.State?
      var i: IdentifiedArrayOf<Leaf.State> = []
      var j: Leaf.State?
    }

    enum Action {
      case start
      case a(PresentationAction<Leaf.Action>)
      case b(PresentationAction<Leaf.Action>)
      case c(PresentationAction<Leaf.Action>)
      case d(PresentationAction<Leaf.Action>)
      case e(PresentationAction<Leaf.Action>)
      case f(PresentationAction<Leaf.Action>)
      case g(PresentationAction<Leaf.Action>)
      case h(PresentationAction<Leaf.Action>)
      case i(IdentifiedActionOf<Leaf>)
      case j(Leaf.Action)
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        guard case .start = action else { return .none }
        (state.a, state.b, state.c, state.d) = (Leaf.State(), Leaf.State(), Leaf.State(), Leaf.State())
        (state.e, state.f, state.g, state.h) = (Leaf.State(), Leaf.State(), Leaf.State(), Leaf.State())
        (state.i, state.j) = ([Leaf.State()], Leaf.State())
        return .none
      }
      .ifLet(\.$a, action: \.a) { Leaf() }
      .ifLet(\.$b, action: \.b) { Leaf() }
      .ifLet(\.$c, action: \.c) { Leaf() }
      .ifLet(\.$d, action: \.d) { Leaf() }
      .ifLet(\.$e, action: \.e) { Leaf() }
      .ifLet(\.$f, action: \.f) { Leaf() }
      .ifLet(\.$g, action: \.g) { Leaf() }
      .ifLet(\.$h, action: \.h) { Leaf() }
      .forEach(\.i, action: \.i) { Leaf() }
      .ifLet(\.j, action: \.j) { Leaf() }
    }
  }

  @Test func everyChildOfALongChainIsReached() {
    let store = Store(initialState: Parent.State()) { Parent() }
    store.send(.start)
    let actions: [Parent.Action] = [
      .a(.presented(.tap)), .b(.presented(.tap)), .c(.presented(.tap)), .d(.presented(.tap)), .e(.presented(.tap)),
      .f(.presented(.tap)), .g(.presented(.tap)), .h(.presented(.tap)), .i(.element(id: 0, action: .tap)), .j(.tap),
    ]
    for action in actions { store.send(action) }
    let state = store.withState(\.self)
    let leaves = [state.a, state.b, state.c, state.d, state.e, state.f, state.g, state.h, state.i.first, state.j]
    #expect(leaves.map { $0?.count } == Array(repeating: 1, count: leaves.count))
  }
}
