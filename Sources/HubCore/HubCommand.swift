import Senders
import TurnLog
import Wire

/// Identifies an open connection. The id of a closed connection is never reused.
package struct ConnectionID: Hashable, Sendable {
  package let slot: Int32
  let generation: UInt32

  /// The connection's index in a table: a small number, reused after the connection has ended.
  package var index: Int { Int(slot) }
}

/// The identity of a socket's peer, as the kernel states it (`SO_PEERCRED`, unix(7)), or as a gateway states it for
/// another one.
package struct Peer: Equatable, Sendable {
  /// The process at the time it connected.
  package let process: Int32
  /// The number of its effective user in this hub: the kernel's, or that of `UserNumbers`.
  package private(set) var user: UInt32
  /// Its effective user, as the kernel of its machine knows it.
  package let uid: UInt32
  /// Its effective group.
  package let group: UInt32
  /// Its supplementary groups (`SO_PEERGROUPS`).
  package let groups: [UInt32]
  /// The name of the user, as this machine knows it; empty if it is unknown.
  package private(set) var userName = ""
  /// The node of the cluster on whose machine it is, and whose hub speaks for it; empty for this machine.
  package let node: String
  /// The user of the gateway that speaks for `user`; nil for a peer on this machine.
  package let gateway: UInt32?
  /// The numbers of its machine's users and groups in this hub, if they are not the kernel's.
  private var range: ClosedRange<UInt32>?
  /// False for a user who has no number in this hub.
  private(set) var isNumbered = true

  /// Creates a peer.
  package init(process: Int32, user: UInt32, group: UInt32, groups: [UInt32] = [], userName: String = "") {
    (self.process, self.user, uid, self.group, self.groups, gateway) = (process, user, user, group, groups, nil)
    node = ""
    name(userName)
  }

  /// Creates the peer that has a session of another hub. Only the kernel of its machine knows its process and its groups.
  init(of session: ForwardedSession, userName: String) {
    (process, user, uid, group, groups) = (0, session.user, session.user, session.group, [])
    (gateway, node) = (nil, session.node)
    name(userName)
  }

  /// Gives a peer on this machine the number of its user in this hub.
  mutating func number(by numbers: UserNumbers) {
    let number = numbers.number(of: uid)
    (range, user, isNumbered) = (numbers.own, number ?? .max, number != nil)
  }

  /// Notes the name of the user; a longer one than `SystemUser.nameLimit` is left out.
  mutating func name(_ name: String) { userName = name.utf8.count <= SystemUser.nameLimit ? name : "" }

  /// Creates the peer for whom a gateway speaks. It is in no group.
  init(_ user: UInt32, behind gateway: Peer) {
    (process, self.user, uid, group, groups) = (gateway.process, user, user, .max, [])
    (self.gateway, node) = (gateway.uid, gateway.node)
  }

  /// The number of its effective group in this hub; `.max` for none.
  var groupNumber: UInt32 { UserNumbers.number(of: group, in: range) ?? .max }

  /// The user, with all groups of the process, the effective one first; a remote user has none.
  var systemUser: SystemUser {
    let all = gateway == nil ? [group] + groups.filter { $0 != group } : []
    return SystemUser(id: user, name: userName, groups: all.compactMap { UserNumbers.number(of: $0, in: range) })
  }
}

/// A command that the shell must execute for the core, in order.
///
/// A command consists of a few numbers; the data it refers to stays in the core until `clear()`.
package enum HubCommand: Equatable, Sendable {
  /// Write the ranges of `HubCore.output` that are listed in this run of `HubCore.ranges`; connections share some of
  /// them.
  ///
  /// The shell writes what the socket accepts and copies the rest. If it had to copy, it calls `noteBusy`, and `drained`
  /// when everything has been written. In between, the core requests at most a final write before `close`.
  case write(ConnectionID, ranges: Range<Int>)
  /// Read from the connection again, after `received` has requested a stop.
  case resumeReading(ConnectionID)
  /// Close after all pending writes; then call `ended`.
  case close(ConnectionID)
  /// Close immediately; then call `ended`.
  case abort(ConnectionID)
  /// Pass `HubCore.turnsToStore` to the hub's log.
  case store
  /// Pass `HubCore.snapshot()` to the hub's log.
  case saveSnapshot
  /// Return unused memory to the system.
  case releaseMemory
  /// Log the report with this index in `HubCore.reports`.
  case report(Int)
  /// Execute the effect command with this index in `HubCore.effectCommands`.
  case effect(Int)
  /// Ask the replicated log what the command with this index in `HubCore.forwarding` says, unless it was taken already
  /// (`HubCore.takeForwarding`).
  case forwarding(Int)
}
