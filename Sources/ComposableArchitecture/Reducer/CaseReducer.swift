/// An enum reducer: one of several features at a time. `@Reducer` on an enum writes the conformance.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer<State, Action> {
  /// The type of ``body``.
  associatedtype Body
  /// The stores of the cases, to switch over.
  associatedtype CaseScope

  /// The reducers of all cases, each on its case.
  @ReducerBuilder<State, Action> static var body: Body { get }

  /// The store of the case that the state is in.
  @MainActor static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
  /// The reducers of all cases.
  public var body: Body { Self.body }
}

/// The reducers of an enum reducer's cases.
///
/// They are put together when they are compiled: a feature may be a case of its own destinations.
public struct _CaseReducers<State, Action>: Reducer {
  private let compile: () -> (inout State, Action) -> Effect<Action>

  /// The reducers that `build` puts together.
  public init<R: Reducer<State, Action>>(@ReducerBuilder<State, Action> _ build: @escaping () -> R) {
    compile = { build()._compile() }
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    compile()(&state, action)
  }

  public func _compile() -> (inout State, Action) -> Effect<Action> { compile() }
}

/// The state of an enum reducer.
public protocol CaseReducerState: CasePathable, ObservableState {
  /// The enum reducer.
  associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

extension CaseReducerState {
  /// The reducers of all cases.
  public static var _body: StateReducer.Body { StateReducer.body }
}
