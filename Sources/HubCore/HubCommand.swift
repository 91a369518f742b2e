public import Wire

/// Names a connection for as long as it is open; a closed one's name is never given again.
public struct ConnectionID: Hashable, Sendable {
  package let slot: Int
  let generation: UInt32
}

/// Who the kernel says is at the other end of a socket (`SO_PEERCRED`, unix(7)).
public struct Peer: Equatable, Sendable {
  /// The process at the time it connected.
  public let process: Int32
  /// Its effective user.
  public let user: UInt32
  /// Its effective group.
  public let group: UInt32

  /// Creates a peer.
  public init(process: Int32, user: UInt32, group: UInt32) {
    (self.process, self.user, self.group) = (process, user, group)
  }
}

/// What the shell must do for the core, in order.
public enum HubCommand: Equatable, Sendable {
  /// Write the ranges of `HubCore.output` that stand in this run of `HubCore.pieces`; connections share some of them.
  ///
  /// The shell writes what the socket takes and copies the rest; when all of it is out it calls `drained`, if it
  /// could not do so at once. Until then the core asks for no other write but a last one before `close`.
  case write(ConnectionID, pieces: Range<Int>)
  /// Let the writes go out, then close; call `ended` when that is done.
  case close(ConnectionID)
  /// Close at once; call `ended`.
  case abort(ConnectionID)
  /// Nothing to do but to log it.
  case report(HubReport)
}

/// What an operator may want to read of the hub's conversations.
public enum HubReport: Equatable, Sendable {
  /// A peer said hello and has a new session.
  case opened(ConnectionID, SessionID, Peer, name: String)
  /// A peer resumed a session.
  case resumed(ConnectionID, SessionID, Peer, name: String)
  /// A connection is gone; its session may be resumed.
  case detached(ConnectionID, SessionID?)
  /// A peer ended its session.
  case left(ConnectionID, SessionID)
  /// A peer broke the protocol and is being closed.
  case failed(ConnectionID, Peer, PeerError)
  /// An action was refused.
  case rejected(ConnectionID, SessionID, Rejected)
}
