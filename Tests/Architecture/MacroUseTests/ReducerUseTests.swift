public import ComposableArchitecture
import Testing

@Reducer
struct Everything {
  @ObservableState
  struct State: Equatable {
    var count = 0
    var other = ""
  }
  enum Action: Equatable {
    case tapped(Int)
    case reset
  }
  let step: Int
  var body: some ReducerOf<Self> {
    if step > 1 {
      Reduce { state, action in
        if case .tapped(let by) = action { state.count += by * step }
        return .none
      }
    } else {
      Reduce { state, action in
        switch action {
        case .tapped(let by):
          state.count += by
          return .none
        case .reset:
          return .none
        }
      }
    }
    for _ in 0..<2 {
      Reduce { state, action in
        if action == .reset { state.count = 0 }
        return .none
      }
    }
  }
}

@Reducer
public struct PublicFeature: Sendable {
  @ObservableState
  public struct State: Equatable, Sendable {
    public var count: Int
    public init(count: Int = 0) { self.count = count }
  }
  public enum Action: Sendable {
    case tapped
  }
  public init() {}
  public var body: some Reducer<State, Action> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
    // A private feature in a public one's body.
    Reduce { state, _ in
      var inner = PrivateFeature.State()
      _ = PrivateFeature().reduce(into: &inner, action: .tapped(3))
      state.count += inner.count
      return .none
    }
  }
}

@Reducer
private struct PrivateFeature {
  @ObservableState struct State { var count = 0 }
  enum Action { case tapped(Int) }
  var body: some Reducer<Self.State, Self.Action> {
    Reduce { state, action in
      switch action {
      case .tapped(let value):
        state.count += value
        return .none
      }
    }
  }
}

@Reducer public struct PublicEmpty {}
@Reducer package struct PackageEmpty {}
@Reducer private struct PrivateEmpty {}
@available(macOS 99, *) @Reducer public struct AvailableEmpty {}

@Reducer
struct Generic1<Element: Equatable & Sendable> {
  @ObservableState
  struct State: Equatable {
    var elements: [Element] = []
  }
  enum Action {
    case added(Element)
    case nested(Nested.Action)
  }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .added(let element):
        state.elements.append(element)
        return .none
      case .nested: return .none
      }
    }
  }

  @Reducer
  struct Nested {
    @ObservableState struct State { var element: Element }
    enum Action { case set(Element) }
    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .set(let element) = action { state.element = element }
        return .none
      }
    }
  }
}

@Reducer
struct WithReduce {
  struct State { var count = 0 }
  enum Action { case tapped }
  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    state.count += 1
    return .none
  }
}

@Reducer
struct EnumStateFeature {
  @ObservableState
  enum State: Equatable {
    case loggedIn(PublicFeature.State)
    case loggedOut(WithAliases.State)
  }
  enum Action {
    case loggedIn(PublicFeature.Action)
    case loggedOut(WithAliases.Action)
  }
  var body: some ReducerOf<Self> {
    Scope(state: \.loggedIn, action: \.loggedIn) { PublicFeature() }
    Scope(state: \.loggedOut, action: \.loggedOut) { WithAliases() }
  }
}

@Reducer
struct WithAliases {
  typealias State = Int
  typealias Action = PublicFeature.Action
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state += 1
      return .none
    }
  }
}

@Reducer
struct Concrete {
  @ObservableState struct State: Equatable { var count = 0 }
  enum Action { case tapped }
  var body: Reduce<State, Action> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

@Reducer
struct ActionlessParts {
  @ObservableState struct State: Equatable { var count = 0 }
  var body: some ReducerOf<Self> { EmptyReducer() }
}

@Reducer
struct StatelessParts {
  enum Action { case tapped }
  var body: some ReducerOf<Self> { Reduce { _, _ in .none } }
}

@Reducer
struct BodilessParts {
  @ObservableState struct State: Equatable { var count = 0 }
  enum Action { case tapped }
}

@Reducer
struct InExtensions {
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .tapped(let by):
        state.count += by
        return .none
      case .child: return .none
      }
    }
  }
}

extension InExtensions {
  @ObservableState struct State: Equatable { var count = 0 }
  @CasePathable enum Action {
    case tapped(Int)
    case child(PublicFeature.Action)
  }
}

@Reducer struct BodyInExtension {
  @ObservableState struct State: Equatable { var count = 0 }
  enum Action { case tapped }
}

extension BodyInExtension {
  @ReducerBuilder<State, Action>
  var body: some ReducerOf<Self> {
    Reduce { state, _ in
      state.count += 1
      return .none
    }
  }
}

