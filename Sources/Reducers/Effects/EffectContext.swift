/// Where running code belongs: in which store, and to which child of its feature.
package struct EffectContext: Sendable {
  /// Which child an effect belongs to.
  package struct Place: Sendable {
    let path: EffectPath
    /// The innermost presented child that the effect was in when it began: that child, or one that it is within.
    var presentation: EffectPath?
  }

  @TaskLocal package static var current: EffectContext?

  let place: Place
  let host: any EffectHost

  var path: EffectPath { place.path }
  var isPresented: Bool { place.presentation != nil }
}

/// What an effect can ask of the store that runs it, besides taking its actions.
protocol EffectHost: AnyObject, Sendable {
  /// The named work inside effects.
  var cancellations: TaskCancellations { get }

  /// The intervals of throttled effects.
  var throttles: Throttles { get }

  /// Cancels the effects of a name that belong to a child or its descendants.
  @MainActor func cancelEffects(_ id: CancelID, within path: EffectPath)

  /// Dismisses a presented child, if it still is; says whether it was ever presented.
  @MainActor func dismiss(_ path: EffectPath) -> Bool
}
