import ComposableArchitecture
import ComposableArchitectureClassic
import Foundation
import Testing

private typealias ClassicReducer = ComposableArchitectureClassic.Reducer
private typealias ClassicEffect = ComposableArchitectureClassic.Effect
private typealias ClassicStore = ComposableArchitectureClassic.Store

/// A feature that dismisses itself.
private struct Sheet: ComposableArchitecture.Reducer {
  struct State: Equatable {
    var id = 0
    var isPresented: Bool?
    @PresentationState var inner: Inner.State?
  }
  @CasePathable enum Action: Equatable {
    case close, note, presented(Bool)
    case inner(ComposableArchitecture.PresentationAction<Inner.Action>)
  }
  @Dependency(\.dismiss) var dismiss

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      switch action {
      case .close: return .run { _ in await dismiss() }
      case .note:
        return .run { send in
          @Dependency(\.isPresented) var isPresented
          await send(.presented(isPresented))
        }
      case .presented(let isPresented): state.isPresented = isPresented
      case .inner: break
      }
      return .none
    }
    .ifLet(\.$inner, action: \.inner) { Inner() }
  }
}

private struct Inner: ComposableArchitecture.Reducer {
  struct State: Equatable {}
  enum Action: Equatable { case close }
  @Dependency(\.dismiss) var dismiss

  func reduce(into state: inout State, action: Action) -> ComposableArchitecture.Effect<Action> {
    .run { _ in await dismiss() }
  }
}

private struct Root: ComposableArchitecture.Reducer {
  struct State: Equatable {
    @PresentationState var sheet: Sheet.State?
    var path = StackState<Sheet.State>()
    var plain = Sheet.State()
  }
  @CasePathable enum Action: Equatable {
    case sheet(ComposableArchitecture.PresentationAction<Sheet.Action>)
    case path(StackAction<Sheet.State, Sheet.Action>)
    case plain(Sheet.Action)
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.plain, action: \.plain) { Sheet() }
    EmptyReducer()
      .ifLet(\.$sheet, action: \.sheet) { Sheet() }
      .forEach(\.path, action: \.path) { Sheet() }
  }
}

/// Children that operators of an older generation present dismiss themselves.
@MainActor @Suite(.timeLimit(.minutes(30))) struct StreamDismissTests {
  private typealias Wrapping = @Sendable (ClassicEffect<Root.Action, Never>) -> ClassicEffect<Root.Action, Never>

  private nonisolated static let wrappings: [Wrapping] = [
    { $0.receive(on: DispatchQueue.immediate).eraseToEffect() },
    { $0.filter { _ in true }.merge(with: Empty<Root.Action, Never>()).eraseToEffect() },
    { $0.flatMap { Just($0) }.eraseToEffect() },
    { $0.debounce(id: UUID(), for: 0, scheduler: DispatchQueue.immediate) },
  ]

  private func store(
    _ wrap: @escaping Wrapping = wrappings[0], _ change: (inout Root.State) -> Void
  ) -> ClassicStore<Root.State, Root.Action> {
    withDependencies {
      $0.stackElementID = StackElementIDGenerator()
    } operation: {
      var state = Root.State()
      change(&state)
      let feature = ClassicReducer<Root.State, Root.Action, Void>(feature: { _ in Root() })
      let reducer = ClassicReducer<Root.State, Root.Action, Void> { state, action, environment in
        wrap(feature.run(&state, action, environment))
      }
      return ClassicStore(initialState: state, reducer: reducer, environment: ())
    }
  }

  @Test(arguments: wrappings.indices) func aPresentedChild(_ index: Int) async {
    let store = store(Self.wrappings[index]) { $0.sheet = Sheet.State() }
    await store.send(.sheet(.presented(.note))).finish()
    #expect(store.state.sheet?.isPresented == true)
    await store.send(.sheet(.presented(.close))).finish()
    #expect(store.state.sheet == nil)
  }

  @Test(arguments: wrappings.indices) func anElementOfAStackPopsItselfAndThoseAboveIt(_ index: Int) async {
    let store = store(Self.wrappings[index]) {
      $0.path = StackState((1...3).map { Sheet.State(id: $0) })
    }
    await store.send(.path(.element(id: 1, action: .close))).finish()
    #expect(store.state.path.map(\.id) == [1])
  }

  @Test func aNestedChildDismissesOnlyItself() async {
    let store = store { $0.sheet = Sheet.State(inner: Inner.State()) }
    await store.send(.sheet(.presented(.inner(.presented(.close))))).finish()
    #expect(store.state.sheet != nil && store.state.sheet?.inner == nil)
  }

  @Test func aChildThatIsNotPresentedCannotDismiss() async {
    let store = store { $0.sheet = Sheet.State() }
    await store.send(.plain(.note)).finish()
    #expect(store.state.plain.isPresented == false)
    await withExpectedIssue { await store.send(.plain(.close)).finish() }
    #expect(store.state.sheet != nil)
  }

  @Test func theDismissalPassesThroughTheOperators() async {
    // As in a parent that a classic reducer pulls back to its own actions.
    enum AppAction: Equatable { case root(Root.Action) }
    let feature = ClassicReducer<Root.State, Root.Action, Void>(feature: { _ in Root() })
    let wrapped = ClassicReducer<Root.State, Root.Action, Void> { state, action, environment in
      feature.run(&state, action, environment).receive(on: DispatchQueue.immediate).eraseToEffect()
    }
    let actions = LockIsolated<[AppAction]>([])
    let app = ClassicReducer<Root.State, AppAction, Void> { state, action, _ in
      actions.withValue { $0.append(action) }
      guard case .root(let action) = action else { return .none }
      return wrapped.run(&state, action, ()).map(AppAction.root).filter { _ in true }.eraseToEffect()
    }
    let store = ClassicStore(
      initialState: Root.State(sheet: Sheet.State()), reducer: app, environment: ())
    await store.send(.root(.sheet(.presented(.close)))).finish()
    #expect(store.state.sheet == nil)
    #expect(actions.value == [.root(.sheet(.presented(.close))), .root(.sheet(.dismiss))])
  }
}
