public import CasePaths

/// Sets the fields that binding actions name.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///   BindingReducer()
///   Reduce { state, action in … }
/// }
/// ```
public struct BindingReducer<State, Action, ViewAction: BindableAction>: Reducer where State == ViewAction.State {
  private let toViewAction: (Action) -> ViewAction?

  /// Handles the binding actions of `Action`.
  public init() where Action == ViewAction {
    toViewAction = { $0 }
  }

  /// Handles the binding actions of the view's actions: `BindingReducer(action: \.view)`.
  public init(action toViewAction: CaseKeyPath<Action, ViewAction>) {
    let path = AnyCasePath(toViewAction)
    self.toViewAction = { path.extract(from: $0) }
  }

  /// Handles the binding actions of the view's actions, in the 1.0 form: `BindingReducer(action: /Action.view)`.
  public init(action toViewAction: AnyCasePath<Action, ViewAction>) {
    self.toViewAction = { toViewAction.extract(from: $0) }
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    toViewAction(action)?.binding?.set(&state)
    return .none
  }

  // No child handles the actions of bindings.
  public var _handledCases: [AnyKeyPath]? { [] }
}
