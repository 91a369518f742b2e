internal import ComposableArchitectureClassic
public import FeatureCore

/// The logic of a feature: a function of state, action and environment.
public struct AnyReducer<State, Action, Environment>: Sendable {
  let base: ComposableArchitectureClassic.Reducer<State, Action, Environment>

  init(base: ComposableArchitectureClassic.Reducer<State, Action, Environment>) {
    self.base = base
  }

  /// Creates a reducer from a function.
  @preconcurrency
  public init(
    _ reducer:
      @escaping @Sendable (_ state: inout State, _ action: Action, _ environment: Environment)
      -> FeatureCore.Effect<Action>
  ) {
    base = .init { state, action, environment in .init(reducer(&state, action, environment)) }
  }

  /// Creates a reducer from one of the protocol's generation.
  ///
  /// ```swift
  /// AnyReducer { environment in Search(client: environment.client) }
  /// ```
  public init<R: ReducerProtocol & SendableMetatype>(_ feature: @escaping @Sendable (Environment) -> R)
  where R.State == State, R.Action == Action {
    self.init { state, action, environment in feature(environment).reduce(into: &state, action: action) }
  }

  /// A reducer that does nothing.
  public static var empty: AnyReducer { AnyReducer(base: .empty) }

  /// Runs reducers in sequence on the same state and merges their effects.
  public static func combine(_ reducers: AnyReducer...) -> AnyReducer { combine(reducers) }

  /// Runs reducers in sequence on the same state and merges their effects.
  public static func combine(_ reducers: [AnyReducer]) -> AnyReducer {
    AnyReducer(base: .combine(reducers.map(\.base)))
  }

  /// Runs this reducer and then another.
  public func combined(with other: AnyReducer) -> AnyReducer { .combine(self, other) }

  /// Runs the reducer, with the environment from ``Bootstrap`` if one is mocked for its type.
  public func run(_ state: inout State, _ action: Action, _ environment: Environment) -> FeatureCore.Effect<Action> {
    FeatureCore.Effect(base.run(&state, action, Bootstrap.environment() ?? environment))
  }

  /// Runs the reducer.
  public func callAsFunction(_ state: inout State, _ action: Action, _ environment: Environment)
    -> FeatureCore.Effect<Action>
  {
    run(&state, action, environment)
  }

}

extension Reduce {
  /// Creates a reducer of the protocol's generation from a function and an environment.
  public init<Environment>(_ reducer: AnyReducer<State, Action, Environment>, environment: Environment) {
    self.init { state, action in reducer.run(&state, action, environment) }
  }
}
