/// The runtime of a feature: holds its state, runs its actions through its reducer, and runs their effects.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// print(store.count)
/// ```
///
/// A store lives on the main actor. Actions sent while another is being reduced wait their turn; the ones that an
/// effect sends at once are reduced in the same turn. Observers are told once for each outermost `send`, when all of
/// that is done. When the last reference to a root store goes away its effects are cancelled.
///
/// A view written against `Store` does not know whether the state lives here or in a hub.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action> {
  private let core: any StoreCore<State, Action>
  private var children: [AnyHashable: AnyObject] = [:]

  /// Creates a root store.
  ///
  /// - Parameters:
  ///   - initialState: The state to begin with.
  ///   - reducer: What actions go through.
  ///   - prepareDependencies: Overrides dependencies for the reducer and its effects.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State,
    @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
  ) {
    let core = withDependencies {
      prepareDependencies?(&$0)
    } operation: {
      RootCore(initialState: initialState(), reducer: reducer())
    }
    self.init(core: core)
  }

  package init(core: any StoreCore<State, Action>) {
    self.core = core
  }

  /// The current state.
  public var state: State { core.state }

  /// A property of the current state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value { core.state[keyPath: keyPath] }

  /// Sends an action to the feature.
  ///
  /// - Returns: What the action set going; with a remote store, also whether the hub took it.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { core.send(action) }

  /// The store of a child feature: its state is a part of this one's, its actions are a case of this one's.
  ///
  /// The same child store is returned for the same key paths.
  public func scope<ChildState, ChildAction>(
    state toChildState: KeyPath<State, ChildState>, action toChildAction: CaseKeyPath<Action, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    let key = AnyHashable([toChildState, toChildAction] as [AnyKeyPath])
    if let child = children[key] as? Store<ChildState, ChildAction> { return child }
    let child = Store<ChildState, ChildAction>(
      core: ScopedCore(parent: core, state: toChildState, action: AnyCasePath(toChildAction)))
    children[key] = child
    return child
  }

  /// Calls `onChange` with the state now, and after each turn in which actions were reduced.
  ///
  /// - Returns: Keep it for as long as the calls shall come.
  public func subscribe(_ onChange: @escaping @MainActor (State) -> Void) -> StoreSubscription {
    onChange(core.state)
    let core = core
    let id = core.observers.add { onChange(core.state) }
    return StoreSubscription(observers: core.observers, id: id)
  }

  /// Calls `onChange` with a property of the state now, and whenever it is another one.
  public func subscribe<Value: Equatable>(
    _ keyPath: KeyPath<State, Value>, _ onChange: @escaping @MainActor (Value) -> Void
  ) -> StoreSubscription {
    var last: Value?
    return subscribe { state in
      let value = state[keyPath: keyPath]
      guard value != last else { return }
      last = value
      onChange(value)
    }
  }
}

/// The store of a reducer: `StoreOf<Counter>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

/// Ends a subscription when it goes away, or when it is told to.
@MainActor
public final class StoreSubscription {
  private weak var observers: StoreObservers?
  private let id: UInt64

  init(observers: StoreObservers, id: UInt64) {
    self.observers = observers
    self.id = id
  }

  /// Ends the calls.
  public func cancel() {
    observers?.remove(id)
  }

  isolated deinit {
    cancel()
  }
}
