public import CasePaths

// Default parts of a feature. `@Reducer` does not see extensions. Where a part may be declared in one, the macro adds a
// conformance to one of these protocols instead of the part; a part in an extension then takes precedence.

/// A feature whose state is declared in an extension, or which has none.
public protocol _DefaultState: Reducer {
  associatedtype State = _EmptyState
}

/// A feature whose actions are declared in an extension, or which has none.
public protocol _DefaultAction: Reducer {
  associatedtype Action = _EmptyAction
}

/// A feature whose body is declared in an extension, or which has none.
public protocol _DefaultBody: Reducer {}

extension _DefaultBody {
  public var body: EmptyReducer<State, Action> { EmptyReducer() }
}

/// The state of a feature that has none.
public struct _EmptyState: Codable, Equatable, Hashable, Sendable {
  private var _$observationRegistrar = ObservationStateRegistrar()

  /// Creates an empty state.
  public init() {}
}

// Written by hand, because the macro's code names the module that users import.
extension _EmptyState: ObservableState {
  public var _$id: ObservableStateID { _$observationRegistrar.id }
  public mutating func _$willModify() { _$observationRegistrar._$willModify() }
}

/// The actions of a feature that has none.
@CasePathable
public enum _EmptyAction: Equatable, Hashable, Sendable {}
