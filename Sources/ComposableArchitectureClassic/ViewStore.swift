public import ComposableCore
internal import ConcurrencyExtras
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

  /// A stream of the current state and each later one that differs.
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

  /// Sends an action and suspends while the state satisfies a predicate.
  @MainActor public func send(_ action: Action, while predicate: @escaping (State) -> Bool) async {
    send(action)
    await yield(while: predicate)
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

/// A stream of the states of a view store, or of one property.
@dynamicMemberLookup
public struct StorePublisher<State>: Publisher {
  /// The values of the stream.
  public typealias Output = State
  /// The stream cannot fail.
  public typealias Failure = Never
  let upstream: AnyPublisher<State, Never>

  /// Starts to send values to an observer, the current one first.
  public func receive(observer: StreamObserver<State, Never>) { upstream.receive(observer: observer) }

  /// A stream of one property of the states, without duplicates.
  public subscript<LocalState: Equatable>(
    dynamicMember keyPath: KeyPath<State, LocalState>
  ) -> StorePublisher<LocalState> {
    StorePublisher<LocalState>(upstream: upstream.map(keyPath).removeDuplicates())
  }
}

/// A value that can be read and set, as a pair of functions; a replacement of SwiftUI's `Binding`.
@dynamicMemberLookup
public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  /// Creates a binding from two functions.
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
