internal import CasePaths
internal import ComposableArchitectureClassic
public import ComposableCore
internal import CustomDump
internal import IdentifiedCollections
public import Reducers

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
      -> Reducers.Effect<Action>
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
  public func run(_ state: inout State, _ action: Action, _ environment: Environment) -> Reducers.Effect<Action> {
    Reducers.Effect(base.run(&state, action, Bootstrap.environment() ?? environment))
  }

  /// Runs the reducer.
  public func callAsFunction(_ state: inout State, _ action: Action, _ environment: Environment)
    -> Reducers.Effect<Action>
  {
    run(&state, action, environment)
  }

  /// Prints each action and its changes of the state as a difference, in debug builds only.
  @preconcurrency
  public func debug(
    _ prefix: String = "", printer: @escaping @Sendable (String) -> Void = { print($0) }
  ) -> AnyReducer {
    #if DEBUG
      return AnyReducer { state, action, environment in
        let previous = state
        let effect = run(&state, action, environment)
        var text = prefix.isEmpty ? "received action:\n" : "\(prefix): received action:\n"
        customDump(action, to: &text, indent: 2)
        printer("\(text)\n\(diff(previous, state).map { "\($0)\n" } ?? "  (No state changes)\n")")
        return effect
      }
    #else
      return self
    #endif
  }

  /// Marks actions and effects in the trace of a run; see `signpost` of 1.x.
  public func signpost(_ prefix: String = "", log: ComposableCore.TraceLog? = .environment) -> AnyReducer {
    AnyReducer(base: base.signpost(prefix, log: log))
  }
}

extension Reduce {
  /// Creates a reducer of the protocol's generation from a function and an environment.
  public init<Environment>(_ reducer: AnyReducer<State, Action, Environment>, environment: Environment) {
    self.init { state, action in reducer.run(&state, action, environment) }
  }
}
