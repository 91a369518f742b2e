public import ComposableCore
internal import ConcurrencyExtras
public import EffectStreams

/// A store as a view sees it: its state without duplicates, and its actions.
@dynamicMemberLookup
public final class ViewStore<State, Action> {
  private let store: Store<State, Action>
  private let isDuplicate: (State, State) -> Bool

  /// Observes a store.
  ///
  /// - Parameter isDuplicate: Says which states are the same to the view.
  public init(_ store: Store<State, Action>, removeDuplicates isDuplicate: @escaping (State, State) -> Bool) {
    self.store = store
    self.isDuplicate = isDuplicate
  }

  /// The states: the current one, then each one that is another.
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

  /// Sends an action and suspends for as long as the state satisfies a predicate.
  @MainActor public func send(_ action: Action, while predicate: @escaping (State) -> Bool) async {
    send(action)
    await yield(while: predicate)
  }

  /// Suspends for as long as the state satisfies a predicate.
  @MainActor public func yield(while predicate: @escaping (State) -> Bool) async {
    let (states, continuation) = AsyncStream.makeStream(of: Void.self)
    let cancellable = publisher.sink { if !predicate($0) { continuation.finish() } }
    for await _ in states {}
    cancellable.cancel()
  }

  /// A value that a control shows and sets, the setting being an action.
  public func binding<LocalState>(
    get: @escaping (State) -> LocalState, send localStateToAction: @escaping (LocalState) -> Action
  ) -> Binding<LocalState> {
    Binding(get: { get(self.state) }, set: { self.send(localStateToAction($0)) })
  }

  /// A value that a control shows and sets; each setting sends one action.
  public func binding<LocalState>(
    get: @escaping (State) -> LocalState, send action: Action
  ) -> Binding<LocalState> {
    binding(get: get, send: { _ in action })
  }

  /// The state as a value that a control shows and sets.
  public func binding(send localStateToAction: @escaping (State) -> Action) -> Binding<State> {
    binding(get: { $0 }, send: localStateToAction)
  }

  /// The state as a value that a control shows and sets; each setting sends one action.
  public func binding(send action: Action) -> Binding<State> { binding(send: { _ in action }) }
}

extension ViewStore where State: Equatable {
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

/// The states of a view store, or a property of them.
@dynamicMemberLookup
public struct StorePublisher<State>: Publisher {
  /// The values of the stream.
  public typealias Output = State
  /// The stream cannot fail.
  public typealias Failure = Never
  let upstream: AnyPublisher<State, Never>

  /// Begins to send values to an observer, the current one first.
  public func receive(observer: StreamObserver<State, Never>) { upstream.receive(observer: observer) }

  /// A property of the states, without duplicates.
  public subscript<LocalState: Equatable>(
    dynamicMember keyPath: KeyPath<State, LocalState>
  ) -> StorePublisher<LocalState> {
    StorePublisher<LocalState>(upstream: upstream.map(keyPath).removeDuplicates())
  }
}

/// A value that can be read and set: a pair of functions, in the place of SwiftUI's.
@dynamicMemberLookup
public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  /// A binding of two functions.
  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    (self.get, self.set) = (get, set)
  }

  /// The value; setting it calls the second function.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// A part of the value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> Binding<Member> {
    Binding<Member>(
      get: { wrappedValue[keyPath: keyPath] },
      set: {
        var value = wrappedValue
        value[keyPath: keyPath] = $0
        wrappedValue = value
      })
  }
}
