public import Wire

/// An event that may interest the hub's operator.
public enum HubReport: Equatable, Sendable {
  /// A peer sent *hello* and got a new session.
  case opened(ConnectionID, SessionID, Peer, name: String)
  /// A peer resumed a session.
  case resumed(ConnectionID, SessionID, Peer, name: String)
  /// A connection has ended; its session may be resumed.
  case detached(ConnectionID, SessionID?)
  /// A peer ended its session.
  case left(ConnectionID, SessionID)
  /// A peer violated the protocol, and its connection is being closed.
  case failed(ConnectionID, Peer, PeerError)
  /// An action of the hub itself was rolled back because it would have made the state too large.
  case stateTooLarge(limit: Int)
  /// An action was rejected.
  case rejected(ConnectionID, SessionID, Peer, Rejected)
}
