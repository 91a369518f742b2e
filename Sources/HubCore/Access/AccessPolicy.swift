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
  /// The users whose processes may speak for others, by user id, each with the numbers of the users for whom it may
  /// speak. Such a user has the grants of its own number only, never those of the gateway, of a group or of everyone.
  /// Neither has the gateway: it has the grants of its own number only.
  public var gateways: [UInt32: ClosedRange<UInt32>]

  /// The numbers of users for whom a gateway may speak: those that no account of a machine has.
  public static let remoteUsers: ClosedRange<UInt32> = 2_147_483_648...4_294_967_293

  /// Creates a policy.
  public init(
    users: [UInt32: AccessGrant] = [:], groups: [UInt32: AccessGrant] = [:], everyone: AccessGrant? = nil,
    gateways: [UInt32: ClosedRange<UInt32>] = [:]
  ) {
    (self.users, self.groups, self.everyone, self.gateways) = (users, groups, everyone, gateways)
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
    if let gateway = peer.gateway { return maySpeak(gateway, for: peer.user) ? users[peer.user] : nil }
    // A gateway must be able to connect, also by the socket's group. That group's rights would be those of whoever takes
    // the gateway over.
    if gateways[peer.uid] != nil { return users[peer.uid] ?? AccessGrant() }
    var granted = everyone
    func add(_ grant: AccessGrant?) {
      guard let grant else { return }
      if granted?.add(grant) == nil { granted = grant }
    }
    add(users[peer.uid])
    add(groups[peer.group])
    for group in peer.groups where group != peer.group { add(groups[group]) }
    return granted
  }

  /// Returns true if a user's processes may speak for another user. A gateway never speaks for itself: after a hand-over,
  /// its connections could not be told from those of its clients.
  func maySpeak(_ gateway: UInt32, for user: UInt32) -> Bool {
    Self.remoteUsers.contains(user) && user != gateway && gateways[gateway]?.contains(user) == true
  }
}
