import FeatureCore
import Wire

/// The clients' actions whose effects run, so that each client can cancel the effects of its own.
struct ClientEffects {
  /// The maximum number of actions of one session. The effects of further ones run, but it cannot cancel them, and it
  /// does not hold those that are shared.
  static var limit: Int { 1024 }

  private struct Place {
    let session: SessionID
    let number: UInt64
  }

  private var places: [UInt64: Place] = [:]
  /// The cascades of the sessions' actions, by the numbers of these.
  private var cascades: [SessionID: [UInt64: UInt64]] = [:]

  /// The number of actions.
  var count: Int { places.count }

  /// Adds an action. Returns false if the session has too many: it must let go of the action's effects at once, since
  /// nothing else remembers them.
  mutating func add(_ effects: NumberedEffects, of session: SessionID) -> Bool {
    guard cascades[session, default: [:]].count < Self.limit else { return false }
    cascades[session, default: [:]][effects.number] = effects.cascade
    places[effects.cascade] = Place(session: session, number: effects.number)
    return true
  }

  /// Removes an action of a session, and returns the cascade of its effects; nil if none runs.
  mutating func take(_ number: UInt64, of session: SessionID) -> UInt64? {
    guard let cascade = cascades[session]?[number] else { return nil }
    remove(cascade)
    return cascade
  }

  /// Removes the action whose effects have ended.
  mutating func remove(_ cascade: UInt64) {
    guard let place = places.removeValue(forKey: cascade) else { return }
    cascades[place.session]?[place.number] = nil
    if cascades[place.session]?.isEmpty == true { cascades[place.session] = nil }
  }

  /// Removes all actions of a session, and returns the cascades of their effects, in the order of the actions.
  mutating func removeAll(of session: SessionID) -> [UInt64] {
    guard let ended = cascades.removeValue(forKey: session) else { return [] }
    for cascade in ended.values { places[cascade] = nil }
    return ended.values.sorted()
  }
}
