package import CasePaths

/// The source of a store's state and the destination of its actions: this process, a part of another store, or a hub.
///
/// `Store` is a facade over it.
@MainActor
package protocol StoreCore<State, Action>: AnyObject {
  associatedtype State
  associatedtype Action

  /// Reads the current state without copying it.
  func read<Result>(_ body: (State) -> Result) -> Result

  /// Sends an action.
  func send(_ action: Action) -> StoreTask

  /// True while the state exists; a scoped store of a removed child shows the child's last state.
  var isAlive: Bool { get }

  /// True if this process reduces the actions.
  var reducesHere: Bool { get }

  /// The observers to notify when the state may have changed.
  var observers: StoreObservers { get }

  /// The core of a child that always exists.
  func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>, action: AnyCasePath<Action, ChildAction>
  ) -> any StoreCore<ChildState, ChildAction>
}

extension StoreCore {
  /// A copy of the current state.
  package var state: State { read { $0 } }

  package func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>, action: AnyCasePath<Action, ChildAction>
  ) -> any StoreCore<ChildState, ChildAction> {
    ScopedCore(root: self, state: state, action: action.embedding)
  }
}

/// A part of another core's state, reached by one key path at any depth; nothing is copied or kept.
final class ScopedCore<Root: StoreCore, State, Action>: StoreCore {
  private let root: Root
  private let toState: KeyPath<Root.State, State>
  private let toAction: (Action) -> Root.Action

  init(root: Root, state: KeyPath<Root.State, State>, action: @escaping (Action) -> Root.Action) {
    self.root = root
    toState = state
    toAction = action
  }

  func read<Result>(_ body: (State) -> Result) -> Result { root.read { body($0[keyPath: toState]) } }
  func send(_ action: Action) -> StoreTask { root.send(toAction(action)) }
  var isAlive: Bool { root.isAlive }
  var reducesHere: Bool { root.reducesHere }
  var observers: StoreObservers { root.observers }

  func scoped<ChildState, ChildAction>(
    state: KeyPath<State, ChildState>, action: AnyCasePath<Action, ChildAction>
  ) -> any StoreCore<ChildState, ChildAction> {
    let (toAction, embed) = (toAction, action.embedding)
    return ScopedCore<Root, ChildState, ChildAction>(
      root: root, state: toState.appending(path: state), action: { toAction(embed($0)) })
  }
}

/// A part of another core's state that may be removed; it then shows its last state.
final class OptionalCore<Base: StoreCore, State, Action>: StoreCore {
  private let base: Base
  private let toState: (Base.State) -> State?
  private let toAction: (Action) -> Base.Action
  private var last: State

  init(
    base: Base, state: @escaping (Base.State) -> State?, initial: State,
    action: @escaping (Action) -> Base.Action
  ) {
    self.base = base
    toState = state
    toAction = action
    last = initial
  }

  func read<Result>(_ body: (State) -> Result) -> Result {
    if let state = base.read(toState) { last = state }
    return body(last)
  }

  func send(_ action: Action) -> StoreTask { base.send(toAction(action)) }
  var isAlive: Bool { base.isAlive && base.read { toState($0) != nil } }
  var reducesHere: Bool { base.reducesHere }
  var observers: StoreObservers { base.observers }
}

/// A part of another core's state that a closure computes.
final class ClosureCore<Base: StoreCore, State, Action>: StoreCore {
  private let base: Base
  private let toState: (Base.State) -> State
  private let toAction: (Action) -> Base.Action

  init(base: Base, state: @escaping (Base.State) -> State, action: @escaping (Action) -> Base.Action) {
    self.base = base
    toState = state
    toAction = action
  }

  func read<Result>(_ body: (State) -> Result) -> Result { base.read { body(toState($0)) } }
  func send(_ action: Action) -> StoreTask { base.send(toAction(action)) }
  var isAlive: Bool { base.isAlive }
  var reducesHere: Bool { base.reducesHere }
  var observers: StoreObservers { base.observers }
}
