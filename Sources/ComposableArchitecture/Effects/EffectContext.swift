/// Where running code belongs: in which store, and to which child of its feature.
package struct EffectContext: Sendable {
  /// Which child an effect belongs to.
  package struct Place: Sendable {
    let path: EffectPath
    /// Whether that child, or one that it is within, was presented when the effect began.
    var isPresented = false
  }

  @TaskLocal static var current: EffectContext?

  let place: Place
  let host: any EffectHost

  var path: EffectPath { place.path }
  var isPresented: Bool { place.isPresented }
}

/// What an effect can ask of the store that runs it, besides taking its actions.
protocol EffectHost: AnyObject, Sendable {
  /// The named work inside effects.
  var cancellations: TaskCancellations { get }

  /// Cancels the effects of a name that belong to a child or its descendants.
  @MainActor func cancelEffects(_ id: CancelID, within path: EffectPath)

  /// Dismisses the innermost presented child of a path; says whether there is one.
  @MainActor func dismiss(_ path: EffectPath) -> Bool
}
