internal import ComposableArchitectureClassic
public import ComposableCore
internal import ConcurrencyExtras
public import EffectStreams
public import FeatureCore
public import IdentifiedCollections

/// The options of the original library's stores. They have no effect here: stores behave as those of 1.x.
public struct StoreConfig: Sendable {
  /// True if scopes send directly to the root store, which they always do here.
  public var useNewScope: @Sendable () -> Bool
  /// True if use on another thread is detected, which it always is here.
  public var mainThreadChecksEnabled: @Sendable () -> Bool
  /// True if effects are cancelled when the root store is released, which they always are here.
  public var cancelsEffectsOnDeinit: @Sendable () -> Bool

  /// The options that match the behaviour here.
  public static let `default` = StoreConfig()

  /// Creates options.
  public init(
    useNewScope: @escaping @Sendable () -> Bool = { true },
    mainThreadChecksEnabled: @escaping @Sendable () -> Bool = { true },
    cancelsEffectsOnDeinit: @escaping @Sendable () -> Bool = { true }
  ) {
    self.useNewScope = useNewScope
    self.mainThreadChecksEnabled = mainThreadChecksEnabled
    self.cancelsEffectsOnDeinit = cancelsEffectsOnDeinit
  }
}

/// The runtime of a feature: holds its state, runs its actions through its reducer, and runs their effects.
///
/// ```swift
/// store.subscribe(\.count)
///   .subscribe(onNext: { label.text = "\($0)" })
///   .disposed(by: disposeBag)
/// ```
///
/// It is the store of 1.x with the API of RxComposableArchitecture, and is used on the main thread. Actions that
/// effects send on other threads are reduced there.
public final class Store<State, Action> {
  let base: ComposableArchitectureClassic.Store<State, Action>
  private let filter: ((State, Action) -> Bool)?

  /// Creates a root store from a reducer with an environment.
  public convenience init<Environment>(
    initialState: State, reducer: AnyReducer<State, Action, Environment>, environment: Environment,
    useNewScope: Bool = true, mainThreadChecksEnabled: Bool = true, cancelsEffectsOnDeinit: Bool = true
  ) {
    self.init(initialState: initialState, reducer: Reduce(reducer, environment: environment))
  }

  /// Creates a root store from a reducer of the protocol's generation.
  public convenience init<R: ReducerProtocol>(
    initialState: State, reducer: R, useNewScope: Bool = true, mainThreadChecksEnabled: Bool = true,
    cancelsEffectsOnDeinit: Bool = true, withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
  ) where R.State == State, R.Action == Action {
    let parts = UncheckedSendable((initialState, reducer, prepareDependencies))
    let base = MainThread.require("A store") {
      let (state, reducer, prepare) = parts.value
      return ComposableCore.Store(
        initialState: state, reducer: { Instrumented(base: Bootstrapped(base: reducer)) }, withDependencies: prepare)
    }
    self.init(base)
  }

  /// Wraps a store of 1.x, possibly one whose state is a hub's.
  public convenience init(_ store: ComposableCore.Store<State, Action>) {
    self.init(base: ComposableArchitectureClassic.Store(store))
  }

  private init(
    base: ComposableArchitectureClassic.Store<State, Action>, filter: ((State, Action) -> Bool)? = nil
  ) {
    (self.base, self.filter) = (base, filter)
  }

  /// The current state.
  public var state: State { base.state }

  /// The current state, then the state after each turn.
  public var observable: Observable<State> { base.states.setFailureType(to: (any Error).self) }

  /// Sends an action to the feature.
  ///
  /// - Returns: The task of the effects that the action started.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { send(action, originatingFrom: nil) }

  /// Sends an action to the feature.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - originatingAction: The action that caused this one, for the instrumentation.
  ///   - instrumentation: The instrumentation for this action; nil for the shared one.
  /// - Returns: The task of the effects that the action started.
  @discardableResult
  public func send(
    _ action: Action, originatingFrom originatingAction: Action?, instrumentation: Instrumentation? = nil
  ) -> StoreTask {
    if let filter, !filter(state, action) { return MainThread.require("A store") { StoreTask() } }
    return (instrumentation ?? .shared).around(
      .storeSend, Store.self, action: action, originating: originatingAction
    ) {
      guard let instrumentation else { return base.send(action) }
      return Instrumentation.$sending.withValue(instrumentation) { base.send(action) }
    }
  }

  /// Sends an action to the feature and measures it with an instrumentation.
  @discardableResult
  public func send(_ action: Action, instrumentation: Instrumentation) -> StoreTask {
    send(action, originatingFrom: nil, instrumentation: instrumentation)
  }

