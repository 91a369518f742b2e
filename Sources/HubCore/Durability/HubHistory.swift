public import TurnLog

/// What a hub goes on from: where its log ends, and what it knows of the clients.
///
/// `Recovery` makes one from a log, `HandOver` from what the process before has left.
public struct HubHistory: Sendable {
  /// Names the history: the same as before the start exactly if no revision that a client may have seen was lost.
  public private(set) var id: UInt64
  /// Whether the hub has a log.
  public let isLogged: Bool
  /// The position of the last turn in the log; 0 for none.
  public let position: UInt64
  /// The sessions that may be resumed, least recently used first.
  public let sessions: [LoggedSession]
  /// Versions of the state after the last turns, for reconnecting clients, in ascending order of revision.
  let versions: [(revision: UInt64, state: StateVersion)]
  /// The revision of the hub's own state in the process before, if clients are taken over from it.
  private(set) var hubRevision: UInt64?

  init(
    id: UInt64, isLogged: Bool, position: UInt64, sessions: [LoggedSession],
    versions: [(revision: UInt64, state: StateVersion)]
  ) {
    (self.id, self.isLogged, self.position, self.sessions, self.versions) = (id, isLogged, position, sessions, versions)
  }

  /// The same for a hub that takes over the connections of the process before, whose clients know its history.
  public func continuing(_ handOver: HandOver) -> HubHistory {
    var history = self
    (history.id, history.hubRevision) = (handOver.history, handOver.hubRevision)
    return history
  }
}

/// The time at which a hub releases the outputs of a turn: acknowledgements, deltas, and the start of effects.
public enum Durability: Equatable, Sendable {
  /// When the log has stored the turn. Nothing that was ever visible is lost.
  case sync
  /// Immediately. Turns that the log has not stored yet may be lost if the machine loses power or the hub's process
  /// dies.
  case async
}
