public import Dependencies
public import Reducers
public import Wire

/// The engine of one feature: its state, its reducer, and the wire code of both.
///
/// ```swift
/// let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
/// let server = try HubServer(engine, loop: loop, path: "/run/user/1000/storehub/hub.sock", log: log)
/// ```
///
/// Make it in a module that names the feature, so that the compiler specialises what runs for each action.
public final class FeatureEngine<State: Replicated, Action: WireValue> {
  /// Without the run-time check for overlapping accesses: the hub enters it once at a time, and reducers cannot reach it.
  @exclusivity(unchecked) private var reducing: ReducerCore<State, Action>
  private let applyActions: ActionBatch.Apply<State, Action>
  package let schema: Schema

  /// Creates an engine at revision 0.
  ///
  /// - Parameters:
  ///   - initialState: The state at revision 0.
  ///   - reducer: What every action goes through; it is made and compiled once, here.
  ///   - prepareDependencies: Overrides dependencies for the reducer and its effects.
  @inlinable
  public convenience init(
    initialState: State, reducer: @autoclosure () -> some Reducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in }
  ) {
    // What runs for each action is put together here, where the compiler knows the feature's types.
    let reducer = withDependencies(prepareDependencies) { CompiledReducer(reducer()) }
    self.init(
      ReducerCore(initialState: initialState, reducer: reducer),
      applyActions: ActionBatch.specialised(for: State.self, Action.self))
  }

  @usableFromInline
  init(_ reducing: consuming ReducerCore<State, Action>, applyActions: @escaping ActionBatch.Apply<State, Action>) {
    self.reducing = reducing
    self.applyActions = applyActions
    schema = Schema(state: State.self, action: Action.self)
  }

  /// The authoritative state.
  public var state: State { reducing.state }

  /// The number of actions that took effect since the engine was made; the state's revision.
  public var revision: UInt64 { reducing.actionCount }

  /// Applies an action of the hub's own.
  public func send(_ action: Action) { reducing.send(action) }
}

extension FeatureEngine: Engine {
  package func currentVersion() -> StateVersion { TypedVersion(reducing.state) }

  package func apply(_ sequence: RawSpan, from offset: Int, limit: Int) -> ActionBatch.Outcome {
    applyActions(&reducing, sequence, offset, limit)
  }

  package var hasEffectCommands: Bool { reducing.hasCommands }

  package func takeEffectCommands() -> [EffectCommand<AnyAction>] {
    _ = reducing.takeFinishedCascades()
    return reducing.takeCommands().map { $0.map { AnyAction($0) } }
  }

  package func apply(_ action: AnyAction, from effect: EffectID) -> Bool {
    guard let action = action.base as? Action else {
      preconditionFailure("an effect of \(Action.self) sent a \(type(of: action.base))")
    }
    return reducing.send(action, from: effect)
  }

  package func finish(_ effect: EffectID) { reducing.finish(effect) }

  package func cancel(_ id: CancelID, within path: EffectPath) { reducing.cancel(id, within: path) }

  package func dismiss(_ path: EffectPath) -> Bool { reducing.dismiss(path) }
}
