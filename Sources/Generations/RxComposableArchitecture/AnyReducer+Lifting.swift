internal import ComposableArchitectureClassic
internal import ConcurrencyExtras
public import EarlierForms
internal import FeatureCore
public import IdentifiedCollections

extension AnyReducer {
  /// Lifts the reducer of a part of the state to the whole.
  @preconcurrency
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: WritableKeyPath<GlobalState, State>, action toLocalAction: AnyCasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    .init(
      base: bootstrapped.pullback(state: toLocalState, action: toLocalAction, environment: toLocalEnvironment))
  }

  /// Lifts the reducer of a case of the state to the whole. An action while the state is another case is an issue.
  @preconcurrency
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: AnyCasePath<GlobalState, State>, action toLocalAction: AnyCasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    assertOnInvalidAction: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    .init(
      base: bootstrapped.pullback(
        state: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
        breakpointOnNil: assertOnInvalidAction, file: file, filePath: filePath, line: line))
  }

  /// Lifts the reducer of an optional part of the state to the whole, along paths of any kind. An action while the part
  /// is missing is reported as an issue.
  @_disfavoredOverload @preconcurrency
  public func pullback<StatePath: WritablePath, ActionPath: WritablePath, GlobalEnvironment>(
    state toLocalState: StatePath, action toLocalAction: ActionPath,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    assertOnInvalidAction: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<StatePath.Root, ActionPath.Root, GlobalEnvironment>
  where StatePath.Value == State, ActionPath.Value == Action {
    .init(
      base: bootstrapped.pullback(
        state: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
        breakpointOnNil: assertOnInvalidAction, file: file, filePath: filePath, line: line))
  }

  /// Lifts the reducer to an optional state. An action while the state is nil is an issue.
  public func optional(
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<State?, Action, Environment> {
    .init(base: bootstrapped.optional(breakpointOnNil: breakpointOnNil, file: file, filePath: filePath, line: line))
  }

  /// Lifts the reducer of an element to an identified array, by id.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, ID: Hashable & Sendable>(
    state toLocalState: WritableKeyPath<GlobalState, IdentifiedArray<ID, State>>,
    action toLocalAction: AnyCasePath<GlobalAction, (ID, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    .init(
      base: bootstrapped.forEach(
        state: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
        breakpointOnNil: breakpointOnNil, file: file, filePath: filePath, line: line))
  }

  /// Lifts the reducer of an element to an array, by index.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: WritableKeyPath<GlobalState, [State]>,
    action toLocalAction: AnyCasePath<GlobalAction, (Int, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    .init(
      base: bootstrapped.forEach(
        state: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
        breakpointOnNil: breakpointOnNil, file: file, filePath: filePath, line: line))
  }

  /// Lifts the reducer of a value to a dictionary, by key.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, Key: Hashable & SendableMetatype>(
    state toLocalState: WritableKeyPath<GlobalState, [Key: State]>,
    action toLocalAction: AnyCasePath<GlobalAction, (Key, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> AnyReducer<GlobalState, GlobalAction, GlobalEnvironment> {
    .init(
      base: bootstrapped.forEach(
        state: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
        breakpointOnNil: breakpointOnNil, file: file, filePath: filePath, line: line))
  }

  /// The reducer, with the environment from ``Bootstrap`` if one is mocked for its type.
  var bootstrapped: ComposableArchitectureClassic.Reducer<State, Action, Environment> {
    .init { state, action, environment in .init(run(&state, action, environment)) }
  }
}
