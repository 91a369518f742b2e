public import ComposableCore
internal import ConcurrencyExtras
public import EarlierForms
public import EffectStreams

/// A store for a view: its state without duplicates, and its actions.
@dynamicMemberLookup
public final class ViewStore<State, Action> {
  private let store: Store<State, Action>
  private let isDuplicate: (State, State) -> Bool

  /// Observes a store.
  ///
  /// - Parameter isDuplicate: Returns true if two states are the same for the view.
  public init(_ store: Store<State, Action>, removeDuplicates isDuplicate: @escaping (State, State) -> Bool) {
    self.store = store
    self.isDuplicate = isDuplicate
  }

  /// Observes a part of a store and sends a part of its actions.
  ///
  /// - Parameters:
  ///   - toViewState: Returns the state of the view.
  ///   - fromViewAction: Converts an action of the view to an action of the store.
  ///   - isDuplicate: Returns true if two states are equal for the view.
  public convenience init<StoreState, StoreAction>(
    _ store: Store<StoreState, StoreAction>, observe toViewState: @escaping (StoreState) -> State,
    send fromViewAction: @escaping (Action) -> StoreAction,
    removeDuplicates isDuplicate: @escaping (State, State) -> Bool
  ) {
    self.init(store.scope(state: toViewState, action: fromViewAction), removeDuplicates: isDuplicate)
  }

  /// Observes a part of a store.
  public convenience init<StoreState>(
    _ store: Store<StoreState, Action>, observe toViewState: @escaping (StoreState) -> State,
    removeDuplicates isDuplicate: @escaping (State, State) -> Bool
  ) {
    self.init(store.scope(state: toViewState), removeDuplicates: isDuplicate)
  }

  /// The current state, then each state that differs from the one before.
  public var publisher: StorePublisher<State> {
    StorePublisher(upstream: store.states.removeDuplicates(by: isDuplicate))
  }

  /// The current state.
  public var state: State { store.state }

  /// A property of the current state.
  public subscript<LocalState>(dynamicMember keyPath: KeyPath<State, LocalState>) -> LocalState {
    state[keyPath: keyPath]
  }

  /// Sends an action to the store.
  @discardableResult
  public func send(_ action: Action) -> StoreTask { store.send(action) }

  /// Sends an action to the store. The animation has no effect.
  @discardableResult
  public func send(_ action: Action, animation: Animation?) -> StoreTask { send(action) }

  /// Sends an action and suspends while the state satisfies a predicate. The animation has no effect.
  @MainActor public func send(
    _ action: Action, animation: Animation?, while predicate: @escaping (State) -> Bool
  ) async {
    await send(action, while: predicate)
  }

  /// Sends an action and suspends while the state satisfies a predicate.
  ///
  /// If the task is cancelled, the method cancels the effects of the action and returns.
  @MainActor public func send(_ action: Action, while predicate: @escaping (State) -> Bool) async {
    await yield(while: predicate, orCancel: send(action))
  }

  /// Suspends while the state satisfies a predicate. If the task is cancelled, cancels the effects of an action.
  @MainActor package func yield(while predicate: @escaping (State) -> Bool, orCancel task: StoreTask) async {
    await withTaskCancellationHandler {
      await yield(while: predicate)
    } onCancel: {
      Task { @MainActor in task.cancel() }
    }
  }

  /// Suspends while the state satisfies a predicate.
  @MainActor public func yield(while predicate: @escaping (State) -> Bool) async {
    let (states, continuation) = AsyncStream.makeStream(of: Void.self)
    let cancellable = publisher.sink { if !predicate($0) { continuation.finish() } }
    for await _ in states {}
    cancellable.cancel()
  }

  /// Returns a binding for a control; setting it sends an action.
  public func binding<LocalState>(
    get: @escaping (State) -> LocalState, send localStateToAction: @escaping (LocalState) -> Action
  ) -> Binding<LocalState> {
    Binding(get: { get(self.state) }, set: { self.send(localStateToAction($0)) })
  }

  /// Returns a binding for a control; setting it sends the same action each time.
  public func binding<LocalState>(
    get: @escaping (State) -> LocalState, send action: Action
  ) -> Binding<LocalState> {
    binding(get: get, send: { _ in action })
  }

  /// Returns a binding of the state for a control; setting it sends an action.
  public func binding(send localStateToAction: @escaping (State) -> Action) -> Binding<State> {
    binding(get: { $0 }, send: localStateToAction)
  }

  /// Returns a binding of the state for a control; setting it sends the same action each time.
  public func binding(send action: Action) -> Binding<State> { binding(send: { _ in action }) }
}

extension ViewStore where State: Equatable {
  /// Observes a part of a store and sends a part of its actions.
  public convenience init<StoreState, StoreAction>(
    _ store: Store<StoreState, StoreAction>, observe toViewState: @escaping (StoreState) -> State,
    send fromViewAction: @escaping (Action) -> StoreAction
  ) {
    self.init(store, observe: toViewState, send: fromViewAction, removeDuplicates: ==)
  }

  /// Observes a part of a store.
  public convenience init<StoreState>(
    _ store: Store<StoreState, Action>, observe toViewState: @escaping (StoreState) -> State
  ) {
    self.init(store, observe: toViewState, removeDuplicates: ==)
  }

  /// Observes a store.
  public convenience init(_ store: Store<State, Action>) {
    self.init(store, removeDuplicates: ==)
  }
}

extension ViewStore where State == Void {
  /// Observes a store without state.
  public convenience init(_ store: Store<Void, Action>) {
    self.init(store, removeDuplicates: { _, _ in true })
  }
}