  /// Returns the store of a part of the state and the actions.
  public func scope<LocalState, LocalAction>(
    state toLocalState: @escaping (State) -> LocalState, action fromLocalAction: @escaping (LocalAction) -> Action,
    instrumentation: Instrumentation = .shared
  ) -> Store<LocalState, LocalAction> {
    let scoped = base.scope(
      state: { state in instrumentation.around(.storeToLocal, Store.self) { toLocalState(state) } },
      action: fromLocalAction)
    return Store<LocalState, LocalAction>(base: scoped)
  }

  /// Returns the store of a part of the state.
  public func scope<LocalState>(
    state toLocalState: @escaping (State) -> LocalState, instrumentation: Instrumentation = .shared
  ) -> Store<LocalState, Action> {
    scope(state: toLocalState, action: { $0 }, instrumentation: instrumentation)
  }

  /// The store without its state.
  public var stateless: Store<Void, Action> { Store<Void, Action>(base: base.stateless) }

  /// The store without its actions.
  public var actionless: Store<State, Never> { Store<State, Never>(base: base.actionless) }

  /// Returns a store that ignores actions for which a function returns false.
  package func filter(_ isIncluded: @escaping (State, Action) -> Bool) -> Store {
    Store(base: base, filter: isIncluded)
  }
}

/// The store of a reducer's state and actions.
public typealias StoreOf<R: ReducerProtocol> = Store<R.State, R.Action>

extension Store {
  /// Returns a stream of a part of the state: the current value, then each value that differs from the one before.
  public func subscribe<LocalState: Equatable>(
    _ toLocalState: @escaping (State) -> LocalState, instrumentation: Instrumentation = .shared
  ) -> FeatureCore.Effect<LocalState> {
    subscribe(toLocalState, removeDuplicates: ==, instrumentation: instrumentation)
  }

  /// Returns a stream of a part of the state: the current value and each later one that differs by a function.
  public func subscribe<LocalState>(
    _ toLocalState: @escaping (State) -> LocalState,
    removeDuplicates isDuplicate: @escaping (LocalState, LocalState) -> Bool,
    instrumentation: Instrumentation = .shared
  ) -> FeatureCore.Effect<LocalState> {
    let values = base.states
      .map { state in instrumentation.around(.viewStoreChangeState, Store.self) { toLocalState(state) } }
      .removeDuplicates { old, new in
        instrumentation.around(.viewStoreDeduplicate, Store.self) { isDuplicate(old, new) }
      }
    return FeatureCore.Effect<LocalState>(stream: values)
  }

  /// Returns a stream of an event of the state: the value of each assignment, even if it is equal.
  public func subscribeNeverEqual<LocalState: Equatable>(
    _ toLocalState: @escaping (State) -> NeverEqual<LocalState>, instrumentation: Instrumentation = .shared
  ) -> FeatureCore.Effect<LocalState> {
    subscribe({ toLocalState($0) }, instrumentation: instrumentation).eraseToEffect { $0.wrappedValue }
  }

  /// Calls closures when an optional state becomes non-nil, with a store for it, and when it becomes nil.
  public func ifLet<Wrapped>(
    then unwrap: @escaping (Store<Wrapped, Action>) -> Void, else: @escaping () -> Void = {}
  ) -> any Disposable where State == Wrapped? {
    let optionals = base.optionals(then: { unwrap(Store<Wrapped, Action>(base: $0)) }, else: `else`)
    return optionals.subscribe()
  }
}

extension Store where State: Equatable {
  /// Returns a stream of the current state, then of each state that differs from the one before.
  public func subscribe() -> FeatureCore.Effect<State> { subscribe({ $0 }) }
}

extension Store {
  /// Returns the store of an element of a collection, or nil if there is no such element. After the element has been
  /// removed, the store shows its last state.
  public func scope<ID: Hashable & Sendable, Element, LocalAction>(
    at id: ID, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<Element, LocalAction>? where State == IdentifiedArray<ID, Element> {
    scope(element: { $0[id: id] }, action: fromLocalAction)
  }

  /// Returns the store of an element of a collection, or nil if there is no such element. After the element has been
  /// removed, the store shows its last state.
  ///
  /// - Complexity: O(elements) for each read of its state.
  @_disfavoredOverload
  public func scope<LocalAction>(
    at id: State.Element.ID, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<State.Element, LocalAction>? where State: Collection, State.Element: Identifiable {
    scope(element: { $0.first { $0.id == id } }, action: fromLocalAction)
  }

  private func scope<Element, LocalAction>(
    element: @escaping (State) -> Element?, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<Element, LocalAction>? {
    guard var last = element(state) else { return nil }
    return scope(
      state: { state in
        last = element(state) ?? last
        return last
      }, action: fromLocalAction)
  }
}
