internal import FeatureCore

/// The logic of a feature: a function of state, action and environment.
///
/// ```swift
/// let counterReducer = Reducer<CounterState, CounterAction, CounterEnvironment> { state, action, environment in
///   switch action {
///   case .incrementButtonTapped:
///     state.count += 1
///     return .none
///   }
/// }
/// ```
public struct Reducer<State, Action, Environment>: Sendable {
  private let reducer: @Sendable (inout State, Action, Environment) -> Effect<Action, Never>

  /// Creates a reducer from a function.
  @preconcurrency
  public init(
    _ reducer:
      @escaping @Sendable (_ state: inout State, _ action: Action, _ environment: Environment)
      -> Effect<Action, Never>
  ) {
    self.reducer = reducer
  }

  /// A reducer that does nothing.
  public static var empty: Reducer { Reducer { _, _, _ in .none } }

  /// Runs reducers in sequence on the same state and merges their effects.
  public static func combine(_ reducers: Reducer...) -> Reducer { combine(reducers) }

  /// Runs reducers in sequence on the same state and merges their effects.
  public static func combine(_ reducers: [Reducer]) -> Reducer {
    Reducer { state, action, environment in
      .merge(reducers.map { $0.run(&state, action, environment) })
    }
  }

  /// Runs this reducer and then another.
  public func combined(with other: Reducer) -> Reducer { .combine(self, other) }

  /// Runs the reducer.
  public func run(_ state: inout State, _ action: Action, _ environment: Environment) -> Effect<Action, Never> {
    reducer(&state, action, environment)
  }

  /// Runs the reducer.
  public func callAsFunction(
    _ state: inout State, _ action: Action, _ environment: Environment
  ) -> Effect<Action, Never> {
    reducer(&state, action, environment)
  }

  /// The name of `Reducer` in 0.41 and later.
  public typealias AnyReducer = Reducer
}

/// The name of ``Reducer`` in 0.41 and later.
public typealias AnyReducer<State, Action, Environment> = Reducer<State, Action, Environment>
