import Wire

extension HubCore {
  /// Begins to follow a scope.
  mutating func attach(_ wish: Attach, scope number: UInt16, from slot: Int, at now: Duration) {
    // A number that the client was not yet told is free is in use, so that there is an end to what it is owed.
    guard !connections[slot].scopes.contains(where: { $0.number == number }),
      !connections[slot].owedDetached.contains(number)
    else {
      let reason = "scope number \(number) is in use; detach it first, or take another one"
      return fail(slot, PeerError(.scopeInUse, reason), at: now)
    }
    guard connections[slot].scopes.count < limits.scopes else {
      let reason = "this hub lets a connection follow \(limits.scopes) scopes; detach one first"
      return fail(slot, PeerError(.tooManyScopes, reason), at: now)
    }
    do {
      switch wish.root {
      case .feature: _ = try schema.type(at: wish.path)
      case .hub: _ = try hubSchema.type(at: wish.path)
      default:
        let reason = "this hub has no state of the kind \(wish.root.rawValue)"
        return fail(slot, PeerError(.unknownScope, reason), at: now)
      }
    } catch {
      return fail(slot, PeerError(.unknownScope, "this hub's state has no such part: \(error)"), at: now)
    }
    let held = takeHeld(wish, of: slot)
    let follower = follow(wish, as: number, slot, held)
    if let held { forget([held]) }
    connections[slot].scopes.append(Connection.Scope(number: number, root: wish.root, follower: follower))
    owe(slot)
  }

  private mutating func follow(_ wish: Attach, as number: UInt16, _ slot: Int, _ held: HeldScope?) -> Int {
    let isResumed = connections[slot].isResumed
    return switch wish.root {
    case .hub:
      hubPublisher.follow(
        wish.path, as: number, slot: slot, known: wish.knownRevision, held: held, isResumed: isResumed,
        current: (hubRevision, hubState))
    default:
      publisher.follow(
        wish.path, as: number, slot: slot, known: wish.knownRevision, held: held, isResumed: isResumed,
        current: (revision, state))
    }
  }

  /// What the hub remembers that the client has of a scope.
  private mutating func takeHeld(_ wish: Attach, of slot: Int) -> HeldScope? {
    guard
      let index = connections[slot].session.held.firstIndex(where: { $0.root == wish.root && $0.path == wish.path })
    else { return nil }
    return connections[slot].session.held.remove(at: index)
  }

  /// Ends following a scope. One that is not followed may have ended meanwhile, so nothing is wrong with it.
  mutating func detach(_ number: UInt16, from slot: Int) {
    guard let index = connections[slot].scopes.firstIndex(where: { $0.number == number }) else { return }
    _ = unfollow(connections[slot].scopes.remove(at: index), remembering: false)
    connections[slot].owedDetached.append(number)
    owe(slot)
  }

  /// Notes that a client wants the hash of a scope.
  mutating func verify(_ number: UInt16, from slot: Int) {
    guard let scope = connections[slot].scopes.first(where: { $0.number == number }) else { return }
    switch scope.root {
    case .hub: hubPublisher.verify(scope.follower)
    default: publisher.verify(scope.follower)
    }
    owe(slot)
  }

  /// Ends all following of a connection; with `remembering`, its session keeps what the client has.
  mutating func stopFollowing(_ slot: Int, remembering: Bool) {
    guard !connections[slot].scopes.isEmpty || !connections[slot].session.held.isEmpty else { return }
    let keeps = remembering && connections[slot].session.id != Session().id
    // What an earlier connection had and this one did not ask for again is not wanted.
    if !connections[slot].scopes.isEmpty || !keeps {
      forget(connections[slot].session.held)
      connections[slot].session.held = []
    }
    for scope in connections[slot].scopes {
      if let held = unfollow(scope, remembering: keeps) { connections[slot].session.held.append(held) }
    }
    connections[slot].scopes = []
  }

  private mutating func unfollow(_ scope: Connection.Scope, remembering: Bool) -> HeldScope? {
    switch scope.root {
    case .hub: hubPublisher.unfollow(scope.follower, remembering: remembering)
    default: publisher.unfollow(scope.follower, remembering: remembering)
    }
  }

  /// Lets go of versions that were held for a client.
  mutating func forget(_ held: [HeldScope]) {
    for scope in held {
      switch scope.root {
      case .hub: hubPublisher.forget(scope)
      default: publisher.forget(scope)
      }
    }
  }
}
