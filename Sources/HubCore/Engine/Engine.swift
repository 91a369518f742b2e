package import FeatureCore
package import Synchronization
package import TurnLog
package import Wire

/// A feature behind non-generic operations: the only part of a hub that knows the State and Action types.
///
/// The hub calls it once for each frame of actions and a few times for each turn, not once per action. Actions of
/// effects are the exception: they arrive one by one, boxed.
package protocol Engine: StateSource {
  /// The schema of the feature's state and actions.
  var schema: Schema { get }

  /// The comments in the source of these types.
  var documentation: SchemaDocumentation { get }

  /// The views that the feature declares.
  var views: DeclaredViews { get }

  /// The migrations that the feature declares.
  var migrations: DeclaredMigrations { get }

  /// Applies the actions of a CBOR sequence (RFC 8742) in order. The hub keeps this function, which is specialised for
  /// the feature, so that a frame reaches it without a method of a generic class.
  var applyBatch: ActionBatch.Apply { get }

  /// Tells whether the turn has no time for further actions of a batch; nil if it always has.
  var isLate: (() -> Bool)? { get set }

  /// Stores the number of a batch's reduced actions in a cell from now on; nil for nowhere.
  func storeReduced(in cell: UnsafeMutablePointer<Atomic<UInt64>>?)

  /// The number of reduced actions of the batch that is being applied.
  var batchCount: UInt64 { get }

  /// Begins a turn. `isLate` is evaluated after its first few actions.
  func beginTurn()

  /// Applies an action of the hub itself.
  func apply(_ action: AnyAction)

  /// Receives the program's actions once a hub serves the engine; until then the engine applies them.
  var onSend: ((AnyAction) -> Void)? { get set }

  /// Saves the current state and effects for `rollBack`.
  func checkpoint() -> EngineCheckpoint

  /// Undoes the actions since a checkpoint, with their effects, which must not have been taken yet.
  func rollBack(to checkpoint: EngineCheckpoint)

  /// True if the reducer may refuse actions. They are applied one by one, each after a checkpoint.
  var mayRefuse: Bool { get }

  /// Takes the refusal of an action since the last call; nil if none was refused.
  func takeRefusal() -> Refusal?

  /// Takes the error of an item that was not an action of the feature since the last call; nil if there was none.
  func takeFailure() -> WireError?

  /// True if the state's type has values that cannot be read back from their bytes; see `ReadingRisks`.
  var mustReadBack: Bool { get }

  /// Checks that the current state can be read back from its bytes.
  ///
  /// - Throws: The problem that clients and a recovery would find.
  /// - Complexity: O(changes since the last checked state); O(size) for an initial state.
  func readBack() throws(WireError)

  /// Checks that an action can be read back from its bytes.
  func readBack(_ action: AnyAction) throws(WireError)

  /// True if the actions that follow the end of effects are discarded.
  var discardsSentActions: Bool { get set }

  /// Decodes an action of the feature.
  func decode(_ action: RawSpan) throws(WireError) -> AnyAction

  /// Decodes the next action of a sequence.
  func decode(next decoder: inout CBORDecoder) throws(WireError) -> AnyAction

  /// Encodes an action as a client would.
  func encode(_ action: AnyAction, to encoder: inout CBOREncoder)

  /// The feature's actions in response to an event of the hub.
  func actions(for event: HubEvent) -> [AnyAction]

  /// Replaces the state during recovery.
  func restore(_ state: RawSpan, at revision: UInt64) throws(WireError)

  /// Applies a delta to the state during recovery.
  func restore(delta: RawSpan, to revision: UInt64) throws(WireError)

  /// Replaces the state by an earlier version of it.
  func restore(_ version: StateVersion, at revision: UInt64)

  /// True if there are effects to start or cancel, or effects with a declared restart have ended.
  var hasEffectCommands: Bool { get }

  /// Records effects with a declared restart from now on, for the log. They get larger numbers than `number`.
  func recordRestarts(after number: UInt64)

  /// Takes the effects with a declared restart that have begun or ended since the last call.
  func takeEffectChanges() -> EffectChanges

  /// The effect that began last.
  var lastEffect: EffectID { get }

  /// The running effects without a declared restart that began after another one.
  func effectsWithoutRestart(after effect: EffectID) -> [LostEffect]

  /// Takes the numbered actions of clients whose effects have begun since the last call.
  func takeNumberedEffects() -> [NumberedEffects]

  /// Takes the cascades whose last effect has ended since the last call.
  func takeFinishedCascades() -> [UInt64]

  /// Cancels the effects of a numbered action, but of shared effects only those that no other action holds.
  func cancel(cascade: UInt64)

  /// Returns true if a numbered action holds shared effects.
  func holdsSharedEffects(cascade: UInt64) -> Bool

  /// Lets go of the shared effects that a numbered action holds.
  func letGo(cascade: UInt64)

  /// Records the actions that follow the ends of effects from now on, for the log.
  func recordSteps()

  /// Takes the encoded actions that have followed the ends of effects since the last call, and their number.
  func takeSteps() -> (count: Int, actions: CBOREncoder)

  /// Reduces actions that have followed the end of an effect elsewhere.
  func reduceSteps(_ actions: [AnyAction])

  /// Forgets all effects, also those that have not been taken, as if none had ever begun.
  func forgetEffects()

  /// Takes the effects to start and to cancel since the last call, in order.
  func takeEffectCommands() -> [EffectCommand<AnyAction>]

  /// Applies an action of an effect; returns false if the effect was cancelled.
  ///
  /// - Parameter effect: The effect; nil for one that has ended.
  func apply(_ action: AnyAction, from effect: EffectID?) -> Bool

  /// Removes an effect that has ended.
  func finish(_ effect: EffectID)

  /// Cancels the effects with an id that belong to a child or its descendants.
  func cancel(_ id: CancelID, within path: EffectPath)

  /// Dismisses the innermost presented child on a path; returns false if there is none.
  func dismiss(_ path: EffectPath) -> Bool
}

