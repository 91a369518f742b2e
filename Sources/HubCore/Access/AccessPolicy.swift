/// The users and groups that may use a hub, with their rights.
///
/// Rights add up: a connection has the rights of its user, of each of its groups, and of everyone. A user without any
/// rights is refused before any byte is read. The kernel supplies the user and the groups as they were when the process
/// connected.
public struct AccessPolicy: Equatable, Sendable {
  /// The grants of users, by user id.
  public var users: [UInt32: AccessGrant]
  /// The grants of groups, by group id.
  public var groups: [UInt32: AccessGrant]
  /// The grant of everyone who can reach the socket, if any.
  public var everyone: AccessGrant?

  /// Creates a policy.
  public init(
    users: [UInt32: AccessGrant] = [:], groups: [UInt32: AccessGrant] = [:], everyone: AccessGrant? = nil
  ) {
    (self.users, self.groups, self.everyone) = (users, groups, everyone)
  }

  /// Full rights for everyone who can reach the socket; only the permissions of the socket restrict access.
  public static let open = AccessPolicy(everyone: .everything)

  /// The default policy: the owner and root have full rights, and the members of a group may read and send actions.
  public static func standard(owner: UInt32, group: UInt32?) -> AccessPolicy {
    AccessPolicy(
      users: Dictionary([0, owner].map { ($0, .everything) }, uniquingKeysWith: { first, _ in first }),
      groups: group.map { [$0: .readAndAct] } ?? [:])
  }

  /// Returns all rights of a peer, or nil if the peer must be refused.
  /// - Complexity: O(groups of the peer + paths in their grants).
  package func grant(to peer: Peer) -> AccessGrant? {
    var granted = everyone
    func add(_ grant: AccessGrant?) {
      guard let grant else { return }
      if granted?.add(grant) == nil { granted = grant }
    }
    add(users[peer.user])
    add(groups[peer.group])
    for group in peer.groups where group != peer.group { add(groups[group]) }
    return granted
  }
}
