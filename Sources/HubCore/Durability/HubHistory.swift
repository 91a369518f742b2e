public import TurnLog

/// What a hub with a log goes on from: where the log ends, and what it knows of the clients.
///
/// `Recovery` makes one from a log.
public struct HubHistory: Sendable {
  /// Names the history: the same as before the start exactly if no revision that a client may have seen was lost.
  public let id: UInt64
  /// The position of the last turn in the log; 0 for none.
  public let position: UInt64
  /// The sessions that may be resumed, the longest unused first.
  public let sessions: [LoggedSession]
  /// Versions of the state after the last turns, for clients that come back, in ascending order of revision.
  let versions: [(revision: UInt64, state: StateVersion)]

  init(
    id: UInt64, position: UInt64, sessions: [LoggedSession], versions: [(revision: UInt64, state: StateVersion)]
  ) {
    (self.id, self.position, self.sessions, self.versions) = (id, position, sessions, versions)
  }
}

/// When a hub lets out what belongs to a turn: acknowledgements, deltas, and the start of effects.
public enum Durability: Equatable, Sendable {
  /// When the log has stored the turn: nothing that anyone has seen is ever lost.
  case sync
  /// At once; what the log stores later may be lost with the machine's power or the hub's process.
  case async
}
