internal import ConcurrencyExtras
public import EarlierForms
internal import IssueReporting

extension Reducer {
  /// Lifts the reducer of a part of the state to the whole.
  ///
  /// - Parameters:
  ///   - toLocalState: The part of the state.
  ///   - toLocalAction: The case of the actions.
  ///   - toLocalEnvironment: The part of the environment.
  @preconcurrency
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: WritableKeyPath<GlobalState, State>, action toLocalAction: CasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment
  ) -> Reducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let toLocalState = UncheckedSendable(toLocalState)
    return .init { state, action, environment in
      guard let localAction = toLocalAction.extract(from: action) else { return .none }
      return run(&state[keyPath: toLocalState.value], localAction, toLocalEnvironment(environment))
        .map(toLocalAction.embed)
    }
  }

  /// Lifts the reducer of a case of the state to the whole. An action while the state is another case is an issue.
  ///
  /// - Parameter breakpointOnNil: False to ignore such actions.
  @preconcurrency
  public func pullback<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: CasePath<GlobalState, State>, action toLocalAction: CasePath<GlobalAction, Action>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<GlobalState, GlobalAction, GlobalEnvironment> {
    pullback(
      path: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
      missing: breakpointOnNil ? "its state was of another case" : nil, file, filePath, line)
  }

  /// Lifts the reducer of an optional part of the state to the whole, along paths of any kind. An action while the part
  /// is missing is reported as an issue.
  ///
  /// - Parameter breakpointOnNil: False to ignore such actions.
  @_disfavoredOverload @preconcurrency
  public func pullback<StatePath: WritablePath, ActionPath: WritablePath, GlobalEnvironment>(
    state toLocalState: StatePath, action toLocalAction: ActionPath,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<StatePath.Root, ActionPath.Root, GlobalEnvironment>
  where StatePath.Value == State, ActionPath.Value == Action {
    pullback(
      path: toLocalState, action: toLocalAction, environment: toLocalEnvironment,
      missing: breakpointOnNil ? "its state was not there" : nil, file, filePath, line)
  }

  /// - Parameter missing: The reason in the issue about an action without a state; nil to report no issue.
  private func pullback<StatePath: WritablePath, ActionPath: WritablePath, GlobalEnvironment>(
    path toLocalState: StatePath, action toLocalAction: ActionPath,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    missing: String?, _ file: StaticString, _ filePath: StaticString, _ line: UInt
  ) -> Reducer<StatePath.Root, ActionPath.Root, GlobalEnvironment>
  where StatePath.Value == State, ActionPath.Value == Action {
    let paths = UncheckedSendable((toLocalState, toLocalAction))
    return .init { state, action, environment in
      let (toLocalState, toLocalAction) = paths.value
      guard let localAction = toLocalAction.extract(from: action) else { return .none }
      guard var localState = toLocalState.extract(from: state) else {
        if let missing { reportMissing("pullback", missing, localAction, file, filePath, line) }
        return .none
      }
      defer { toLocalState.set(into: &state, localState) }
      return run(&localState, localAction, toLocalEnvironment(environment)).map {
        // An optional path also needs the values around the local action.
        var action = action
        toLocalAction.set(into: &action, $0)
        return action
      }
    }
  }

  /// Lifts the reducer to an optional state. An action while the state is nil is an issue.
  public var optional: Reducer<State?, Action, Environment> { optional() }

  /// Lifts the reducer to an optional state. An action while the state is nil is an issue.
  ///
  /// - Parameter breakpointOnNil: False to ignore such actions.
  public func optional(
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<State?, Action, Environment> {
    .init { state, action, environment in
      let effect = state.modify { run(&$0, action, environment) }
      if effect == nil, breakpointOnNil { reportMissing("optional", "its state was nil", action, file, filePath, line) }
      return effect ?? .none
    }
  }
}

/// Reports an action for a missing state.
func reportMissing<Action>(
  _ name: String, _ why: String, _ action: Action, _ file: StaticString, _ filePath: StaticString, _ line: UInt
) {
  var dump = ""
  customDump(action, to: &dump, indent: 4)
  reportIssue(
    """
    A "\(name)" reducer at "\(file):\(line)" received an action when \(why). …

      Action:
    \(dump)

    Combine it before a parent reducer that sets the state to nil, or to another case or list; cancel its effects when \
    the state goes away; and send it no actions then. If this is intended, pass "breakpointOnNil: false".
    """, fileID: file, filePath: filePath, line: line)
}

extension Optional {
  /// Changes the value in place; returns nil if there is none.
  mutating func modify<Result>(_ change: (inout Wrapped) -> Result) -> Result? {
    guard var value = take() else { return nil }
    defer { self = value }
    return change(&value)
  }
}
