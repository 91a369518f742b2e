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
  /// The sessions with such actions that have lost their connections in this turn.
  private var lostConnections: [SessionID] = []
  /// The times at which the hub lets go of the shared effects of sessions without a connection.
  private var timeouts: [SessionID: Duration] = [:]

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
    connected(session)
    guard let ended = cascades.removeValue(forKey: session) else { return [] }
    for cascade in ended.values { places[cascade] = nil }
    return ended.values.sorted()
  }

  /// Returns true if effects of a session's actions run.
  func hasEffects(of session: SessionID) -> Bool { cascades[session] != nil }

  /// The cascades of the effects of a session's actions, in the order of the actions.
  func cascades(of session: SessionID) -> [UInt64] { cascades[session]?.values.sorted() ?? [] }

  // MARK: Sessions without a connection

  /// True if `setTimeouts` has something to do.
  var hasLostConnections: Bool { !lostConnections.isEmpty }

  /// Records that a session has lost its connection.
  mutating func disconnected(_ session: SessionID) {
    if hasEffects(of: session) { lostConnections.append(session) }
  }

  /// Records that a session has a connection again, or has ended.
  mutating func connected(_ session: SessionID) {
    lostConnections.removeAll { $0 == session }
    timeouts[session] = nil
  }

  /// Sets the time for the sessions that have lost their connections since the last call.
  mutating func setTimeouts(_ time: Duration) {
    for session in lostConnections { timeouts[session] = time }
    lostConnections.removeAll()
  }

  /// Takes the sessions whose time has come, and returns them with the time of the next one; nil if there is none.
  mutating func takeTimedOut(at now: Duration) -> (sessions: [SessionID], next: Duration?) {
    guard !timeouts.isEmpty else { return ([], nil) }
    let sessions = timeouts.filter { $0.value <= now }.map(\.key)
    for session in sessions { timeouts[session] = nil }
    return (sessions, timeouts.values.min())
  }
}
