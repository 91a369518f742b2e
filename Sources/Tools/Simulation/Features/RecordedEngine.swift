import FeatureCore
import HubCore
import Synchronization
import TurnLog
import Wire

/// An engine whose recorder forgets the actions that the engine rolls back.
final class RecordedEngine: Engine {
  private let base: any Engine
  private let recorder: Recorder

  init(_ base: any Engine, _ recorder: Recorder) { (self.base, self.recorder) = (base, recorder) }

  func checkpoint() -> EngineCheckpoint {
    recorder.save()
    return base.checkpoint()
  }

  func rollBack(to checkpoint: EngineCheckpoint) {
    recorder.restore()
    base.rollBack(to: checkpoint)
  }

  // MARK: Passed on

  var schema: Schema { base.schema }
  var documentation: SchemaDocumentation { base.documentation }
  var views: DeclaredViews { base.views }
  var migrations: DeclaredMigrations { base.migrations }
  var revision: UInt64 { base.revision }
  var hasEffectCommands: Bool { base.hasEffectCommands }
  var onSend: ((AnyAction) -> Void)? {
    get { base.onSend }
    set { base.onSend = newValue }
  }
  var isLate: (() -> Bool)? {
    get { base.isLate }
    set { base.isLate = newValue }
  }
  func storeReduced(in cell: UnsafeMutablePointer<Atomic<UInt64>>?) { base.storeReduced(in: cell) }
  func beginTurn() { base.beginTurn() }
  var batchCount: UInt64 { base.batchCount }

  func currentVersion() -> StateVersion { base.currentVersion() }
  var applyBatch: ActionBatch.Apply { base.applyBatch }
  func apply(_ action: AnyAction) { base.apply(action) }
  func apply(_ action: AnyAction, from effect: EffectID?) -> Bool { base.apply(action, from: effect) }
  var mayRefuse: Bool { base.mayRefuse }
  func takeRefusal() -> Refusal? { base.takeRefusal() }
  func takeFailure() -> WireError? { base.takeFailure() }
  var mustReadBack: Bool { recorder.readsBack && base.mustReadBack }
  func readBack() throws(WireError) { if recorder.readsBack { try base.readBack() } }
  func readBack(_ action: AnyAction) throws(WireError) { try base.readBack(action) }
  var discardsSentActions: Bool {
    get { base.discardsSentActions }
    set { base.discardsSentActions = newValue }
  }
  func decode(_ action: RawSpan) throws(WireError) -> AnyAction { try base.decode(action) }
  func decode(next decoder: inout CBORDecoder) throws(WireError) -> AnyAction { try base.decode(next: &decoder) }
  func recordSteps() { base.recordSteps() }
  func takeSteps() -> (count: Int, actions: CBOREncoder) { base.takeSteps() }
  func reduceSteps(_ actions: [AnyAction]) { base.reduceSteps(actions) }
  func forgetEffects() { base.forgetEffects() }
  func recordRestarts(after number: UInt64) { base.recordRestarts(after: number) }
  func takeEffectChanges() -> EffectChanges { base.takeEffectChanges() }
  var lastEffect: EffectID { base.lastEffect }
  func effectsWithoutRestart(after effect: EffectID) -> [LostEffect] { base.effectsWithoutRestart(after: effect) }
  func encode(_ action: AnyAction, to encoder: inout CBOREncoder) { base.encode(action, to: &encoder) }
  func actions(for event: HubEvent) -> [AnyAction] { base.actions(for: event) }
  func restore(_ state: RawSpan, at revision: UInt64) throws(WireError) { try base.restore(state, at: revision) }
  func restore(delta: RawSpan, to revision: UInt64) throws(WireError) { try base.restore(delta: delta, to: revision) }
  func restore(_ version: StateVersion, at revision: UInt64) { base.restore(version, at: revision) }
  func takeEffectCommands() -> [EffectCommand<AnyAction>] { base.takeEffectCommands() }
  func takeNumberedEffects() -> [NumberedEffects] { base.takeNumberedEffects() }
  func takeFinishedCascades() -> [UInt64] { base.takeFinishedCascades() }
  func cancel(cascade: UInt64) { base.cancel(cascade: cascade) }
  func holdsSharedEffects(cascade: UInt64) -> Bool { base.holdsSharedEffects(cascade: cascade) }
  func letGo(cascade: UInt64) { base.letGo(cascade: cascade) }
  func finish(_ effect: EffectID) { base.finish(effect) }
  func cancel(_ id: CancelID, within path: EffectPath) { base.cancel(id, within: path) }
  func dismiss(_ path: EffectPath) -> Bool { base.dismiss(path) }
}
