/// The state from which a view's state is created. It gives access to all fields, and to `@BindingState` fields as
/// bindings.
///
/// ```swift
/// LoginView.ViewState(store.bindings(action: \.view)).isLoginButtonDisabled
/// ```
///
/// It holds a copy of the state. Setting a binding changes that copy and sends nothing.
///
/// It is not isolated to an actor, so the initializer of a view's state need not be either.
@dynamicMemberLookup
@propertyWrapper
public struct BindingViewStore<State> {
  private final class Storage {
    var state: State

    init(_ state: State) { self.state = state }
  }

  private let storage: Storage

  package init(_ state: State) {
    storage = Storage(state)
  }

  /// Creates a store from another one, for parameters such as `@BindingViewStore state: Login.State`.
  public init(projectedValue: Self) {
    self = projectedValue
  }

  /// The state.
  public var wrappedValue: State { storage.state }

  /// The store itself. It has no setter: that would crash the compiler (6.3.1) where a parameter is a
  /// `@BindingViewStore`.
  public var projectedValue: Self { self }

  /// A field's value.
  public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
    storage.state[keyPath: keyPath]
  }

  /// A `@BindingState` field as a binding: `store.$email`.
  public subscript<Value: Equatable>(
    dynamicMember keyPath: WritableKeyPath<State, BindingState<Value>>
  ) -> BindingViewState<Value> {
    let storage = storage
    return BindingViewState(
      get: { storage.state[keyPath: keyPath].wrappedValue },
      set: { storage.state[keyPath: keyPath].wrappedValue = $0 })
  }
}
