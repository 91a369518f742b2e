public import CustomDump

/// A field of a view's state that the view may change. ``BindingViewStore`` creates it from a `@BindingState` field.
///
/// ```swift
/// struct ViewState: Equatable {
///   @BindingViewState var email: String
///   var isFormValid: Bool
///
///   init(_ store: BindingViewStore<Login.State>) {
///     _email = store.$email
///     isFormValid = store.isFormValid
///   }
/// }
/// ```
///
/// Two values are equal if they were equal when they were created and still are.
@dynamicMemberLookup
@propertyWrapper
public struct BindingViewState<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void
  private let initialValue: Value

  init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
    (self.get, self.set) = (get, set)
    initialValue = get()
  }

  /// The current value. Setting it sets the field in its store.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// The field itself, to pass to a control.
  public var projectedValue: Self { self }

  /// A part of the value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> BindingViewState<Member> {
    let whole = self
    return BindingViewState<Member>(
      get: { whole.wrappedValue[keyPath: keyPath] },
      set: { whole.wrappedValue[keyPath: keyPath] = $0 })
  }
}

extension BindingViewState: Equatable where Value: Equatable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.initialValue == rhs.initialValue && lhs.wrappedValue == rhs.wrappedValue
  }
}

extension BindingViewState: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(initialValue)
    hasher.combine(wrappedValue)
  }
}

extension BindingViewState: CustomDumpRepresentable {
  /// Dumps show the value.
  public var customDumpValue: Any { wrappedValue }
}
