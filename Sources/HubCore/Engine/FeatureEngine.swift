public import Dependencies
public import FeatureCore
package import Synchronization
package import TurnLog
public import Wire

/// The engine of one feature: its state, its reducer, and their encoding.
///
/// ```swift
/// let engine = FeatureEngine(initialState: AppFeature.State(), reducer: AppFeature())
/// let server = try HubServer(engine, loop: loop, path: "/run/user/1000/storehub/hub.sock", log: log)
/// ```
///
/// Create it in a module that knows the feature's types, so that the compiler specialises the code that runs for each
/// action.
public final class FeatureEngine<State: Replicated, Action: WireValue> {
  private let box: ReducerBox<State, Action>
  private let operations: EngineOperations
  private let pace: TurnPace
  private let onEvent: (HubEvent, State) -> [Action]
  package let schema: Schema
  package private(set) lazy var documentation = SchemaDocumentation(state: State.self, action: Action.self)
  private var reader: StateReader<State>
  private let actionRisks: ReadingRisks
  package let views: DeclaredViews
  package let migrations: DeclaredMigrations
  package var onSend: ((AnyAction) -> Void)?

  /// Creates an engine at revision 0.
  ///
  /// - Parameters:
  ///   - initialState: The state at revision 0.
  ///   - reducer: The feature's reducer, which is created and compiled once, here.
  ///   - views: The views that the feature declares.
  ///   - migrations: The steps from states of earlier versions.
  ///   - prepareDependencies: Overrides dependencies for the reducer and its effects.
  ///   - onEvent: The feature's actions in response to an event of the hub, such as its start.
  @inlinable
  public convenience init(
    initialState: State, reducer: @autoclosure () -> some Reducer<State, Action>,
    views: StateViews<State> = StateViews(), migrations: [Migration] = [],
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    onEvent: @escaping (HubEvent, State) -> [Action] = { _, _ in [] }
  ) {
    // The code for each action is composed here, where the compiler knows the feature's types.
    let box = withDependencies(prepareDependencies) {
      ReducerBox(ReducerCore(ofHub: initialState, reducer: reducer()))
    }
    let pace = TurnPace()
    self.init(box, EngineOperations(on: box, pace), pace, views, migrations, onEvent)
  }

  @usableFromInline
  init(
    _ box: ReducerBox<State, Action>, _ operations: EngineOperations, _ pace: TurnPace,
    _ views: StateViews<State>, _ migrations: [Migration], _ onEvent: @escaping (HubEvent, State) -> [Action]
  ) {
    self.views = views.declared
    (self.box, self.operations, self.pace, self.onEvent) = (box, operations, pace, onEvent)
    schema = Schema(state: State.self, action: Action.self)
    self.migrations = DeclaredMigrations(migrations, of: State.self, schema)
    (reader, actionRisks) = (StateReader(of: State.self), ReadingRisks(of: Action.self))
  }

  /// The authoritative state.
  public var state: State { box.core.state }

  /// The number of actions that took effect since the engine was created; the state's revision.
  public var revision: UInt64 { operations.revision() }

  /// Applies an action of the program itself, which is published and stored like a client's.
  ///
  /// Call it on the loop's thread, for example in a timer's callback, and never while a reducer runs.
  public func send(_ action: Action) {
    // Before a hub serves the engine, nobody is told of a refusal.
    if let onSend { onSend(AnyAction(action)) } else { _ = box.core.attempt { $0.withOwnActions { $0.send(action) } } }
  }
}

extension FeatureEngine: Engine {
  package var isLate: (() -> Bool)? {
    get { pace.isLate }
    set { pace.isLate = newValue }
  }

  package func storeReduced(in cell: UnsafeMutablePointer<Atomic<UInt64>>?) { pace.storeReduced(in: cell) }

  package var batchCount: UInt64 { pace.batchCount }

  package func beginTurn() { pace.beginTurn() }

  package func currentVersion() -> StateVersion { operations.currentVersion() }

  package var applyBatch: ActionBatch.Apply { operations.apply }

