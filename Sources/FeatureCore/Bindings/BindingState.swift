public import CasePaths
public import CustomDump

/// A field that the view may change. This is the form before 1.7; since then, `@ObservableState` makes every field one.
///
/// ```swift
/// struct State { @BindingState var name = "" }
/// store.send(.binding(.set(\.$name, "Blob")))
/// ```
@dynamicMemberLookup
@propertyWrapper
public struct BindingState<Value> {
  /// The value.
  public var wrappedValue: Value

  /// Creates a field with an initial value.
  public init(wrappedValue: Value) {
    self.wrappedValue = wrappedValue
  }

  /// The field itself.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// A part of the value.
  public subscript<Member>(dynamicMember keyPath: WritableKeyPath<Value, Member>) -> BindingState<Member> {
    get { BindingState<Member>(wrappedValue: wrappedValue[keyPath: keyPath]) }
    set { wrappedValue[keyPath: keyPath] = newValue.wrappedValue }
  }
}

extension BindingState: Equatable where Value: Equatable {}
extension BindingState: Hashable where Value: Hashable {}
extension BindingState: Sendable where Value: Sendable {}

extension BindingState: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension BindingState: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension BindingState: CustomDumpRepresentable {
  /// Dumps show the value.
  public var customDumpValue: Any { wrappedValue }
}

extension BindingAction {
  /// Sets a `@BindingState` field.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Root, BindingState<Value>> & Sendable, _ value: Value
  ) -> Self {
    Self(
      keyPath: keyPath, set: { $0[keyPath: keyPath].wrappedValue = value }, value: value,
      isEqual: { $0 as? Value == value })
  }
}

extension BindableAction {
  /// Sets a `@BindingState` field: `.set(\.$name, "Blob")`.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, BindingState<Value>> & Sendable, _ value: Value
  ) -> Self {
    .binding(.set(keyPath, value))
  }
}

extension BindingAction.AllCasePaths {
  /// A change of that `@BindingState` field.
  public subscript<Value: Equatable & Sendable>(
    dynamicMember keyPath: any WritableKeyPath<Root, BindingState<Value>> & Sendable
  ) -> AnyCasePath<BindingAction<Root>, Value> {
    AnyCasePath(
      embed: { .set(keyPath, $0) },
      extract: { ($0.keyPath as AnyKeyPath) == (keyPath as AnyKeyPath) ? $0.value as? Value : nil })
  }
}
