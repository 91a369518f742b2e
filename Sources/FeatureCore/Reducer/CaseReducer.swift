/// The part of an enum reducer that needs no store; `CaseReducer` adds the stores of its cases.
public protocol _CaseReducerCore<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer<State, Action> {
  /// The type of ``body``.
  associatedtype Body

  /// The reducers of all cases, each on its case.
  @ReducerBuilder<State, Action> static var body: Body { get }
}

extension _CaseReducerCore {
  /// The reducers of all cases.
  public var body: Body { Self.body }
}

/// The reducers of an enum reducer's cases.
///
/// They are built when they are compiled, because a feature may be a case of its own destinations.
public struct _CaseReducers<State, Action>: Reducer {
  private let compile: () -> CompiledReducer<State, Action>

  /// Creates the reducers from those that `build` returns.
  public init<R: Reducer<State, Action>>(@ReducerBuilder<State, Action> _ build: @escaping () -> R) {
    compile = { build()._compile() }
  }

  public func reduce(into state: inout State, action: Action) -> Effect<Action> {
    compile().function(&state, action)
  }

  public func _compile() -> CompiledReducer<State, Action> { compile() }
}

/// The state of an enum reducer.
public protocol CaseReducerState: CasePathable, ObservableState {
  /// The enum reducer.
  associatedtype StateReducer: _CaseReducerCore where StateReducer.State == Self
}

extension CaseReducerState {
  /// The reducers of all cases.
  public static var _body: StateReducer.Body { StateReducer.body }
}
