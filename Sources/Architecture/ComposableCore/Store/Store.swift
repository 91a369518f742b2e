public import Dependencies
public import FeatureCore
package import IssueReporting

/// The runtime of a feature: holds its state, reduces its actions, and runs their effects.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// print(store.count)
/// ```
///
/// A store lives on the main actor. Actions sent while another is being reduced are queued. Actions that an effect
/// sends synchronously are reduced in the same turn. Observers are notified once for each outermost `send`, after all
/// of this. Releasing the last reference to a root store cancels its effects.
///
/// The state must not be read while its reducer runs, which changes it in place: that stops the program.
///
/// A view of a `Store` does not depend on whether the state lives here or in a hub.
@preconcurrency @MainActor
@dynamicMemberLookup
public final class Store<State, Action> {
  package let core: any StoreCore<State, Action>
  /// The line that created the root store, for reports without a line of their own.
  let site: IssueLocation?
  private var children: [AnyHashable: AnyObject] = [:]
  /// The number of children above which those of removed states are released.
  private var childLimit = 64
  /// The children by the identity of their state's key path object, which is the same each time for a literal: hashing
  /// key paths takes microseconds.
  private var recent: [ObjectIdentifier: RecentChild] = [:]

  private struct RecentChild {
    let state: AnyKeyPath
    let action: AnyKeyPath
    let child: AnyObject
  }

  /// Creates a root store.
  ///
  /// - Parameters:
  ///   - initialState: The initial state.
  ///   - initialAction: An action to send at once; nil for none.
  ///   - reducer: The feature.
  ///   - prepareDependencies: Overrides dependencies for the reducer and its effects.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> R.State,
    initialAction: @autoclosure () -> R.Action? = nil,
    @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let core = withDependencies {
      prepareDependencies?(&$0)
    } operation: {
      RootCore(initialState: initialState(), reducer: CompiledReducer(inPlaceOfCreation: reducer()))
    }
    self.init(core: core, site: IssueLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    if let action = initialAction() { send(action) }
  }

  /// Creates a root store, in the form before 1.0: `Store(initialState: …, reducer: Counter())`.
  public convenience init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> R.State, reducer: @autoclosure () -> R,
    withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      initialState: initialState(), reducer: { reducer() }, withDependencies: prepareDependencies, fileID: fileID,
      filePath: filePath, line: line, column: column)
  }

  package init(core: any StoreCore<State, Action>, site: IssueLocation? = nil) {
    (self.core, self.site) = (core, site)
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
  /// - Returns: The effects of the action; with a remote store, also the hub's reply.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { core.send(action) }

  /// True while the state exists. A store of a removed child shows the child's last state.
  package var isAlive: Bool { core.isAlive }

  /// The child store of a key. It is created at first use, and again if the child that it belonged to was removed.
  func child<ChildState, ChildAction>(
    _ key: AnyHashable, make: () -> any StoreCore<ChildState, ChildAction>
  ) -> Store<ChildState, ChildAction> {
    if let child = children[key] as? Store<ChildState, ChildAction>, child.isAlive { return child }
    let child = Store<ChildState, ChildAction>(core: make(), site: site)
    children[key] = child
    if children.count > childLimit { forgetRemovedChildren() }
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
    // A key path with arguments is a new object each time.
    if recent.count >= 128 { recent.removeAll(keepingCapacity: true) }
    recent[id] = RecentChild(state: state, action: action, child: child)
    return child
  }

  /// Removes the children whose states were removed, as those of a list's former rows. A store that is in use
  /// elsewhere goes on showing its last state.
  private func forgetRemovedChildren() {
    // The caller may be observed, but does not depend on these states.
    Reducing.unobserved {
      children = children.filter { ($0.value as? any RemovableStore)?.isAlive != false }
    }
    recent = [:]
    childLimit = max(64, 2 * children.count)
  }

  /// Removes the child store of two key paths.
  func forgetChild(state: AnyKeyPath, action: AnyKeyPath) {
    guard !children.isEmpty, children.removeValue(forKey: [state, action] as [AnyKeyPath]) != nil else { return }
    recent = [:]
  }
}

/// A store of any feature, whose state may be removed.
@MainActor
private protocol RemovableStore {
  var isAlive: Bool { get }
}

extension Store: RemovableStore {}

/// The store of a reducer: `StoreOf<Counter>`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Store: Equatable {
  /// Returns true if both are the same object.
  public nonisolated static func == (lhs: Store, rhs: Store) -> Bool { lhs === rhs }
}

extension Store: Hashable {
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Store: CustomDebugStringConvertible {
  /// The type: `StoreOf<Counter>`.
  public nonisolated var debugDescription: String { Logger.storeName(State.self, Action.self) }
}

extension Store: Identifiable {}
