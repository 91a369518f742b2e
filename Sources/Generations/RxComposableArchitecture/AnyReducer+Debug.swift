public import CasePaths
public import ComposableArchitectureClassic
public import ComposableCore

/// The format in which `debug()` prints actions.
public typealias ActionFormat = ComposableArchitectureClassic.ActionFormat
/// The output and the queue of `debug()`.
public typealias DebugEnvironment = ComposableArchitectureClassic.DebugEnvironment

extension AnyReducer {
  /// Prints each action and its changes of the state as a difference, in debug builds only.
  @preconcurrency
  public func debug(
    _ prefix: String = "", actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> AnyReducer {
    debug(prefix, state: { $0 }, action: .init(), actionFormat: actionFormat, environment: toDebugEnvironment)
  }

  /// Prints each action, in debug builds only.
  @preconcurrency
  public func debugActions(
    _ prefix: String = "", actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> AnyReducer {
    debug(prefix, state: { _ in () }, action: .init(), actionFormat: actionFormat, environment: toDebugEnvironment)
  }

  /// Prints the actions of a case and their changes of a part of the state, in debug builds only.
  @preconcurrency
  public func debug<LocalState, LocalAction>(
    _ prefix: String = "", state toLocalState: @escaping @Sendable (State) -> LocalState,
    action toLocalAction: AnyCasePath<Action, LocalAction>, actionFormat: ActionFormat = .prettyPrint,
    environment toDebugEnvironment: @escaping @Sendable (Environment) -> DebugEnvironment = { _ in .shared }
  ) -> AnyReducer {
    AnyReducer(
      base: bootstrapped.debug(
        prefix, state: toLocalState, action: toLocalAction, actionFormat: actionFormat, dumpFormat: .customDump,
        environment: toDebugEnvironment))
  }

  /// Marks actions and effects in the trace of a run; see `signpost` of 1.x.
  public func signpost(_ prefix: String = "", log: ComposableCore.TraceLog? = .environment) -> AnyReducer {
    AnyReducer(base: bootstrapped.signpost(prefix, log: log))
  }
}
