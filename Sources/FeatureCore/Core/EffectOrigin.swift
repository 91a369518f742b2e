// What the ledger knows of effects, whatever their actions are. These types are not nested in the generic ledger: their
// dictionaries would be generic too, and each access would look up types at run time, ten times the cost of the access.

/// An id, and the child that assigned it or one of that child's ancestors.
struct EffectName: Hashable {
  let path: EffectPath
  let id: CancelID
}

/// The origin of an effect.
struct EffectOrigin {
  /// The path of the child that the effect belongs to.
  var path: EffectPath = []
  /// The ids that cancel it.
  var names: [EffectName] = []
  /// The sequence of which it is the current step.
  var sequence: UInt64?
  /// The outermost `send` that it descends from; 0 when nothing waits for it.
  var cascade: UInt64 = 0
  /// The action that began it, in a ledger that records restarts.
  let cause: EffectCause?
  /// True if a restart is declared for it, or for work that contains it.
  var isRestarted = false

  init(cascade: UInt64, cause: EffectCause?) { (self.cascade, self.cause) = (cascade, cause) }
}

/// The action that began an effect. An object, because each part of the effect refers to it.
final class EffectCause {
  /// An action of the ledger's type.
  let action: Any

  init(_ action: Any) { self.action = action }
}

/// An effect that runs.
struct RunningEffect {
  let context: EffectOrigin
  /// True for a stream, which may contain work of the child's descendants.
  let isStream: Bool
  /// Its place in the feature's code, if that is known.
  let site: CompositionSite?
}
