/// The store in which code runs, and the child of its feature that it belongs to.
package struct EffectContext: Sendable {
  /// The child that an effect belongs to.
  package struct Place: Sendable {
    let path: EffectPath
    /// The innermost presented child when the effect began: the effect's child or one of its ancestors.
    var presentation: Presentation?
  }

  /// A presented child, by the way to dismiss it.
  package enum Presentation: Sendable {
    /// The store has the action that dismisses the child.
    case inStore(EffectPath)
    /// The child's stream sends that action itself, because operators may change it before it reaches the store.
    case inStream(@MainActor @Sendable () -> Void)
  }

  @TaskLocal package static var current: EffectContext?

  let place: Place
  let host: any EffectHost

  /// Returns the context of a descendant.
  ///
  /// - Parameter presentation: The descendant's, if it is presented.
  package func within(_ scope: EffectScope, presentation: Presentation? = nil) -> EffectContext {
    EffectContext(place: Place(path: path + [scope], presentation: presentation ?? place.presentation), host: host)
  }

  var path: EffectPath { place.path }
  var isPresented: Bool { place.presentation != nil }

  /// Dismisses the innermost presented child, if it is still presented.
  @MainActor func dismiss(_ presentation: Presentation) {
    switch presentation {
    case .inStore(let path): _ = host.dismiss(path)
    case .inStream(let dismiss): dismiss()
    }
  }
}

/// The requests of an effect to the store that runs it, other than sending actions.
protocol EffectHost: AnyObject, Sendable {
  /// The work with ids inside effects.
  var cancellations: TaskCancellations { get }

  /// The term in which the hub leads its cluster; nil for a store, and for a hub without one.
  var fencingToken: UInt64? { get }

  /// The intervals of throttled effects.
  var throttles: Throttles { get }

  /// Cancels the effects with an id that belong to a child or its descendants.
  @MainActor func cancelEffects(_ id: CancelID, within path: EffectPath)

  /// Dismisses a child if it is still presented; returns true if it is.
  @MainActor func dismiss(_ path: EffectPath) -> Bool
}
