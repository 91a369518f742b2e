public import CasePaths
internal import ConcurrencyExtras
public import IdentifiedCollections

extension Reducer {
  /// Lifts the reducer of an element to an array, by index.
  ///
  /// An effect sends its actions with the index at the time at which it was returned; prefer identified arrays.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment>(
    state toLocalState: WritableKeyPath<GlobalState, [State]>,
    action toLocalAction: CasePath<GlobalAction, (Int, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let toLocalState = UncheckedSendable(toLocalState)
    return .init { state, action, environment in
      guard let (index, localAction) = toLocalAction.extract(from: action) else { return .none }
      guard state[keyPath: toLocalState.value].indices.contains(index) else {
        if breakpointOnNil {
          reportMissing("forEach", "its state had no element at index \(index)", localAction, file, filePath, line)
        }
        return .none
      }
      return run(&state[keyPath: toLocalState.value][index], localAction, toLocalEnvironment(environment))
        .map { toLocalAction.embed((index, $0)) }
    }
  }

  /// Lifts the reducer of an element to an identified array, by id.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, ID: Hashable & Sendable>(
    state toLocalState: WritableKeyPath<GlobalState, IdentifiedArray<ID, State>>,
    action toLocalAction: CasePath<GlobalAction, (ID, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let toLocalState = UncheckedSendable(toLocalState)
    return .init { state, action, environment in
      guard let (id, localAction) = toLocalAction.extract(from: action) else { return .none }
      let effect = state[keyPath: toLocalState.value][id: id].modify {
        run(&$0, localAction, toLocalEnvironment(environment))
      }
      if effect == nil, breakpointOnNil {
        reportMissing("forEach", "its state had no element with id \(id)", localAction, file, filePath, line)
      }
      return effect?.map { toLocalAction.embed((id, $0)) } ?? .none
    }
  }

  /// Lifts the reducer of a value to a dictionary, by key.
  @preconcurrency
  public func forEach<GlobalState, GlobalAction, GlobalEnvironment, Key: Hashable & SendableMetatype>(
    state toLocalState: WritableKeyPath<GlobalState, [Key: State]>,
    action toLocalAction: CasePath<GlobalAction, (Key, Action)>,
    environment toLocalEnvironment: @escaping @Sendable (GlobalEnvironment) -> Environment,
    breakpointOnNil: Bool = true,
    file: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Reducer<GlobalState, GlobalAction, GlobalEnvironment> {
    let toLocalState = UncheckedSendable(toLocalState)
    return .init { state, action, environment in
      guard let (key, localAction) = toLocalAction.extract(from: action) else { return .none }
      let effect = state[keyPath: toLocalState.value][key].modify {
        run(&$0, localAction, toLocalEnvironment(environment))
      }
      if effect == nil, breakpointOnNil {
        reportMissing("forEach", "its state had no value for key \(key)", localAction, file, filePath, line)
      }
      return effect?.map { toLocalAction.embed((key, $0)) } ?? .none
    }
  }
}
