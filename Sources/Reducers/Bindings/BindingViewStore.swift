/// A state as a view's state is made of it: its fields are read, its `@BindingState` fields are also bindings.
///
/// ```swift
/// LoginView.ViewState(store.bindings(action: \.view)).isLoginButtonDisabled
/// ```
///
/// It has a state of its own, as it was when this was made. Setting a binding changes that one and sends nothing.
///
/// It belongs to no actor, so that the initializer of a view's state need not either.
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

  /// Takes part in another one: for parameters that are `@BindingViewStore state: Login.State`.
  public init(projectedValue: Self) {
    self = projectedValue
  }

  /// The state.
  public var wrappedValue: State { storage.state }

  /// This. It cannot be set: that would crash the compiler (6.3.1) where a parameter is a `@BindingViewStore`.
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
