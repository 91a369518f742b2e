package import Reducers
package import Wire

/// A feature behind concrete operations: the only part of a hub that knows a State and an Action.
///
/// The hub enters it once for each frame of actions and a few times for each turn, never once per action. What
/// effects send is the exception: each such action comes alone, and boxed.
package protocol Engine: StateSource {
  /// The schema of the feature's state and actions.
  var schema: Schema { get }

  /// Applies the actions of a CBOR sequence (RFC 8742) in order.
  ///
  /// - Parameters:
  ///   - sequence: The bytes; the actions are its rest from `offset` on.
  ///   - offset: The start of the first action.
  ///   - limit: How many actions to apply at most.
  func apply(_ sequence: RawSpan, from offset: Int, limit: Int) -> ActionBatch.Outcome

  /// Applies an action of the hub's own.
  func apply(_ action: AnyAction)

  /// Takes what the program sends, once a hub serves the engine; until then the engine applies it.
  var onSend: ((AnyAction) -> Void)? { get set }

  /// Writes an action as a client would.
  func encode(_ action: AnyAction, to encoder: inout CBOREncoder)

  /// The actions by which the feature reacts to an event of the hub.
  func actions(for event: HubEvent) -> [AnyAction]

  /// Replaces the state, in a recovery.
  func restore(_ state: RawSpan, at revision: UInt64) throws(WireError)

  /// Applies a delta to the state, in a recovery.
  func restore(delta: RawSpan, to revision: UInt64) throws(WireError)

  /// Whether effects are to be started or cancelled.
  var hasEffectCommands: Bool { get }

  /// Returns the effects to start and to cancel since the last call, in order.
  func takeEffectCommands() -> [EffectCommand<AnyAction>]

  /// Applies an action that an effect sent; false if that effect was cancelled or has ended.
  func apply(_ action: AnyAction, from effect: EffectID) -> Bool

  /// Notes that an effect has ended.
  func finish(_ effect: EffectID)

  /// Cancels the effects with an id that belong to a child or its descendants.
  func cancel(_ id: CancelID, within path: EffectPath)

  /// Dismisses the innermost presented child on a path; false if there is none.
  func dismiss(_ path: EffectPath) -> Bool
}

/// A state that grows by revisions, to be published.
package protocol StateSource: AnyObject {
  /// The number of changes so far.
  var revision: UInt64 { get }

  /// The current state, kept as it is now.
  /// - Complexity: One allocation and a copy of the state's value, which shares its collections.
  func currentVersion() -> StateVersion
}

/// An action whose type the engine knows and its holder does not.
package struct AnyAction {
  package let base: Any

  package init(_ base: Any) { self.base = base }
}

extension AnyAction: CustomReflectable {
  /// The action's own mirror, so that reports name its cases.
  package var customMirror: Mirror { Mirror(reflecting: base) }
}
