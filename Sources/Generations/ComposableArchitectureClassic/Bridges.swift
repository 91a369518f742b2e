internal import ConcurrencyExtras
public import FeatureCore

/// The reducer protocol of 1.x, which this module's ``Reducer`` hides.
public typealias ReducerProtocol = FeatureCore.Reducer

extension Effect where Failure == Never {
  /// Creates an effect from one of 1.x.
  public init(_ effect: FeatureCore.Effect<Output>) {
    self.init(effect.tree.map(Work.tree) ?? .none)
  }
}

extension FeatureCore.Effect {
  /// Creates an effect from one of an older generation.
  public init(_ effect: ComposableArchitectureClassic.Effect<Action, Never>) {
    self.init(tree: effect.tree)
  }
}

extension Reduce {
  /// Creates a reducer of 1.x from one of an older generation, for a feature of 1.x or a hub.
  ///
  /// ```swift
  /// var body: some ReducerOf<Self> {
  ///   Reduce(appReducer, environment: .live)
  /// }
  /// ```
  public init<Environment>(
    _ reducer: ComposableArchitectureClassic.Reducer<State, Action, Environment>, environment: Environment
  ) {
    self.init { state, action in FeatureCore.Effect(reducer.run(&state, action, environment)) }
  }
}

extension Reducer {
  /// Creates a reducer of an older generation from one of 1.x.
  ///
  /// ```swift
  /// let appReducer = Reducer<AppState, AppAction, AppEnvironment>.combine(
  ///   Reducer { environment in Search(client: environment.client) }.pullback(…),
  /// ```
  ///
  /// - Parameter feature: Creates the reducer for an action's environment.
  public init<R: ReducerProtocol & SendableMetatype>(feature: @escaping @Sendable (Environment) -> R)
  where R.State == State, R.Action == Action {
    self.init { state, action, environment in
      Effect(feature(environment).reduce(into: &state, action: action))
    }
  }
}
