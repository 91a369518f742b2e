public import CasePaths
public import Reducers

/// A value for a view's control. Setting it sends an action.
///
/// `store.binding(\.name)` sends `.binding(.set(\.name, …))`; `store.binding(\.name, sending: \.nameChanged)` sends
/// `.nameChanged`.
@MainActor
@dynamicMemberLookup
public struct StoreBinding<Value> {
  private let get: @MainActor () -> Value
  private let set: @MainActor (Value) -> Void

  /// Creates a binding from two closures.
  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
    self.get = get
    self.set = set
  }

  /// The value. Setting it sends the action.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// A part of the value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> StoreBinding<Member> {
    StoreBinding<Member>(
      get: { self.wrappedValue[keyPath: keyPath] },
      set: {
        var value = self.wrappedValue
        value[keyPath: keyPath] = $0
        self.wrappedValue = value
      })
  }
}

extension Store where Action: BindableAction, Action.State == State {
  /// A field as a binding; setting it sends a binding action.
  public func binding<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> StoreBinding<Value> {
    StoreBinding(get: { self.state[keyPath: keyPath] }, set: { self[dynamicMember: keyPath] = $0 })
  }

  /// A field; setting it sends a binding action: `store.name = "Blob"`.
  @_disfavoredOverload
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> Value {
    get { core.read { $0[keyPath: keyPath] } }
    set { set(keyPath, to: newValue, in: Action.self) { .binding($0) } }
  }
}

extension Store where Action: BindableAction, Action.State == State, State: Equatable & Sendable {
  /// The state; setting it sends a binding action.
  @_disfavoredOverload
  public var state: State {
    get { core.state }
    set { set(\.self, to: newValue, in: Action.self) { .binding($0) } }
  }
}

extension Store where Action: ViewAction, Action.ViewAction: BindableAction, Action.ViewAction.State == State {
  /// A field as a binding; setting it sends a binding action of the view.
  public func binding<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> StoreBinding<Value> {
    StoreBinding(get: { self.state[keyPath: keyPath] }, set: { self[dynamicMember: keyPath] = $0 })
  }

  /// A field; setting it sends a binding action of the view: `store.name = "Blob"`.
  @_disfavoredOverload
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<State, Value> & Sendable
  ) -> Value {
    get { core.read { $0[keyPath: keyPath] } }
    set { set(keyPath, to: newValue, in: Action.ViewAction.self) { .view(.binding($0)) } }
  }
}

extension Store {
  /// Sends a binding action. A store in this process reports it if no `BindingReducer` handles it.
  private func set<Value: Equatable & Sendable, Bindable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, to value: Value, in bindable: Bindable.Type,
    _ action: (BindingAction<State>) -> Action
  ) {
    guard core.reducesHere, isAlive else { return _ = send(action(.set(keyPath, value))) }
    send(action(.set(keyPath, value, handling: BindingHandling(of: bindable, value: value))))
  }
}

extension Store {
  /// A field as a binding; setting it sends an action that carries the new value.
  public func binding<Value>(
    _ keyPath: KeyPath<State, Value>, sending action: CaseKeyPath<Action, Value>
  ) -> StoreBinding<Value> {
    let path = AnyCasePath(action)
    return StoreBinding(get: { self.state[keyPath: keyPath] }, set: { self.send(path.embed($0)) })
  }
}
