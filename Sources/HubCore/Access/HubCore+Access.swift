internal import SchemaNames
import Wire

extension HubCore {
  /// Returns the rights of a peer, or nil if it is refused.
  func rights(of peer: Peer) -> AccessRights? {
    guard peer.isNumbered else { return nil }
    return policy.grant(to: peer).map { AccessRights($0, schema: schemas[StateRoot.feature.index]) }
  }

  /// Replaces the policy for new and open connections.
  ///
  /// A connection that the new policy refuses, or that has attached a part that it may no longer read, is closed with
  /// `notPermitted`; its session is kept. Waiting actions are checked against the new policy.
  /// - Complexity: O(connections × their scopes).
  package mutating func setPolicy(_ policy: AccessPolicy, at now: Duration) {
    self.policy = policy
    for index in connections.indices {
      let id = connections.id(at: index)
      switch connections[index] {
      case .free, .closing: break
      case .greeting(let greeting):
        guard let rights = rights(of: greeting.peer) else { refuse(id, greeting.peer, at: now); continue }
        greeting.rights = rights
      case .live(let connection):
        if connection.isRemote { continue }
        guard let rights = rights(of: connection.peer) else { refuse(id, connection.peer, at: now); continue }
        connection.rights = rights
        for scope in connection.scopes {
          let (path, root) = publishers[scope.publisher].place(of: scope.subscriber)
          guard !rights.permitsAttaching(path, of: root) else { continue }
          fail(id, notPermitted(connection.peer, toAttach: path, of: root), at: now)
          break
        }
      }
    }
  }

  /// Closes a connection that the policy refuses.
  mutating func refuse(_ id: ConnectionID, _ peer: Peer, at now: Duration) {
    let reason =
      peer.isNumbered
      ? "user \(peer.uid) may not use this hub; its operator can grant it in the hub's configuration"
      : "user \(peer.uid) is beyond the numbers of this machine's users; the hub's operator can extend them in 'uid-bases'"
    fail(id, PeerError(.notPermitted, reason), at: now)
  }

  /// Gives a connection to the user for whom its gateway speaks: the rights, the session, the quotas and the charges are
  /// that user's from now on.
  mutating func represent(_ user: UInt32, on id: ConnectionID, _ greeting: Greeting, at now: Duration) {
    let gateway = greeting.peer
    guard gateway.gateway == nil else {
      return fail(id, PeerError(.unexpectedMessage, "the user of this connection was named already"), at: now)
    }
    guard policy.maySpeak(gateway.uid, for: user) else {
      let reason = """
        user \(gateway.uid) may not speak for user \(user); the hub's operator can permit it with a section [gateway] in \
        the hub's configuration
        """
      return fail(id, PeerError(.notPermitted, reason), at: now)
    }
    leave(greeting.account, heldBytes: greeting.chargedBytes)
    let peer = Peer(user, behind: gateway)
    let account = accounts.open(user, at: now)
    account.connectionCount += 1
    greeting.represent(peer, account: account, rights: rights(of: peer))
    _ = admit(id, greeting, at: now)
  }

  /// The error for a scope that may not be attached. It names the place by the schema, and does not reveal whether the
  /// state has a value there.
  func notPermitted(_ peer: Peer, toAttach path: [PathStep], of root: StateRoot) -> PeerError {
    let place =
      switch root {
      case .hub: "the list of clients"
      case .metrics: "the metrics"
      case .views: "view:\((try? schemas[root.index].name(of: Array(path.prefix(1)))) ?? "")"
      default: path.isEmpty ? "the whole state" : (try? featureSchema.name(of: path)) ?? "this part of the state"
      }
    return PeerError(
      .notPermitted, "user \(peer.uid) may not read \(place); the hub's operator can grant it")
  }
}
