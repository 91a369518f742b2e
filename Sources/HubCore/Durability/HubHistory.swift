public import TurnLog
package import Wire

/// The starting point of a hub: the end of its log, and the clients' sessions.
///
/// `Recovery` creates it from a log, `HandOver` from the record of the previous process.
public struct HubHistory: Sendable {
  /// Identifies the history. A restart keeps it exactly if no revision that a client may have seen was lost.
  public private(set) var id: UInt64
  /// True if the hub has a log.
  public let isLogged: Bool
  /// The position of the last turn in the log; 0 for none.
  public let position: UInt64
  /// The size of the turns in the log after its newest snapshot.
  let unsavedByteCount: Int
  /// The largest possible size of the state in bytes; nil if it is not known.
  let stateBound: Int?
  /// The sessions that may be resumed, least recently used first.
  public let sessions: [LoggedSession]
  /// Versions of the state after the last turns, for reconnecting clients, in ascending order of revision.
  let versions: [(revision: UInt64, state: StateVersion)]
  /// The effects with a declared restart that had not ended.
  package let effects: EffectsInFlight
  /// The time of the last turn, in milliseconds since 1970; .min if it is not known.
  let time: Int64
  /// The schema of the previous process, if the state was converted from it.
  let earlierSchema: Schema?
  /// The calendar, the time zone and the locale of the last turn; nil if they are not known.
  package let region: RegionalSettings?
  /// The number of the last connection of the previous process, if its clients are taken over.
  private(set) var lastConnection: UInt64 = 0
  /// The revision of the hub's own state in the previous process, if its clients are taken over.
  private(set) var hubRevision: UInt64?

  /// True if other hubs share the log.
  package private(set) var isReplicated = false

  /// True if the hub takes over connections.
  var isContinued: Bool { hubRevision != nil }

  init(
    id: UInt64, isLogged: Bool, position: UInt64, unsavedByteCount: Int = 0, stateBound: Int? = nil,
    sessions: [LoggedSession], versions: [(revision: UInt64, state: StateVersion)],
    effects: EffectsInFlight = EffectsInFlight(), time: Int64 = .min, earlierSchema: Schema? = nil,
    region: RegionalSettings? = nil
  ) {
    (self.time, self.earlierSchema, self.region) = (time, earlierSchema, region)
    (self.id, self.isLogged, self.position, self.sessions, self.versions) = (id, isLogged, position, sessions, versions)
    (self.unsavedByteCount, self.stateBound, self.effects) = (unsavedByteCount, stateBound, effects)
  }

  /// The history of a hub that does not serve before its log has the schema of its feature.
  package init(position: UInt64) {
    self.init(id: 0, isLogged: true, position: position, sessions: [], versions: [])
  }

  /// The same history for a hub that shares its log with others.
  ///
  /// - Parameter id: Identifies the history on all of them.
  package func replicated(as id: UInt64) -> HubHistory {
    var history = self
    (history.id, history.isReplicated) = (id, true)
    return history
  }

  /// The same history for a hub that takes over the connections of the previous process, whose clients know it.
  package func continuing(_ handOver: HandOver) -> HubHistory {
    var history = self
    (history.id, history.hubRevision) = (handOver.history, handOver.hubRevision)
    history.lastConnection = handOver.lastConnection
    return history
  }
}
