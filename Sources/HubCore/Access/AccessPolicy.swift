/// Who may use a hub, and for what.
///
/// Rights add up: a connection has those of its user, of each of its groups, and of everyone. A user to whom nothing of
/// this applies is refused before any byte is read. The kernel states the user and the groups, as they were when the
/// process connected.
public struct AccessPolicy: Equatable, Sendable {
  /// The grants of users, by their ids.
  public var users: [UInt32: AccessGrant]
  /// The grants of groups, by their ids.
  public var groups: [UInt32: AccessGrant]
  /// The grant of everyone who can reach the socket; nil if there is none.
  public var everyone: AccessGrant?

  /// Creates a policy.
  public init(
    users: [UInt32: AccessGrant] = [:], groups: [UInt32: AccessGrant] = [:], everyone: AccessGrant? = nil
  ) {
    (self.users, self.groups, self.everyone) = (users, groups, everyone)
  }

  /// Whoever can reach the socket may do everything: the permissions of the socket decide.
  public static let open = AccessPolicy(everyone: .everything)

  /// The policy of a hub that nothing was configured for: its owner and root may do everything, and the members of a
  /// group may read and act.
  public static func standard(owner: UInt32, group: UInt32?) -> AccessPolicy {
    AccessPolicy(
      users: Dictionary([0, owner].map { ($0, .everything) }, uniquingKeysWith: { first, _ in first }),
      groups: group.map { [$0: .readAndAct] } ?? [:])
  }

  /// Everything that is granted to a peer; nil if it is to be refused.
  /// - Complexity: O(groups of the peer + paths that are granted).
  public func grant(to peer: Peer) -> AccessGrant? {
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