extension Everything.State {
  static let initial = Self(count: 100)
}

@Reducer
struct Conditional1 {
  #if os(Linux)
    @ObservableState struct State: Equatable { var count = 0 }
    enum Action { case tapped }
  #else
    struct State {}
  #endif
  var body: some ReducerOf<Self> {
    #if os(Linux)
      Reduce { state, _ in
        state.count += 1
        return .none
      }
    #endif
  }
}

@Reducer
struct ViewFeature {
  @ObservableState struct State: Equatable { var count = 0 }
  enum Action: ViewAction {
    case view(View)
    case other
    @CasePathable
    enum View: Equatable { case tapped, moved(Int) }
  }
  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .view(.tapped):
        state.count += 1
        return .none
      case .view(.moved(let to)):
        state.count = to
        return .none
      case .other: return .none
      }
    }
  }
}

@ViewAction(for: ViewFeature.self)
@MainActor struct FeatureScreen {
  let store: StoreOf<ViewFeature>
  func tap() { send(.tapped) }
}

@ViewAction(for: ViewFeature.self)
@MainActor final class Controller {
  let store: StoreOf<ViewFeature>
  init(store: StoreOf<ViewFeature>) { self.store = store }
  func move() { send(.moved(7)) }
}

@Reducer
private struct Stated: Reducer {
  struct State: Equatable {}
  enum Action { case tapped }
}

@MainActor
@Suite struct ReducerUseTests {
  @Test func branchesAndLoops() {
    var state = Everything.State.initial
    _ = Everything(step: 3).reduce(into: &state, action: .tapped(2))
    #expect(state.count == 106)
    _ = Everything(step: 1).reduce(into: &state, action: .tapped(2))
    #expect(state.count == 108)
    _ = Everything(step: 1).reduce(into: &state, action: .reset)
    #expect(state.count == 0)
    #expect(Everything.Action.tapped(3)[case: \.tapped] == 3)
  }

  @Test func accessLevels() {
    let store = Store(initialState: PublicFeature.State()) { PublicFeature() }
    store.send(.tapped)
    #expect(store.count == 4)
    _ = Store(initialState: PublicEmpty.State()) { PublicEmpty() }
    _ = Store(initialState: PackageEmpty.State()) { PackageEmpty() }
    _ = Store(initialState: PrivateEmpty.State()) { PrivateEmpty() }
  }

  @Test func generics() {
    let store = Store(initialState: Generic1<Int>.State()) { Generic1<Int>() }
    store.send(.added(3))
    #expect(store.elements == [3])
    #expect(Generic1<Int>.Action.nested(.set(4))[case: \.nested.set] == 4)
  }

  @Test func stateAsEnumAndAlias() {
    let store = Store(initialState: EnumStateFeature.State.loggedOut(1)) { EnumStateFeature() }
    store.send(.loggedOut(.tapped))
    #expect(store.state == .loggedOut(2))
    #expect(store.state.loggedOut == 2)
    #expect(store.scope(state: \.loggedOut, action: \.loggedOut)?.state == 2)
  }

  @Test func aStructThatStatesTheProtocolMayLackParts() {
    Store(initialState: Stated.State()) { Stated() }.send(.tapped)
  }

  @Test func missingParts() {
    _ = Store(initialState: ActionlessParts.State()) { ActionlessParts() }
    Store(initialState: StatelessParts.State()) { StatelessParts() }.send(.tapped)
    let store = Store(initialState: BodilessParts.State()) { BodilessParts() }
    store.send(.tapped)
    #expect(store.count == 0)
    Store(initialState: WithReduce.State()) { WithReduce() }.send(.tapped)
    Store(initialState: Concrete.State()) { Concrete() }.send(.tapped)
  }

  @Test func partsInExtensions() {
    let store = Store(initialState: InExtensions.State()) { InExtensions() }
    store.send(.tapped(4))
    #expect(store.count == 4)
    let other = Store(initialState: BodyInExtension.State()) { BodyInExtension() }
    other.send(.tapped)
    #expect(other.count == 1)
  }

  @Test func conditionalParts() {
    let store = Store(initialState: Conditional1.State()) { Conditional1() }
    store.send(.tapped)
    #expect(store.count == 1)
  }

  @Test func viewActions() {
    let store = Store(initialState: ViewFeature.State()) { ViewFeature() }
    FeatureScreen(store: store).tap()
    #expect(store.count == 1)
    Controller(store: store).move()
    #expect(store.count == 7)
  }
}
