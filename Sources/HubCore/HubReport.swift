package import Wire

/// An event that may interest the hub's operator.
package enum HubReport: Equatable, Sendable {
  /// A peer sent *hello* and got a new session.
  case opened(ConnectionID, SessionID, Peer, name: String)
  /// A peer resumed a session.
  case resumed(ConnectionID, SessionID, Peer, name: String)
  /// A connection has ended; its session may be resumed.
  case detached(ConnectionID, SessionID?)
  /// A peer ended its session.
  case left(ConnectionID, SessionID)
  /// A connection is being closed: its peer violated the protocol, reached a limit or a time limit, may not use the hub,
  /// or has resumed its session elsewhere.
  case failed(ConnectionID, Peer, PeerError)
  /// An action of the hub itself was rolled back because it would have made the state too large.
  case stateTooLarge(limit: Int)
  /// An action of the hub itself was not applied, or rolled back, because it or the state after it could not be read
  /// back from its bytes.
  case unreadable(reason: String)
  /// An action of the hub itself was rolled back because the feature's reducer has refused it.
  case refused(reason: String)
  /// Actions that took effect have made the state larger than its limit.
  case stateExceedsLimit(Int)
  /// A process of the hub has ended in code of the feature before this one.
  case interrupted(Interruption)
  /// An action of the hub itself, or an event, was skipped because of an interruption.
  case skipped(Interruption)
  /// An effect without a declared restart ends with the process. The text is its place in the feature's code and the
  /// name of the action that began it.
  case effectLost(String)
  /// The computation of a view has taken long, and at least twice as long as any before.
  case slowView(String, Duration)
  /// A scope was not attached, because of a limit or the parameter of its view.
  case scopeRefused(ConnectionID, Peer, PeerError)
  /// An action was rejected.
  case rejected(ConnectionID, SessionID, Peer, Rejected)
}
