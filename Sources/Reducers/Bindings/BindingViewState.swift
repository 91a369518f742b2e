public import CustomDump

/// A field of a view's state that the view may change: what ``BindingViewStore`` makes of a `@BindingState` field.
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
/// Two are equal when they were equal when they were made and are so now.
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

  /// The value now; setting it changes the field in the store that it is of.
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }

  /// The field itself, to hand to a control.
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
