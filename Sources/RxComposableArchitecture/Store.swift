public import ComposableCore
internal import ConcurrencyExtras
public import EffectStreams
public import IdentifiedCollections
public import Reducers

/// Switches of the original library for its stores. Stores here behave as those of 1.x whatever they are set to.
public struct StoreConfig: Sendable {
  /// Whether scopes send straight to the root store: they do.
  public var useNewScope: @Sendable () -> Bool
  /// Whether use on another thread is found: it always is.
  public var mainThreadChecksEnabled: @Sendable () -> Bool
  /// Whether effects are cancelled when the root store goes away: they are.
  public var cancelsEffectsOnDeinit: @Sendable () -> Bool

  /// The switches as stores here behave.
  public static let `default` = StoreConfig()

  /// Creates switches.
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
/// It is the store of 1.x behind the names of RxComposableArchitecture, and is used on the main thread. Actions that
/// effects send on other threads are reduced there.
public final class Store<State, Action> {
  package let base: ComposableCore.Store<State, Action>
  private let filter: ((State, Action) -> Bool)?

  /// Creates a root store of a reducer with an environment.
  public convenience init<Environment>(
    initialState: State, reducer: AnyReducer<State, Action, Environment>, environment: Environment,
    useNewScope: Bool = true, mainThreadChecksEnabled: Bool = true, cancelsEffectsOnDeinit: Bool = true
  ) {
    self.init(initialState: initialState, reducer: Reduce(reducer, environment: environment))
  }

  /// Creates a root store of a reducer of the protocol's generation.
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

  /// Presents a store of 1.x under the names of this generation; also one whose state lives in a hub.
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

  /// The states: the current one, then one after each turn.
  public var observable: Observable<State> { states.setFailureType(to: (any Error).self) }

  var states: AnyPublisher<State, Never> {
    AnyPublisher { [base] observer in
      let subscription = MainThread.require("A store") { base.subscribe { observer.send($0) } }
      observer.onEnd { MainThread.run { subscription.cancel() } }
    }
  }

  /// Sends an action to the feature.
  ///
  /// - Returns: What the action set going.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
    if let filter, !filter(state, action) { return MainThread.require("A store") { StoreTask() } }
    let action = UncheckedSendable(action)
    return MainThread.require("A store") { [base] in base.send(action.value) }
  }

  /// The store of a part of the state and of the actions.
  public func scope<LocalState, LocalAction>(
    state toLocalState: @escaping (State) -> LocalState, action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> Store<LocalState, LocalAction> {
    let functions = UncheckedSendable((toLocalState, fromLocalAction))
    return Store<LocalState, LocalAction>(
      base: MainThread.require("A store") { [base] in
        base.scope(state: functions.value.0, action: functions.value.1)
      })
  }

  /// The store of a part of the state.
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

  /// A store that drops the actions for which a function returns false.
  package func filter(_ isIncluded: @escaping (State, Action) -> Bool) -> Store {
    Store(base: base, filter: isIncluded)
  }
}

extension Store {
  /// The values of a part of the state: the current one, then each one that is another.
  public func subscribe<LocalState: Equatable>(_ toLocalState: @escaping (State) -> LocalState) -> Effect<LocalState> {
    subscribe(toLocalState, removeDuplicates: ==)
  }

  /// The values of a part of the state: the current one, then each one that a function says is another.
  public func subscribe<LocalState>(
    _ toLocalState: @escaping (State) -> LocalState,
    removeDuplicates isDuplicate: @escaping (LocalState, LocalState) -> Bool
  ) -> Effect<LocalState> {
    Effect<LocalState>(stream: states.map(toLocalState).removeDuplicates(by: isDuplicate))
  }

  /// The values of an event of the state, each time it is set, also to an equal value.
  public func subscribeNeverEqual<LocalState: Equatable>(
    _ toLocalState: @escaping (State) -> NeverEqual<LocalState>
  ) -> Effect<LocalState> {
    Effect<LocalState>(stream: states.map(toLocalState).removeDuplicates().map(\.wrappedValue))
  }

  /// Calls closures when an optional state becomes something, with a store of it, and when it becomes nil.
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
  /// The states: the current one, then each one that is another.
  public func subscribe() -> Effect<State> { subscribe({ $0 }) }
}

extension Store {
  /// The store of one element of a collection; nil if there is no such element. A store that is kept after its element is
  /// gone shows what the element was last.
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

/// The last state of a child, which its store shows when the child is gone.
final class LastState<State> {
  var state: State

  init(_ state: State) {
    self.state = state
  }
}
