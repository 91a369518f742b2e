import Wire

extension HubCore {
  /// Attaches a scope.
  mutating func attach(_ request: Attach, scope number: UInt16, from connection: LiveConnection, at now: Duration) {
    // A number whose *detached* frame was not sent yet is in use; this bounds the pending replies.
    guard !connection.isInUse(number) else {
      let reason = "scope number \(number) is in use; detach it first, or use another one"
      return fail(connection.id, PeerError(.scopeInUse, reason), at: now)
    }
    guard connection.scopes.count < limits.scopes else {
      return refuse(number, .limit(.scopes), of: connection, at: now)
    }
    guard request.root.rawValue < UInt64(schemas.count) else {
      return fail(connection.id, Self.noState(request.root), at: now)
    }
    // Before the reply can reveal anything about the place.
    guard connection.rights.permitsAttaching(request.path, of: request.root) else {
      let error = notPermitted(connection.peer, toAttach: request.path, of: request.root)
      return fail(connection.id, error, at: now)
    }
    let place: PublishedPlace
    do throws(PlaceError) {
      try checkPath(of: request)
      if let limit = limitExceeded(by: request, of: connection) { throw .refused(.limit(limit)) }
      place = try self.place(of: request, for: connection)
    } catch {
      switch error {
      case .unknown(let error): return fail(connection.id, error, at: now)
      case .refused(let refusal): return refuse(number, refusal, of: connection, at: now)
      }
    }
    let retained = takeRetained(place, of: connection)
    subscribe(request, at: place, scope: number, connection, connection.knowsHistory ? retained : nil)
    if let retained { forget([retained]) }
    outputs.wake(connection)
  }

  /// Refuses a path that the schema does not have.
  private func checkPath(of request: Attach) throws(PlaceError) {
    if request.root == .views { _ = try stepCount(toViewAt: request.path) }
    do throws(SchemaPathError) { _ = try schemas[request.root.index].rooted(at: request.path) } catch {
      throw .unknown(PeerError(.unknownScope, "this hub's state has no such part: \(error)"))
    }
  }

  /// Subscribes a connection to a place, and returns the number of the subscriber.
  @discardableResult
  mutating func subscribe(
    _ request: Attach, at place: PublishedPlace, scope number: UInt16, _ connection: LiveConnection,
    _ retained: RetainedScope?
  ) -> Int {
    let isFirst = !publishers[place.publisher].hasSubscribers
    let request = Attach(root: request.root, path: place.path, knownRevision: request.knownRevision)
    let subscriber = publishers[place.publisher].subscribe(
      request, as: number, connection: connection, retained: retained)
    let scope = LiveConnection.Scope(
      number: number, publisher: place.publisher, subscriber: subscriber, windowElements: place.path.windowElements)
    add(scope, to: connection)
    if isFirst { beginUpdating(request.root) }
    return subscriber
  }

  /// Brings the metrics or the list of clients up to date, which they are not while they have no subscribers.
  mutating func beginUpdating(_ root: StateRoot) {
    if root == .metrics { publishMetrics() }
    if root == .hub { attendance.nextUpdate = .zero }
  }

  /// Adds a scope to a connection's.
  mutating func add(_ scope: LiveConnection.Scope, to connection: LiveConnection) {
    connection.scopes.append(scope)
    subscriptionCount += 1
    charge(scope, to: connection.account, 1)
    noteDescription(of: connection)
  }

  /// Adds the charge for a scope to its user's, or with a sign of -1 removes it.
  private func charge(_ scope: LiveConnection.Scope, to account: UserAccount, _ sign: Int) {
    account.windowElements += sign * scope.windowCharge
    if scope.isInView { account.viewCount += sign }
  }

  /// Takes the record of the client's state of a scope from before the session was resumed.
  private mutating func takeRetained(_ place: PublishedPlace, of connection: LiveConnection) -> RetainedScope? {
    let retained = connection.session.retained
    let index = retained.firstIndex { $0.publisher == place.publisher && $0.path == place.path }
    return index.map { connection.session.retained.remove(at: $0) }
  }

  /// Detaches a scope. A scope that is not attached is ignored, since the hub may have detached it already.
  mutating func detach(_ number: UInt16, from connection: LiveConnection) {
    guard let index = connection.scopes.firstIndex(where: { $0.number == number }) else { return }
    let scope = connection.scopes.remove(at: index)
    subscriptionCount -= 1
    charge(scope, to: connection.account, -1)
    _ = unsubscribe(scope, retaining: false)
    noteDescription(of: connection)
    connection.replies.detached.append(number)
    outputs.wake(connection)
  }

  /// Records that a client has requested the hash of a scope.
  mutating func verify(_ number: UInt16, from connection: LiveConnection) {
    guard let scope = connection.scopes.first(where: { $0.number == number }) else { return }
    publishers[scope.publisher].verify(scope.subscriber)
    outputs.wake(connection)
  }

  /// Detaches all scopes of a connection. Its session retains the client's state of them.
  mutating func retainScopes(of connection: LiveConnection) {
    guard !connection.scopes.isEmpty else { return }
    // The client did not attach these scopes again on this connection, so it no longer needs them.
    forget(connection.session.retained)
    connection.session.retained = []
    for scope in connection.scopes {
      if let retained = unsubscribe(scope, retaining: true) { connection.session.retained.append(retained) }
    }
    forgetScopes(of: connection)
  }

  /// Detaches all scopes of a connection whose session ends.
  mutating func removeScopes(of connection: LiveConnection) {
    for scope in connection.scopes { _ = unsubscribe(scope, retaining: false) }
    forgetScopes(of: connection)
    forget(connection.session.retained)
    connection.session.retained = []
  }

  private mutating func unsubscribe(_ scope: LiveConnection.Scope, retaining: Bool) -> RetainedScope? {
    guard scope.isInView else {
      return publishers[scope.publisher].unsubscribe(scope.subscriber, retaining: retaining)
    }
    defer { endViewIfUnused(scope.publisher) }
    // A value may be as large as the state, and detached sessions are many.
    let mayRetain = views.mayRetain(scope.publisher, limit: limits.viewsPerUser)
    let retained = publishers[scope.publisher].unsubscribe(scope.subscriber, retaining: retaining && mayRetain)
    if retained != nil { views.noteRetained(scope.publisher) }
    if !publishers[scope.publisher].hasSubscribers { views.noteIdle(scope.publisher) }
    return retained
  }

  private mutating func forgetScopes(of connection: LiveConnection) {
    subscriptionCount -= connection.scopes.count
    for scope in connection.scopes { charge(scope, to: connection.account, -1) }
    connection.scopes = []
  }

  /// Releases versions that are held for a client.
  mutating func forget(_ retained: [RetainedScope]) {
    for scope in retained {
      publishers[scope.publisher].forget(scope)
      guard scope.publisher >= Publishers.firstView else { continue }
      views.noteReleased(scope.publisher, version: scope.version)
      endViewIfUnused(scope.publisher)
    }
  }
}
