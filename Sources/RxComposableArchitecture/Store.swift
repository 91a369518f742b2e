public import ComposableCore
internal import ConcurrencyExtras
public import EffectStreams
public import IdentifiedCollections
public import Reducers

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
  package let base: ComposableCore.Store<State, Action>
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
        initialState: state, reducer: { Bootstrapped(base: reducer) }, withDependencies: prepare)
    }
    self.init(base: base)
  }

  /// Wraps a store of 1.x, possibly one whose state is a hub's.
  public convenience init(_ store: ComposableCore.Store<State, Action>) {
    self.init(base: store)
  }

  private init(base: ComposableCore.Store<State, Action>, filter: ((State, Action) -> Bool)? = nil) {
    (self.base, self.filter) = (base, filter)
  }

  /// The current state.
  public var state: State {
    MainThread.require("A store") { [base] in UncheckedSendable(base.state) }.value
  }

  /// A stream of the current state and the state after each later turn.
  public var observable: Observable<State> { states.setFailureType(to: (any Error).self) }

  var states: AnyPublisher<State, Never> {
    AnyPublisher { [base] observer in
      let subscription = MainThread.require("A store") { base.subscribe { observer.send($0) } }
      observer.onEnd { MainThread.run { subscription.cancel() } }
    }
  }

  /// Sends an action to the feature.
  ///
  /// - Returns: The task of the effects that the action started.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    if let filter, !filter(state, action) { return MainThread.require("A store") { StoreTask() } }
    let action = UncheckedSendable(action)
    return MainThread.require("A store") { [base] in base.send(action.value) }
  }

  /// Returns the store of a part of the state and the actions.
  public func scope<LocalState, LocalAction>(
    state toLocalState: @escaping (State) -> LocalState, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<LocalState, LocalAction> {
    let functions = UncheckedSendable((toLocalState, fromLocalAction))
    return Store<LocalState, LocalAction>(
      base: MainThread.require("A store") { [base] in
        base.scope(state: functions.value.0, action: functions.value.1)
      })
  }

  /// Returns the store of a part of the state.
  public func scope<LocalState>(state toLocalState: @escaping (State) -> LocalState) -> Store<LocalState, Action> {
    scope(state: toLocalState, action: { $0 })
  }

  /// The store without its state.
  public var stateless: Store<Void, Action> { scope(state: { _ in () }) }

  /// The store without its actions.
  public var actionless: Store<State, Never> {
    func absurd(_ never: Never) -> Action {}
    return scope(state: { $0 }, action: absurd)
  }

  /// Returns a store that ignores actions for which a function returns false.
  package func filter(_ isIncluded: @escaping (State, Action) -> Bool) -> Store {
    Store(base: base, filter: isIncluded)
  }
}

extension Store {
  /// Returns a stream of a part of the state: the current value and each later one that differs.
  public func subscribe<LocalState: Equatable>(_ toLocalState: @escaping (State) -> LocalState) -> Effect<LocalState> {
    subscribe(toLocalState, removeDuplicates: ==)
  }

  /// Returns a stream of a part of the state: the current value and each later one that differs by a function.
  public func subscribe<LocalState>(
    _ toLocalState: @escaping (State) -> LocalState,
    removeDuplicates isDuplicate: @escaping (LocalState, LocalState) -> Bool
  ) -> Effect<LocalState> {
    Effect<LocalState>(stream: states.map(toLocalState).removeDuplicates(by: isDuplicate))
  }

  /// Returns a stream of an event of the state: the value of each assignment, even if it is equal.
  public func subscribeNeverEqual<LocalState: Equatable>(
    _ toLocalState: @escaping (State) -> NeverEqual<LocalState>
  ) -> Effect<LocalState> {
    Effect<LocalState>(stream: states.map(toLocalState).removeDuplicates().map(\.wrappedValue))
  }

  /// Calls closures when an optional state becomes non-nil, with a store for it, and when it becomes nil.
  public func ifLet<Wrapped>(
    then unwrap: @escaping (Store<Wrapped, Action>) -> Void, else: @escaping () -> Void = {}
  ) -> any Disposable where State == Wrapped? {
    var (isFirst, last): (Bool, LastState<Wrapped>?) = (true, nil)
    return states.subscribe(onNext: { [self] state in
      defer { isFirst = false }
      switch (state, last) {
      case (let state?, let current?): current.state = state
      case (let state?, nil):
        let current = LastState(state)
        last = current
        unwrap(scope(state: { $0 ?? current.state }))
      case (nil, let current):
        last = nil
        if isFirst || current != nil { `else`() }
      }
    })
  }
}

extension Store where State: Equatable {
  /// Returns a stream of the current state and each later one that differs.
  public func subscribe() -> Effect<State> { subscribe({ $0 }) }
}

extension Store {
  /// Returns the store of an element of a collection, or nil if there is no such element. After the element has been
  /// removed, the store shows its last state.
  public func scope<ID: Hashable & Sendable, Element, LocalAction>(
    at id: ID, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<Element, LocalAction>? where State == IdentifiedArray<ID, Element> {
    guard let element = state[id: id] else { return nil }
    let last = LastState(element)
    return scope(
      state: { elements in
        last.state = elements[id: id] ?? last.state
        return last.state
      }, action: fromLocalAction)
  }
}

/// The last state of a child, which its store shows after the child has been removed.
final class LastState<State> {
  var state: State

  init(_ state: State) {
    self.state = state
  }
}
