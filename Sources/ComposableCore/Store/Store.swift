public import Dependencies
public import Reducers

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
  package let core: any StoreCore<State, Action>
  private var children: [AnyHashable: AnyObject] = [:]
  /// The children by the object that their state's key path is, which for a literal is one and the same each time:
  /// hashing key paths takes microseconds.
  private var recent: [ObjectIdentifier: RecentChild] = [:]

  private struct RecentChild {
    let state: AnyKeyPath
    let action: AnyKeyPath
    let child: AnyObject
  }

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
      RootCore(initialState: initialState(), reducer: CompiledReducer(inPlaceOfCreation: reducer()))
    }
    self.init(core: core)
  }

  /// Creates a root store: the form before 1.0, `Store(initialState: …, reducer: Counter())`.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, reducer: @autoclosure () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
  ) {
    self.init(initialState: initialState(), reducer: { reducer() }, withDependencies: prepareDependencies)
  }

  package init(core: any StoreCore<State, Action>) {
    self.core = core
    log("init")
  }

  deinit {
    log("deinit")
  }

  nonisolated func log(_ event: StaticString) {
    Logger.shared.log("\(Logger.storeName(State.self, Action.self)).\(event)")
  }

  /// The current state.
  public var state: State { core.state }

  /// A property of the current state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    core.read { $0[keyPath: keyPath] }
  }

  /// Reads the current state.
  public func withState<Result>(_ body: (State) -> Result) -> Result { core.read(body) }

  /// Sends an action to the feature.
  ///
  /// - Returns: What the action set going; with a remote store, also whether the hub took it.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { core.send(action) }

  /// Whether the state is still there. A store of a child that is gone shows what it was last.
  package var isAlive: Bool { core.isAlive }

  /// The child store of a key, made when it is first asked for or when the child that it was of is gone.
  func child<ChildState, ChildAction>(
    _ key: AnyHashable, make: () -> any StoreCore<ChildState, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    if let child = children[key] as? Store<ChildState, ChildAction>, child.isAlive { return child }
    let child = Store<ChildState, ChildAction>(core: make())
    children[key] = child
    return child
  }

  /// The child store of two key paths.
  func child<ChildState, ChildAction>(
    state: AnyKeyPath, action: AnyKeyPath, make: () -> any StoreCore<ChildState, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    let id = ObjectIdentifier(state)
    if let known = recent[id], known.action == action, let child = known.child as? Store<ChildState, ChildAction>,
      child.isAlive
    {
      return child
    }
    let child = child([state, action] as [AnyKeyPath], make: make)
    // Key paths with arguments are other objects each time.
    if recent.count >= 128 { recent.removeAll(keepingCapacity: true) }
    recent[id] = RecentChild(state: state, action: action, child: child)
    return child
  }

  /// Forgets the child store of two key paths.
  func forgetChild(state: AnyKeyPath, action: AnyKeyPath) {
    guard !children.isEmpty, children.removeValue(forKey: [state, action] as [AnyKeyPath]) != nil else { return }
    recent = [:]
  }
}

/// The store of a reducer: `StoreOf<Counter>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Store: @MainActor Equatable {
  /// Whether the two are the same store.
  public static func == (lhs: Store, rhs: Store) -> Bool { lhs === rhs }
}

extension Store: @MainActor Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Store: Identifiable {}
