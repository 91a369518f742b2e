import ComposableArchitecture
import Testing

/// A child's action changes the child's state where it is: its arrays are not copied, whatever their size.
///
/// That holds for children in stored properties: a key path to a property with accessors, such as an observed or a
/// presented one, takes the child out and sets it again.
@MainActor @Suite struct InPlaceTests {
  @Reducer struct Child {
    struct State: Equatable, Identifiable {
      var id = 1
      var numbers = [1, 2, 3]
      /// The addresses that the numbers have had.
      var places: Set<UInt> = []
    }

    enum Action: Equatable { case append }

    var body: some ReducerOf<Self> {
      Reduce { state, _ in
        state.numbers.reserveCapacity(100)
        state.numbers.append(0)
        state.places.insert(state.numbers.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) })
        return .none
      }
    }
  }

  @Reducer enum Destination { case child(Child) }

  @Reducer struct Tab {
    @CasePathable enum State: Equatable { case child(Child.State) }
    @CasePathable enum Action { case child(Child.Action) }

    var body: some ReducerOf<Self> {
      Scope(state: \.child, action: \.child) { Child() }
    }
  }

  @Reducer struct CaseLet {
    @CasePathable enum State: Equatable { case child(Child.State) }
    @CasePathable enum Action { case child(Child.Action) }

    var body: some ReducerOf<Self> {
      EmptyReducer().ifCaseLet(\.child, action: \.child) { Child() }
    }
  }

  @Reducer struct Parent {
    struct State {
      var property: Child.State
      var optional: Child.State?
      var tab: Tab.State
      var caseLet: CaseLet.State
      var list: IdentifiedArrayOf<Child.State>
      var stack: StackState<Child.State>
      var destinations: StackState<Destination.State>
    }

    enum Action {
      case property(Child.Action)
      case optional(Child.Action)
      case tab(Tab.Action)
      case caseLet(CaseLet.Action)
      case list(IdentifiedActionOf<Child>)
      case stack(StackActionOf<Child>)
      case destinations(StackActionOf<Destination>)
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.property, action: \.property) { Child() }
      Scope(state: \.tab, action: \.tab) { Tab() }
      Scope(state: \.caseLet, action: \.caseLet) { CaseLet() }
      EmptyReducer()
        .ifLet(\.optional, action: \.optional) { Child() }
        .forEach(\.list, action: \.list) { Child() }
        .forEach(\.stack, action: \.stack) { Child() }
        .forEach(\.destinations, action: \.destinations)
    }
  }

  @Test func noArrayIsCopied() {
    let child = Child.State()
    let state = Parent.State(
      property: child, optional: child, tab: .child(child),
      caseLet: .child(child), list: [child], stack: StackState([child]), destinations: StackState([.child(child)]))
    let (id, destinationID) = (state.stack.ids[0], state.destinations.ids[0])
    let store = Store(initialState: state) { Parent() }
    let kinds: [(name: String, action: Parent.Action, child: (Parent.State) -> Child.State?)] = [
      ("property", .property(.append), { $0.property }),
      ("optional", .optional(.append), { $0.optional }),
      ("tab", .tab(.child(.append)), { $0.tab[case: \.child] }),
      ("caseLet", .caseLet(.child(.append)), { $0.caseLet[case: \.child] }),
      ("list", .list(.element(id: 1, action: .append)), { $0.list[id: 1] }),
      ("stack", .stack(.element(id: id, action: .append)), { $0.stack[id: id] }),
      (
        "destinations", .destinations(.element(id: destinationID, action: .child(.append))),
        { $0.destinations[id: destinationID]?.child }
      ),
    ]
    for kind in kinds { for _ in 0..<7 { store.send(kind.action) } }
    for kind in kinds {
      let child = store.withState(kind.child)
      #expect(child?.numbers.count == 10 && child?.places.count == 1, "\(kind.name)")
    }
  }
}