  package var hasEffectCommands: Bool { operations.hasCommands() }

  package func takeEffectCommands() -> [EffectCommand<AnyAction>] {
    return box.core.takeCommands().map { $0.map { AnyAction($0) } }
  }

  package func recordRestarts(after number: UInt64) { box.core.recordRestarts(after: number) }

  package func takeEffectChanges() -> EffectChanges {
    let changes = box.core.takeRestarts()
    guard !changes.isEmpty else { return EffectChanges() }
    return EffectChanges(
      begun: changes.begun.sorted { $0.key < $1.key }.map {
        UnfinishedEffect(number: $0.key, action: $0.value.encoded())
      }, ended: changes.ended)
  }

  package func reduceSteps(_ actions: [AnyAction]) {
    let actions = actions.map { typed($0) }
    box.core.withOwnActions { $0.reduceSteps(actions) }
  }

  package func forgetEffects() { box.core.forgetEffects() }

  package func recordSteps() { box.core.recordSteps() }

  package func takeSteps() -> (count: Int, actions: CBOREncoder) {
    let steps = box.core.takeSteps()
    var encoder = CBOREncoder()
    for step in steps { step.encode(to: &encoder) }
    return (steps.count, encoder)
  }

  package var lastEffect: EffectID { box.core.lastEffect }

  package func effectsWithoutRestart(after effect: EffectID) -> [LostEffect] {
    box.core.effectsWithoutRestart(after: effect).map { site, cause in
      LostEffect(site: site, cause: cause.map { AnyAction($0) })
    }
  }

  package func apply(_ action: AnyAction, from effect: EffectID?) -> Bool {
    box.core.withOwnActions { $0.send(typed(action), from: effect) }
  }

  package func apply(_ action: AnyAction) { box.core.withOwnActions { $0.send(typed(action)) } }

  package func decode(_ action: RawSpan) throws(WireError) -> AnyAction { AnyAction(try Action(decoding: action)) }

  package func decode(next decoder: inout CBORDecoder) throws(WireError) -> AnyAction {
    AnyAction(try Action(from: &decoder))
  }

  package func encode(_ action: AnyAction, to encoder: inout CBOREncoder) { typed(action).encode(to: &encoder) }

  private struct Checkpoint {
    let core: ReducerCore<State, Action>.Checkpoint
    let reader: StateReader<State>
  }

  package func checkpoint() -> EngineCheckpoint {
    TypedCheckpoint(Checkpoint(core: box.core.checkpoint(), reader: reader))
  }

  package func rollBack(to checkpoint: EngineCheckpoint) {
    guard let checkpoint = checkpoint as? TypedCheckpoint<Checkpoint> else {
      preconditionFailure("a checkpoint of another feature")
    }
    box.core.rollBack(to: checkpoint.checkpoint.core)
    reader = checkpoint.checkpoint.reader
  }

  package var mayRefuse: Bool { box.core.mayRefuse }

  package func takeRefusal() -> Refusal? { box.core.takeRefusal() }

  package func takeFailure() -> WireError? { box.failure.take() }

  package var mustReadBack: Bool { reader.isNeeded }

  package func readBack() throws(WireError) {
    guard reader.isNeeded else { return }
    try Reducing.unobserved { () throws(WireError) in try reader.check(box.core.state) }
  }

  package func readBack(_ action: AnyAction) throws(WireError) {
    guard !actionRisks.isEmpty else { return }
    var encoder = CBOREncoder()
    encode(action, to: &encoder)
    _ = try Action(decoding: encoder.span)
  }

  package var discardsSentActions: Bool {
    get { box.core.discardsSentActions }
    set { box.core.discardsSentActions = newValue }
  }

  private func typed(_ action: AnyAction) -> Action {
    guard let action = action.base as? Action else {
      preconditionFailure("a hub of \(Action.self) was given a \(type(of: action.base))")
    }
    return action
  }

