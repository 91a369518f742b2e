/// Where a store's state comes from and where its actions go: this process, a parent store, or a hub.
///
/// `Store` is a facade over it. Implementations are `RootCore`, `ScopedCore`, and in `StoreClient` one that mirrors a
/// hub.
@MainActor
package protocol StoreCore<State, Action>: AnyObject {
  associatedtype State
  associatedtype Action

  /// The current state.
  var state: State { get }

  /// The observers to be told when the state may have changed.
  var observers: StoreObservers { get }

  /// Sends an action on its way.
  func send(_ action: Action) -> StoreTask
}

/// Who wants to be told that a root's state may have changed.
@MainActor
package final class StoreObservers {
  private var entries: [(id: UInt64, notify: @MainActor () -> Void)] = []
  private var lastID: UInt64 = 0

  package init() {}

  package func add(_ notify: @escaping @MainActor () -> Void) -> UInt64 {
    lastID += 1
    entries.append((lastID, notify))
    return lastID
  }

  package func remove(_ id: UInt64) {
    entries.removeAll { $0.id == id }
  }

  /// Tells everyone who observes at this moment and still does when its turn comes.
  package func notify() {
    for entry in entries where entries.contains(where: { $0.id == entry.id }) { entry.notify() }
  }
}

/// A store's state as a part of its parent's; nothing is copied or kept.
final class ScopedCore<ParentState, ParentAction, State, Action>: StoreCore {
  private let parent: any StoreCore<ParentState, ParentAction>
  private let toState: KeyPath<ParentState, State>
  private let toAction: AnyCasePath<ParentAction, Action>

  init(
    parent: any StoreCore<ParentState, ParentAction>, state: KeyPath<ParentState, State>,
    action: AnyCasePath<ParentAction, Action>
  ) {
    self.parent = parent
    toState = state
    toAction = action
  }

  var state: State { parent.state[keyPath: toState] }
  func send(_ action: Action) -> StoreTask { parent.send(toAction.embed(action)) }
  var observers: StoreObservers { parent.observers }
}
