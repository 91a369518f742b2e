public import CasePaths

// What a feature has that says nothing else. `@Reducer` sees no extensions, so where a part may be in one it does not
// write the part, but a conformance to one of these protocols: then the extension's part is taken if there is one.

/// A feature whose state is in an extension, or which has none.
public protocol _DefaultState: Reducer {
  associatedtype State = _EmptyState
}

/// A feature whose actions are in an extension, or which has none.
public protocol _DefaultAction: Reducer {
  associatedtype Action = _EmptyAction
}

/// A feature whose body is in an extension, or which has none.
public protocol _DefaultBody: Reducer {}

extension _DefaultBody {
  public var body: EmptyReducer<State, Action> { EmptyReducer() }
}

/// The state of a feature that has none.
public struct _EmptyState: Codable, Equatable, Hashable, Sendable {
  private var _$observationRegistrar = ObservationStateRegistrar()

  /// Nothing.
  public init() {}
}

// By hand: what the macro writes names the module that users import.
extension _EmptyState: ObservableState {
  public var _$id: ObservableStateID { _$observationRegistrar.id }
  public mutating func _$willModify() { _$observationRegistrar._$willModify() }
}

/// The actions of a feature that has none.
@CasePathable
public enum _EmptyAction: Equatable, Hashable, Sendable {}