  package func actions(for event: HubEvent) -> [AnyAction] {
    Reducing.unobserved { onEvent(event, box.core.state) }.map { AnyAction($0) }
  }

  package func restore(_ state: RawSpan, at revision: UInt64) throws(WireError) {
    var decoder = CBORDecoder(state)
    let state = try State(from: &decoder)
    try decoder.finish()
    restore(state, at: revision)
  }

  package func restore(delta: RawSpan, to revision: UInt64) throws(WireError) {
    var decoder = CBORDecoder(delta)
    // On a copy; the state is shared with a kept version in any case.
    var state = box.core.state
    try Reducing.unobserved { () throws(WireError) in
      state = try reader.asRead(state)
      try state.apply(delta: &decoder)
      try decoder.finish()
    }
    restore(state, at: revision)
  }

  package func restore(_ version: StateVersion, at revision: UInt64) {
    guard let version = version as? TypedVersion<State> else { preconditionFailure("a version of another feature") }
    box.core.restore(version.state, actionCount: revision)
    reader.begin(withUnread: version.state)
  }

  private func restore(_ state: State, at revision: UInt64) {
    box.core.restore(state, actionCount: revision)
    reader.begin(with: state)
  }

  package func finish(_ effect: EffectID) { box.core.withOwnActions { $0.finish(effect) } }

  package func cancel(_ id: CancelID, within path: EffectPath) {
    box.core.withOwnActions { $0.cancel(id, within: path) }
  }

  package func takeNumberedEffects() -> [NumberedEffects] { box.core.takeNumbered() }

  package func takeFinishedCascades() -> [UInt64] { box.core.takeFinishedCascades() }

  package func cancel(cascade: UInt64) { box.core.withOwnActions { $0.cancel(cascade: cascade) } }

  package func holdsSharedEffects(cascade: UInt64) -> Bool { box.core.holdsSharedEffects(cascade: cascade) }

  package func letGo(cascade: UInt64) { box.core.withOwnActions { $0.letGo(cascade: cascade) } }

  package func dismiss(_ path: EffectPath) -> Bool { box.core.withOwnActions { $0.dismiss(path) } }
}

/// A reducer's core in a separate allocation, which closures can share.
@usableFromInline
final class ReducerBox<State, Action> {
  /// Without the run-time check for overlapping accesses: the hub makes one call at a time, and reducers cannot reach
  /// it.
  @exclusivity(unchecked) @usableFromInline var core: ReducerCore<State, Action>
  /// The error of the last item that was not an action; nil once the hub has taken it.
  @exclusivity(unchecked) @usableFromInline var failure: WireError?

  @inlinable
  init(_ core: consuming ReducerCore<State, Action>) { self.core = core }
}

/// The operations that a hub calls in every turn, as closures specialised for the feature: a method of a generic class
/// would look up the types of its fields at each call.
@usableFromInline
struct EngineOperations {
  let apply: (_ sequence: RawSpan, _ offset: Int, _ limit: Int, _ sender: SendingClient) -> ActionBatch.Outcome
  let revision: () -> UInt64
  let hasCommands: () -> Bool
  let currentVersion: () -> StateVersion

  @inlinable
  init<State: Replicated, Action: WireValue>(on box: ReducerBox<State, Action>, _ pace: TurnPace) {
    self.init(
      apply: { sequence, offset, limit, sender in
        ActionBatch.apply(
          sequence, from: offset, limit: limit, of: sender, to: &box.core, failure: &box.failure, pace: pace)
      },
      revision: { box.core.actionCount },
      hasCommands: { box.core.hasCommands },
      currentVersion: { TypedVersion(box.core.state) })
  }

  @usableFromInline
  init(
    apply: @escaping (RawSpan, Int, Int, SendingClient) -> ActionBatch.Outcome, revision: @escaping () -> UInt64,
    hasCommands: @escaping () -> Bool, currentVersion: @escaping () -> StateVersion
  ) {
    (self.apply, self.revision, self.hasCommands) = (apply, revision, hasCommands)
    self.currentVersion = currentVersion
  }
}
