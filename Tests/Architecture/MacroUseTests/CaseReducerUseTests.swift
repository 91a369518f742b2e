public import ComposableArchitecture
import Testing

@Reducer
public struct Leaf: Sendable {
  @ObservableState
  public struct State: Equatable, Hashable, Sendable, Codable {
    public var count = 0
    public init(count: Int = 0) { self.count = count }
  }
  public enum Action: Equatable, Sendable { case tapped }
  let step: Int
  public init(step: Int = 1) { self.step = step }
  public var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += step
      return .none
    }
  }
}

@Reducer
public enum Destination {
  case alert(AlertState<Alert>)
  case confirmationDialog(ConfirmationDialogState<Dialog>)
  case leaf(Leaf)
  case bigStep(Leaf = Leaf(step: 10))
  case labelled(leaf: Leaf)
  @ReducerCaseIgnored case plain(Int)
  @ReducerCaseIgnored case several(Int, name: String)
  case pair(Int, name: String)
  @ReducerCaseEphemeral case banner(AlertState<Alert>)
  case empty
  case `default`(Leaf), `in`
  #if os(Linux)
    case here(Leaf)
    @ReducerCaseIgnored case hereToo(String)
  #else
    case elsewhere(NoSuchType)
  #endif

  @CasePathable public enum Alert: Equatable, Sendable { case confirm, remove(Int) }
  public enum Dialog: Equatable, Sendable { case yes }
}
extension Destination.State: Equatable {}

@Reducer(state: .equatable, .sendable, action: .equatable, .sendable)
enum Path {
  case leaf(Leaf)
  case other(Leaf)
  case end
}

@Reducer(state: .hashable, .codable) private enum PrivatePath { case leaf(Leaf) }
@Reducer enum IgnoredOnly { case a, b }
@Reducer enum NoCases {}
@Reducer(state: .equatable) package enum Inner { case leaf(Leaf), other(Leaf) }
@Reducer(state: .equatable) package enum Outer {
  case inner(Inner.Body)
  case leaf(Leaf)
}

@Reducer
enum OwnParts {
  case leaf(Leaf)
  case notice(AlertState<Never>)
  static var extra: Int { 3 }
  enum Unrelated { case x }
}

@Reducer
struct Owner {
  @ObservableState
  struct State: Equatable {
    @Presents var destination: Destination.State?
    var path = StackState<Path.State>()
  }
  enum Action {
    case destination(PresentationAction<Destination.Action>)
    case path(StackActionOf<Path>)
    case show(Destination.State)
  }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .show(let destination):
        state.destination = destination
        return .none
      case .destination(.presented(.alert(.remove(let count)))):
        state.path = .init((0..<count).map { .leaf(.init(count: $0)) })
        return .none
      case .destination, .path: return .none
      }
    }
    .ifLet(\.$destination, action: \.destination)
    .forEach(\.path, action: \.path)
  }

  @Reducer(state: .equatable)
  enum Sheet {
    case leaf(Leaf)
    case owner(Leaf)
  }
}

@Reducer(state: .equatable)
enum GenericDestination<Element: Equatable & Sendable> {
  case leaf(Leaf)
  @ReducerCaseIgnored case element(Element)
}

@Reducer
enum Many60 {
  case c0(Leaf), c1(Leaf), c2(Leaf), c3(Leaf), c4(Leaf), c5(Leaf), c6(Leaf), c7(Leaf), c8(Leaf), c9(Leaf)
  case d0, d1, d2, d3, d4, d5, d6, d7, d8, d9
}

@Reducer
struct Node {
  @ObservableState
  struct State: Equatable {
    var count = 0
    @Presents var child: Child.State?
  }
  enum Action {
    case child(PresentationAction<Child.Action>)
    case tapped
  }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .tapped = action { state.count += 1 }
      return .none
    }
    .ifLet(\.$child, action: \.child)
  }

  @Reducer(state: .equatable)
  enum Child {
    case node(Node)
    case leaf(Leaf)
  }
}

@MainActor
@Suite struct CaseReducerUseTests {
  @Test func aFeatureIsACaseOfItsOwnDestinations() {
    let inner = Node.State(child: .node(.init(count: 5)))
    let store = Store(initialState: Node.State(child: .node(inner))) { Node() }
    store.send(.child(.presented(.node(.child(.presented(.node(.tapped)))))))
    #expect(store.child?.node?.child?.node?.count == 6)
    #expect(store.child?.node?.count == 0)
  }

