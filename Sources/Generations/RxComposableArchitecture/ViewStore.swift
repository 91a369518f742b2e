internal import ComposableArchitectureClassic
public import ComposableCore
public import EarlierForms
public import EffectStreams

/// The view's interface to a store: the state that the view shows, without duplicates, and its actions.
///
/// ```swift
/// let viewStore = ViewStore(store, observe: \.counter)
/// viewStore.observable
///   .subscribe(onNext: { label.text = "\($0.count)" })
///   .disposed(by: disposeBag)
/// ```
@dynamicMemberLookup
public final class ViewStore<ViewState, ViewAction> {
  private let base: ComposableArchitectureClassic.ViewStore<ViewState, ViewAction>
  private let instrumentation: Instrumentation

  /// Observes a part of a store and sends a part of its actions.
  ///
  /// - Parameters:
  ///   - toViewState: Returns the state of the view.
  ///   - fromViewAction: Converts an action of the view to an action of the store.
  ///   - isDuplicate: Returns true if two states are equal for the view.
  public init<State, Action>(
    _ store: Store<State, Action>, observe toViewState: @escaping (_ state: State) -> ViewState,
    send fromViewAction: @escaping (_ viewAction: ViewAction) -> Action,
    removeDuplicates isDuplicate: @escaping (_ lhs: ViewState, _ rhs: ViewState) -> Bool,
    instrumentation: Instrumentation = .shared, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.instrumentation = instrumentation
    base = ComposableArchitectureClassic.ViewStore(
      store.base,
      observe: { state in
        instrumentation.around(.viewStoreChangeState, ViewStore.self) { toViewState(state) }
      }, send: fromViewAction,
      removeDuplicates: { old, new in
        instrumentation.around(.viewStoreDeduplicate, ViewStore.self) { isDuplicate(old, new) }
      })
    instrumentation.viewStoreCreated?(self, file, line)
  }

  /// Observes a part of a store.
  public convenience init<State>(
    _ store: Store<State, ViewAction>, observe toViewState: @escaping (_ state: State) -> ViewState,
    removeDuplicates isDuplicate: @escaping (_ lhs: ViewState, _ rhs: ViewState) -> Bool,
    instrumentation: Instrumentation = .shared, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      store, observe: toViewState, send: { $0 }, removeDuplicates: isDuplicate, instrumentation: instrumentation,
      file: file, line: line)
  }

  /// Observes a store.
  public convenience init(
    _ store: Store<ViewState, ViewAction>,
    removeDuplicates isDuplicate: @escaping (_ lhs: ViewState, _ rhs: ViewState) -> Bool,
    instrumentation: Instrumentation = .shared, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      store, observe: { $0 }, removeDuplicates: isDuplicate, instrumentation: instrumentation, file: file, line: line)
  }

  /// The current state, then each state that differs from the one before.
  public var observable: Observable<ViewState> { base.publisher.setFailureType(to: (any Error).self) }

  /// A stream of the states, or of a property: `viewStore.publisher.count`.
  public var publisher: StorePublisher<ViewState> { base.publisher }

  /// The current state.
  public var state: ViewState { base.state }

  /// A property of the current state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<ViewState, Value>) -> Value { state[keyPath: keyPath] }

  /// Sends an action to the store.
  @discardableResult
  public func send(_ action: ViewAction) -> StoreTask {
    instrumentation.around(.viewStoreSend, ViewStore.self, action: action) { base.send(action) }
  }

  /// Sends an action to the store. The animation has no effect.
  @discardableResult
  public func send(_ action: ViewAction, animation: Animation?) -> StoreTask { send(action) }

  /// Sends an action and suspends while the state satisfies a predicate.
  ///
  /// If the task is cancelled, the method cancels the effects of the action and returns.
  @MainActor
  public func send(_ action: ViewAction, while predicate: @escaping (_ state: ViewState) -> Bool) async {
    await base.yield(while: predicate, orCancel: send(action))
  }

  /// Suspends while the state satisfies a predicate, or until the task is cancelled.
  @MainActor
  public func yield(while predicate: @escaping (_ state: ViewState) -> Bool) async {
    await base.yield(while: predicate)
  }

  /// Returns a binding for a control; setting it sends an action.
  public func binding<Value>(
    get: @escaping (_ state: ViewState) -> Value, send valueToAction: @escaping (_ value: Value) -> ViewAction
  ) -> Binding<Value> {
    Binding(get: { get(self.state) }, set: { self.send(valueToAction($0)) })
  }

  /// Returns a binding for a control; setting it sends the same action each time.
  public func binding<Value>(get: @escaping (_ state: ViewState) -> Value, send action: ViewAction) -> Binding<Value> {
    binding(get: get, send: { _ in action })
  }
}

extension ViewStore where ViewState: Equatable {
  /// Observes a part of a store.
  public convenience init<State>(
    _ store: Store<State, ViewAction>, observe toViewState: @escaping (_ state: State) -> ViewState,
    instrumentation: Instrumentation = .shared, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      store, observe: toViewState, removeDuplicates: ==, instrumentation: instrumentation, file: file, line: line)
  }

  /// Observes a part of a store and sends a part of its actions.
  public convenience init<State, Action>(
    _ store: Store<State, Action>, observe toViewState: @escaping (_ state: State) -> ViewState,
    send fromViewAction: @escaping (_ viewAction: ViewAction) -> Action,
    instrumentation: Instrumentation = .shared, file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      store, observe: toViewState, send: fromViewAction, removeDuplicates: ==, instrumentation: instrumentation,
      file: file, line: line)
  }

  /// Observes a store.
  public convenience init(
    _ store: Store<ViewState, ViewAction>, instrumentation: Instrumentation = .shared,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(store, removeDuplicates: ==, instrumentation: instrumentation, file: file, line: line)
  }
}

extension ViewStore where ViewState == Void {
  /// Observes a store without state.
  public convenience init(
    _ store: Store<Void, ViewAction>, instrumentation: Instrumentation = .shared,
    file: StaticString = #fileID, line: UInt = #line
  ) {
    self.init(
      store, removeDuplicates: { _, _ in true }, instrumentation: instrumentation, file: file, line: line)
  }
}
