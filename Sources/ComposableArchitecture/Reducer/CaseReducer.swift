/// An enum reducer: one of several features at a time. `@Reducer` on an enum writes the conformance.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body == Never {
  /// The reducer of all cases.
  associatedtype CaseBody: Reducer<State, Action>
  /// The stores of the cases, to switch over.
  associatedtype CaseScope

  /// The reducers of all cases, each on its case.
  @ReducerBuilder<State, Action> static var body: CaseBody { get }

  /// The store of the case that the state is in.
  @MainActor static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    Self.body.reduce(into: &state, action: action)
  }

  public func _compile() -> (inout State, Action) -> Effect<Action> { Self.body._compile() }
}

/// The state of an enum reducer.
public protocol CaseReducerState: CasePathable, ObservableState {
  /// The enum reducer.
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

extension CaseReducerState {
  /// The reducers of all cases.
  public static var _body: StateReducer.CaseBody { StateReducer.body }
}
