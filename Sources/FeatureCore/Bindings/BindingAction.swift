public import CasePaths
public import CustomDump

/// An action with a case for changes of fields by a view: `case binding(BindingAction<State>)`.
public protocol BindableAction<State>: SendableMetatype {
  /// The state whose fields are changed.
  associatedtype State
  /// Embeds a change in an action.
  static func binding(_ action: BindingAction<State>) -> Self
  /// The change, if the action is one.
  var binding: BindingAction<State>? { get }
}

extension BindableAction {
  /// The change, if the action is one.
  public var binding: BindingAction<State>? {
    AnyCasePath(unsafe: { .binding($0) }).extract(from: self)
  }
}

extension BindableAction {
  /// Sets a field.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<State, Value> & Sendable, _ value: Value
  ) -> Self {
    .binding(.set(keyPath, value))
  }
}

/// A change of one field of a state.
///
/// ```swift
/// case .binding(\.name): …                     // after BindingReducer() has set it
/// store.send(.binding(.set(\.name, "Blob")))
/// ```
public struct BindingAction<Root>: CasePathable, Equatable, Sendable {
  /// The field.
  public let keyPath: any PartialKeyPath<Root> & Sendable
  package let set: @Sendable (inout Root) -> Void
  package let value: any Sendable
  private let isEqual: @Sendable (any Sendable) -> Bool

  /// Sets a field.
  public static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Root, Value> & Sendable, _ value: Value
  ) -> Self {
    Self(
      keyPath: keyPath, set: { $0[keyPath: keyPath] = value }, value: value,
      isEqual: { $0 as? Value == value })
  }

  /// Sets a field and tells whether a reducer has done so.
  package static func set<Value: Equatable & Sendable>(
    _ keyPath: any WritableKeyPath<Root, Value> & Sendable, _ value: Value, handling: BindingHandling
  ) -> Self {
    Self(
      keyPath: keyPath,
      set: {
        handling.setHandled()
        $0[keyPath: keyPath] = value
      }, value: value, isEqual: { $0 as? Value == value })
  }

  init(
    keyPath: any PartialKeyPath<Root> & Sendable, set: @escaping @Sendable (inout Root) -> Void,
    value: any Sendable, isEqual: @escaping @Sendable (any Sendable) -> Bool
  ) {
    (self.keyPath, self.set, self.value, self.isEqual) = (keyPath, set, value, isEqual)
  }

  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.keyPath == rhs.keyPath && lhs.isEqual(rhs.value)
  }

  /// The fields as cases: `\.binding.name` extracts the new value of the field.
  @dynamicMemberLookup
  public struct AllCasePaths: Sendable {
    /// A change of that field.
    public subscript<Value: Equatable & Sendable>(
      dynamicMember keyPath: any WritableKeyPath<Root, Value> & Sendable
    ) -> AnyCasePath<BindingAction, Value> {
      AnyCasePath(
        embed: { .set(keyPath, $0) },
        extract: { $0.keyPath == keyPath ? $0.value as? Value : nil })
    }
  }

  public static var allCasePaths: AllCasePaths { AllCasePaths() }
}

extension BindingAction {
  /// Matches a change of a field: `case .binding(\.name):`.
  public static func ~= <Value>(keyPath: WritableKeyPath<Root, Value>, action: Self) -> Bool {
    (keyPath as AnyKeyPath) == (action.keyPath as AnyKeyPath)
  }
}

extension BindingAction: CustomDumpStringConvertible {
  /// The field and its value: `.set(\State.name, "Blob")`.
  public var customDumpDescription: String {
    var description = ".set("
    if let name = keyPath.sourceDescription {
      description += name
    } else {
      customDump(keyPath, to: &description, maxDepth: 0)
    }
    description += ", "
    customDump(value, to: &description, maxDepth: 0)
    return description + ")"
  }
}