/// A saved state of an engine, whatever its feature.
package class EngineCheckpoint {
  fileprivate init() {}
}

/// A checkpoint of one feature.
package final class TypedCheckpoint<Checkpoint>: EngineCheckpoint {
  let checkpoint: Checkpoint

  init(_ checkpoint: Checkpoint) { self.checkpoint = checkpoint }
}

/// A state with revisions that can be published.
package protocol StateSource: AnyObject {
  /// The number of changes so far.
  var revision: UInt64 { get }

  /// True if there is a version.
  var isPrepared: Bool { get }

  /// Goes on to compute the first version, as far as a turn allows; returns false if there is none yet.
  func prepare() -> Bool

  /// The current state as an immutable version.
  /// - Complexity: One allocation and a copy of the state's value, which shares its collections.
  func currentVersion() -> StateVersion

  /// The revision of the version that `currentVersion` has returned last.
  var versionRevision: UInt64 { get }

  /// The reason why there is no value, for its subscribers; nil if there is one.
  var absenceReason: String? { get }
}

extension StateSource {
  /// The current one.
  package var versionRevision: UInt64 { revision }

  /// There is a state from the beginning.
  package var isPrepared: Bool { true }

  /// There is nothing to do.
  package func prepare() -> Bool { true }

  /// There is a value.
  package var absenceReason: String? { nil }
}

/// A running effect that ends with the process.
package struct LostEffect {
  /// Its place in the feature's code; nil if that is unknown.
  let site: CompositionSite?
  /// The action that began it; nil if that is unknown.
  let cause: AnyAction?
}

/// An action whose type only the engine knows.
package struct AnyAction {
  package let base: Any

  package init(_ base: Any) { self.base = base }
}

extension AnyAction: CustomReflectable {
  /// The action's own mirror, so that reports name its cases.
  package var customMirror: Mirror { Mirror(reflecting: base) }
}
