public import ComposableCore
internal import ConcurrencyExtras
public import EffectStreams
internal import FeatureCore

/// The runtime of a feature: holds its state, runs its actions through its reducer, and runs their effects.
///
/// ```swift
/// let store = Store(initialState: AppState(), reducer: appReducer, environment: .live)
/// ```
///
/// It is the store of 1.x with the API of the older generations, and is used on the main thread. Actions that effects
/// send on other threads are reduced there.
public final class Store<State, Action> {
  package let base: ComposableCore.Store<State, Action>

  /// Creates a root store.
  public convenience init<Environment>(
    initialState: State, reducer: Reducer<State, Action, Environment>, environment: Environment
  ) {
    let (state, environment) = (UncheckedSendable(initialState), UncheckedSendable(environment))
    self.init(
      base: MainThread.require("A store") {
        ComposableCore.Store(initialState: state.value) { Reduce(reducer, environment: environment.value) }
      })
  }

  /// Wraps a store of 1.x, possibly one whose state is a hub's.
  public convenience init(_ store: ComposableCore.Store<State, Action>) {
    self.init(base: store)
  }

  init(base: ComposableCore.Store<State, Action>) {
    self.base = base
  }

  /// The current state.
  public var state: State {
    MainThread.require("A store") { [base] in UncheckedSendable(base.state) }.value
  }

  /// Sends an action to the feature.
  ///
  /// - Returns: The task of the effects that the action started.
  @discardableResult
  public func send(_ action: Action) -> StoreTask {
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

  /// A stream of the current state and each later one.
  package var states: AnyPublisher<State, Never> {
    AnyPublisher { [base] observer in
      let subscription = MainThread.require("A store") { base.subscribe { observer.send($0) } }
      observer.onEnd { MainThread.run { subscription.cancel() } }
    }
  }

  /// Returns a stream of stores for the values that a stream computes from the state.
  public func publisherScope<P: Publisher, LocalState, LocalAction>(
    state toLocalState: @escaping (AnyPublisher<State, Never>) -> P,
    action fromLocalAction: @escaping (LocalAction) -> Action
  ) -> AnyPublisher<Store<LocalState, LocalAction>, Never> where P.Output == LocalState, P.Failure == Never {
    toLocalState(states).map { [self] first in
      var last = first
      let current = toLocalState(states)
      return scope(
        state: { _ in
          // The stream computes its value for the current state immediately, if it has one.
          _ = current.sink { last = $0 }
          return last
        }, action: fromLocalAction)
    }
  }

  /// Returns a stream of stores for the values that a stream computes from the state.
  public func publisherScope<P: Publisher, LocalState>(
    state toLocalState: @escaping (AnyPublisher<State, Never>) -> P
  ) -> AnyPublisher<Store<LocalState, Action>, Never> where P.Output == LocalState, P.Failure == Never {
    publisherScope(state: toLocalState, action: { $0 })
  }
}

extension Store {
  /// Calls closures when an optional state becomes non-nil, with a store for it, and when it becomes nil.
  ///
  /// - Returns: A token that must be kept while the closures should be called.
  public func ifLet<Wrapped>(
    then unwrap: @escaping (Store<Wrapped, Action>) -> Void, else: @escaping () -> Void = {}
  ) -> AnyCancellable where State == Wrapped? {
    optionals(then: unwrap, else: `else`).sink {}
  }

  /// Returns a stream that makes the calls of ``ifLet(then:else:)`` while it has a subscriber.
  package func optionals<Wrapped>(
    then unwrap: @escaping (Store<Wrapped, Action>) -> Void, else: @escaping () -> Void
  ) -> AnyPublisher<Void, Never> where State == Wrapped? {
    var (isFirst, last): (Bool, Last<Wrapped>?) = (true, nil)
    return states.map { [self] state in
      defer { isFirst = false }
      switch (state, last) {
      case (let state?, let current?): current.state = state
      case (let state?, nil):
        let current = Last(state)
        last = current
        unwrap(scope(state: { $0 ?? current.state }))
      case (nil, let current):
        last = nil
        if isFirst || current != nil { `else`() }
      }
    }
  }
}

/// The last state of a child, which its store shows after the child has been removed.
private final class Last<State> {
  var state: State

  init(_ state: State) {
    self.state = state
  }
}
