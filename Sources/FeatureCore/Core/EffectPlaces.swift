internal import CFeatureCore

/// The places of one store whose children have running effects or can be dismissed.
///
/// A reducer with children queries it, so that it compares children only if there is anything to cancel.
@usableFromInline
package struct EffectPlaces {
  /// The number of effects, sequences and dismissals of each place, without zeros.
  private var counts: [ObjectIdentifier: Int] = [:]
  /// The number of running streams, which may contain work of any child.
  var streamCount = 0
  /// How actions for children that are gone are treated.
  var lateActions = LateActions.reported
  /// The origin of what is presented now; nil in a store that is not a hub's.
  @usableFromInline var origin: PresentationOrigin?
  /// The revision of the last state that the sender of the action has received; nil if it has not said so.
  @usableFromInline var seenRevision: UInt64?

  @usableFromInline init() {}

  /// Adds the places on the path of an effect.
  mutating func add(_ path: EffectPath) {
    for scope in path { counts[scope.placeID, default: 0] += 1 }
  }

  /// Removes the places on the path of an effect that has ended.
  mutating func remove(_ path: EffectPath) {
    for scope in path {
      guard let index = counts.index(forKey: scope.placeID) else { preconditionFailure("every place was added") }
      counts.values[index] -= 1
      if counts.values[index] == 0 { counts.remove(at: index) }
    }
  }

  /// Removes all places.
  mutating func removeAll() { (counts, streamCount) = ([:], 0) }

  /// The places of the store whose reducer runs on this thread.
  static var current: UnsafeMutablePointer<EffectPlaces>? {
    storehub_current_places()?.assumingMemoryBound(to: EffectPlaces.self)
  }

  /// How the store whose reducer runs on this thread treats actions for children that are gone.
  static var lateActions: LateActions { current?.pointee.lateActions ?? .reported }

  /// Returns true if a child of a place may have anything to cancel in the store whose reducer runs on this thread.
  ///
  /// Outside a store the effects are unknown, so the result is true.
  @usableFromInline
  static func mayHaveEffects(_ place: EffectScopePlace) -> Bool {
    guard let places = current else { return true }
    if places.pointee.streamCount > 0 { return true }
    return !places.pointee.counts.isEmpty && places.pointee.counts[ObjectIdentifier(place)] != nil
  }
}
