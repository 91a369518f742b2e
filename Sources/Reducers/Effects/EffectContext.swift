/// The store in which code runs, and the child of its feature that it belongs to.
package struct EffectContext: Sendable {
  /// The child that an effect belongs to.
  package struct Place: Sendable {
    let path: EffectPath
    /// The innermost presented child when the effect began: the effect's child or one of its ancestors.
    var presentation: EffectPath?
  }

  @TaskLocal package static var current: EffectContext?

  let place: Place
  let host: any EffectHost

  /// Returns the context of a descendant.
  package func within(_ scope: EffectScope) -> EffectContext {
    EffectContext(place: Place(path: path + [scope], presentation: place.presentation), host: host)
  }

  var path: EffectPath { place.path }
  var isPresented: Bool { place.presentation != nil }
}

/// The requests of an effect to the store that runs it, other than sending actions.
protocol EffectHost: AnyObject, Sendable {
  /// The work with ids inside effects.
  var cancellations: TaskCancellations { get }

  /// The intervals of throttled effects.
  var throttles: Throttles { get }

  /// Cancels the effects with an id that belong to a child or its descendants.
  @MainActor func cancelEffects(_ id: CancelID, within path: EffectPath)

  /// Dismisses a child if it is still presented; returns true if it ever was.
  @MainActor func dismiss(_ path: EffectPath) -> Bool
}