  @Test func destinationsAndPathsCompose() {
    let store = Store(initialState: Owner.State()) { Owner() }
    store.send(.show(.leaf(.init())))
    store.send(.destination(.presented(.leaf(.tapped))))
    #expect(store.destination == .leaf(.init(count: 1)))
    #expect(store.destination?.leaf?.count == 1)
    store.send(.show(.bigStep(.init())))
    store.send(.destination(.presented(.bigStep(.tapped))))
    #expect(store.destination?.bigStep?.count == 10)
    store.send(.show(.default(.init())))
    store.send(.destination(.presented(.default(.tapped))))
    #expect(store.destination?.default?.count == 1)
    store.send(.show(.labelled(leaf: .init())))
    store.send(.destination(.presented(.labelled(.tapped))))
    #expect(store.destination?.labelled?.count == 1)
    store.send(.show(.alert(AlertState { TextState("?") })))
    store.send(.destination(.presented(.alert(.remove(2)))))
    #expect(store.destination == nil)
    #expect(store.path.count == 2)
    let id = store.path.ids[1]
    store.send(.path(.element(id: id, action: .leaf(.tapped))))
    #expect(store.path[id: id]?.leaf?.count == 2)
    store.send(.path(.popFrom(id: id)))
    #expect(store.path.count == 1)
    #if os(Linux)
      store.send(.show(.here(.init())))
      store.send(.destination(.presented(.here(.tapped))))
      #expect(store.destination?.here?.count == 1)
    #endif
  }

  @Test func theCaseOfAStore() throws {
    let store = Store(initialState: Owner.State(destination: .leaf(.init(count: 3)))) { Owner() }
    let destination = try #require(store.scope(state: \.destination, action: \.destination.presented))
    switch destination.case {
    case .leaf(let leaf):
      leaf.send(.tapped)
      #expect(leaf.count == 4)
    default: Issue.record("it is a leaf")
    }
    func text(_ state: Destination.State) -> String {
      let store = Store<Destination.State, Destination.Action>(initialState: state) { Destination.body }
      return switch store.case {
      case .alert: "alert"
      case .confirmationDialog: "dialog"
      case .leaf(let store), .bigStep(let store), .labelled(let store), .default(let store): "\(store.count)"
      case .plain(let number): "plain \(number)"
      case .several(let number, let name), .pair(let number, let name): "\(number) \(name)"
      case .banner: "banner"
      case .empty: "empty"
      case .in: "in"
      #if os(Linux)
        case .here(let store): "here \(store.count)"
        case .hereToo(let text): text
      #endif
      }
    }
    #expect(text(.plain(4)) == "plain 4")
    #expect(text(.several(4, name: "n")) == "4 n")
    #expect(text(.pair(5, name: "p")) == "5 p")
    #expect(text(.in) == "in")
    #expect(text(.labelled(leaf: .init(count: 8))) == "8")
    #if os(Linux)
      #expect(text(.here(.init(count: 9))) == "here 9")
      #expect(text(.hereToo("too")) == "too")
    #endif
  }

  @Test func enumsWithinEnums() {
    let store = Store<Outer.State, Outer.Action>(initialState: .inner(.leaf(.init()))) { Outer.body }
    store.send(.inner(.leaf(.tapped)))
    #expect(store.state == .inner(.leaf(.init(count: 1))))
    guard case .inner(let inner) = store.case, case .leaf(let leaf) = inner.case else {
      Issue.record("it is a leaf within")
      return
    }
    leaf.send(.tapped)
    #expect(store.state.inner?.leaf?.count == 2)
  }

  @Test func conformancesThatWereAskedFor() {
    func isSendable(_: some Equatable & Sendable) {}
    isSendable(Path.State.leaf(.init()))
    isSendable(Path.Action.leaf(.tapped))
    #expect(Set([PrivatePath.State.leaf(.init())]).count == 1)
    #expect(Path.Action.leaf(.tapped) != .other(.tapped))
    #expect(OwnParts.extra == 3)
    #expect(GenericDestination<Int>.State.element(3) == .element(3))
    #expect(Many60.State.c9(.init()).is(\.c9))
  }
}
