/// Names a connection for as long as it is open; the id of a closed one is never used again.
public struct ConnectionID: Hashable, Sendable {
  package let slot: Int32
  let generation: UInt32

  /// The place of the connection in a table; small, and used again after the connection has ended.
  public var index: Int { Int(slot) }
}

/// The identity of a socket's peer, as the kernel states it (`SO_PEERCRED`, unix(7)).
public struct Peer: Equatable, Sendable {
  /// The process at the time it connected.
  public let process: Int32
  /// Its effective user.
  public let user: UInt32
  /// Its effective group.
  public let group: UInt32
  /// Its supplementary groups (`SO_PEERGROUPS`).
  public let groups: [UInt32]

  /// Creates a peer.
  public init(process: Int32, user: UInt32, group: UInt32, groups: [UInt32] = []) {
    (self.process, self.user, self.group, self.groups) = (process, user, group, groups)
  }
}

/// What the shell must do for the core, in order.
///
/// A command is a few numbers; what it refers to is in the core until `clear()`.
public enum HubCommand: Equatable, Sendable {
  /// Write the ranges of `HubCore.output` that are in this run of `HubCore.pieces`; connections share some of them.
  ///
  /// The shell writes what the socket accepts and copies the rest. If it had to copy, it calls `isBusy`, and
  /// `drained` when everything has been written. In between, the core requests only a last write before `close`.
  case write(ConnectionID, pieces: Range<Int>)
  /// Read from the connection again; `received` had asked to stop.
  case resumeReading(ConnectionID)
  /// Let the writes finish, then close; call `ended` when that is done.
  case close(ConnectionID)
  /// Close at once; call `ended`.
  case abort(ConnectionID)
  /// Hand `HubCore.turnsToStore` to the hub's log.
  case store
  /// Hand `HubCore.snapshot()` to the hub's log.
  case saveSnapshot
  /// Give memory that is not used any more back to the system.
  case releaseMemory
  /// Log the report with this index in `HubCore.reports`.
  case report(Int)
  /// Carry out the effect command with this index in `HubCore.effectCommands`.
  case effect(Int)
}
