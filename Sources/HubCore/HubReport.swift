public import Wire

/// An event of the hub's conversations that an operator may want to know of.
public enum HubReport: Equatable, Sendable {
  /// A peer said hello and has a new session.
  case opened(ConnectionID, SessionID, Peer, name: String)
  /// A peer resumed a session.
  case resumed(ConnectionID, SessionID, Peer, name: String)
  /// A connection has ended; its session may be resumed.
  case detached(ConnectionID, SessionID?)
  /// A peer ended its session.
  case left(ConnectionID, SessionID)
  /// A peer broke the protocol, and its connection is being closed.
  case failed(ConnectionID, Peer, PeerError)
  /// The state would exceed its limit by an action of the hub's own, which was taken back.
  case stateTooLarge(limit: Int)
  /// An action was rejected.
  case rejected(ConnectionID, SessionID, Peer, Rejected)
}
