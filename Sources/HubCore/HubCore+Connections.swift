package import Wire

extension HubCore {
  /// Adds a connection.
  ///
  /// - Parameters:
  ///   - peer: The other side, according to the kernel.
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the list of clients, in milliseconds since 1970; 0 if it is unknown.
  ///   - isTakenOver: True for a connection of the previous process; `takeOver` decides whether it is permitted.
  ///   - userName: Returns the name of a user, which may take long. It is not called for a user that is refused.
  package mutating func connected(
    _ peer: Peer, at now: Duration, wallTime: Int64 = 0, isTakenOver: Bool = false,
    userName: ((UInt32) -> String)? = nil
  ) -> ConnectionID {
    counters.accepted += 1
    var peer = peer
    peer.number(by: userNumbers)
    let rights = rights(of: peer)
    if rights != nil, let userName { peer.name(userNumbers.name(userName(peer.uid), of: peer.uid)) }
    let account = accounts.open(peer.user, at: now)
    account.connectionCount += 1
    let greeting = Greeting(
      peer: peer, decoder: FrameDecoder(payloadLimit: limits.payloadBytes), deadline: now + limits.helloTimeout,
      since: wallTime, account: account, rights: rights)
    let id = connections.add(greeting)
    wake(by: greeting.deadline)
    if !isTakenOver { _ = admit(id, greeting, at: now) }
    return id
  }

  /// Returns the rights of a connection; nil if it was refused because it is not permitted or exceeds a limit.
  mutating func admit(_ id: ConnectionID, _ greeting: Greeting, at now: Duration) -> AccessRights? {
    guard let rights = greeting.rights else {
      refuse(id, greeting.peer, at: now)
      return nil
    }
    if let error = tooManyConnections(
      of: greeting.peer.uid, greeting.account.ownConnectionCount, in: ownConnectionCount)
    {
      fail(id, error, at: now)
      return nil
    }
    return rights
  }

  /// Returns the reason to refuse an accepted connection; nil if the shell may call `connected`. The shell asks this
  /// first, so that connections beyond a limit cost as little as possible.
  ///
  /// - Parameters:
  ///   - user: The user of the connection, according to the kernel.
  ///   - waiting: The number of accepted connections that await `connected`: of this user, and of all users.
  package mutating func refusal(ofConnectionOf user: UInt32, waiting: (ofUser: Int, ofAll: Int)) -> PeerError? {
    let own = userNumbers.number(of: user).flatMap { accounts[$0] }?.ownConnectionCount ?? 0
    let error = tooManyConnections(of: user, own + waiting.ofUser + 1, in: ownConnectionCount + waiting.ofAll + 1)
    if error != nil { counters.failed += 1 }
    return error
  }

  /// The number of open connections of this hub, which are limited: those of clients of other hubs are limited there.
  package var ownConnectionCount: Int { connections.openCount - connections.remoteCount }

  private func tooManyConnections(of user: UInt32, _ own: Int, in all: Int) -> PeerError? {
    let reserve = policy.users[user]?.isAdmin == true ? limits.connectionsForAdmins : 0
    if all - reserve > limits.connections {
      let reason = "this hub serves \(Self.connections(limits.connections)) at once and all are in use; try again later"
      return PeerError(.tooManyConnections, reason)
    }
    guard own - reserve > limits.connectionsPerUser else { return nil }
    let reason =
      "this hub serves \(Self.connections(limits.connectionsPerUser)) of one user, and all of yours are in use"
    return PeerError(.tooManyConnections, reason)
  }

  private static func connections(_ count: Int) -> String { "\(count) connection\(count == 1 ? "" : "s")" }

  /// Records that the socket has accepted all queued output.
  package mutating func drained(_ id: ConnectionID, at now: Duration) {
    guard case .live(let connection) = phase(of: id) else { return }
    connection.isBusy = false
    if connection.queuedBytes > 0 {
      connection.account.output.queuedBytes -= connection.queuedBytes
      connection.queuedBytes = 0
      charge(connection, at: now)
    }
    if connection.hasInputEnded { setDeadline(now + limits.frameTimeout, for: connection) }
    outputs.wake(connection)
  }

  /// Records that the peer has closed its direction of the stream. The hub still handles the received frames, and
  /// writes all pending output before it closes the connection.
  package mutating func inputEnded(_ id: ConnectionID, at now: Duration) {
    switch phase(of: id) {
    case .free, .closing: break
    case .greeting:
      report(.detached(id, nil))
      close(id, at: now)
    case .live(let connection):
      connection.hasInputEnded = true
      setDeadline(now + limits.frameTimeout, for: connection)
      outputs.wake(connection)
    }
  }

  /// Records that the connection has ended, for any reason. Its session may be resumed on another connection.
  package mutating func ended(_ id: ConnectionID) {
    switch phase(of: id) {
    case .free: return
    case .greeting(let greeting):
      leave(greeting.account, heldBytes: greeting.chargedBytes)
      report(.detached(id, nil))
    case .live(let connection):
      leave(connection.account, heldBytes: connection.chargedBytes)
      report(.detached(id, connection.session.id))
      detach(connection)
    case .closing:
      break
    }
    connections.remove(id)
  }

  /// Closes every connection whose time limit has passed, and lets go of the effects of clients that are gone.
  /// - Complexity: O(connections); call it only when `deadline` has passed.
  package mutating func expire(at now: Duration) {
    deadline = nil
    for index in connections.indices {
      let id = connections.id(at: index)
      switch connections[index] {
      case .free: break
      case .greeting(let greeting):
        guard isOver(greeting.deadline, at: now) else { continue }
        fail(id, PeerError(.timedOut, "no hello came within \(limits.helloTimeout)"), at: now)
      case .live(let connection):
        guard let deadline = connection.deadline, isOver(deadline, at: now) else { continue }
        connection.deadline = nil
        if connection.hasInputEnded, waitsForHub(connection) {
          // Not the peer's fault: the hub has not finished handling the peer's input, or writing its output.
          setDeadline(now + limits.frameTimeout, for: connection)
        } else if connection.hasInputEnded {
          close(id, at: now)
        } else {
          fail(id, PeerError(.timedOut, "the rest of a frame did not come within \(limits.frameTimeout)"), at: now)
        }
      case .closing(let deadline):
        if isOver(deadline, at: now) { commandBuffer.append(.abort(id)) }
      }
    }
    expireHolds(at: now)
  }

  /// Returns true if a connection waits for the hub, and not the hub for its peer.
  private func waitsForHub(_ connection: LiveConnection) -> Bool {
    if connection.backlog != nil || hasUnsettledOutcomes(connection) { return true }
    return switch connection.standing {
    case .welcomeHeld: true
    case .pending, .paused, .unfinished, .awaitingHash: !connection.isBusy
    case .idle, .coalescing, .closed: false
    }
  }

  private mutating func isOver(_ time: Duration, at now: Duration) -> Bool {
    if time > now { wake(by: time) }
    return time <= now
  }

  /// Sends *goodbye* to every client after all pending output and, in sync mode, after the log has stored all turns.
  package mutating func shutDown(reason: String, at now: Duration, wallTime: @autoclosure () -> Int64 = 0) {
    performAllPostponed()
    reportLostEffects()
    endTurn(at: now, wallTime: wallTime(), flushing: true)
    stage = .stopping(goodbye: reason)
    if unstoredTurnCount == 0 { sayGoodbye(reason: reason, at: now, wallTime()) }
  }

  mutating func sayGoodbye(reason: String, at now: Duration, _ wallTime: @autoclosure () -> Int64) {
    stage = .stopping(goodbye: nil)
    // Actions that the log will never store are not acknowledged.
    if turns?.hasFailed != true { endTurn(at: now, wallTime: wallTime(), flushing: true) }
    let goodbye = outgoing.writer.frame(Goodbye(.shuttingDown, reason))
    for index in connections.indices {
      switch connections[index] {
      case .free, .closing: break
      case .greeting, .live:
        close(connections.id(at: index), saying: goodbye, at: now)
      }
    }
  }

  // MARK: Phases

  /// The phase of a connection; free once it has ended.
  @inline(__always)
  func phase(of id: ConnectionID) -> ConnectionPhase { connections[id] }

  /// Returns the peer of an open connection.
  package func peer(of id: ConnectionID) -> Peer? {
    switch phase(of: id) {
    case .greeting(let greeting): greeting.peer
    case .live(let connection): connection.peer
    case .free, .closing: nil
    }
  }

  /// Sends an error to the peer and closes the connection.
  mutating func fail(_ id: ConnectionID, _ error: PeerError, at now: Duration) {
    let peer: Peer
    switch phase(of: id) {
    case .free, .closing: return
    case .greeting(let greeting): peer = greeting.peer
    case .live(let connection): peer = connection.peer
    }
    report(.failed(id, peer, error))
    close(id, saying: outgoing.writer.frame(error), at: now)
  }

  /// Releases a connection's resources, writes its last frame, and closes it.
  mutating func close(_ id: ConnectionID, saying lastFrame: Range<Int>? = nil, at now: Duration) {
    switch phase(of: id) {
    case .greeting(let greeting): leave(greeting.account, heldBytes: greeting.chargedBytes)
    case .live(let connection):
      leave(connection.account, heldBytes: connection.chargedBytes)
      detach(connection)
      // There is no socket to close.
      if connection.isRemote { return connections.remove(id) }
    case .free, .closing: return
    }
    connections.close(id, by: now + limits.closeTimeout)
    if let lastFrame { write(lastFrame, to: id) }
    // A peer that opens connections faster than they close is sent no last frames.
    guard closingCount <= limits.closingConnections || isShuttingDown else { return commandBuffer.append(.abort(id)) }
    commandBuffer.append(.close(id))
    wake(by: now + limits.closeTimeout)
  }

  /// Detaches the session of a live connection, so that it may be resumed, unless the session has ended.
  private mutating func detach(_ connection: LiveConnection) {
    release(connection)
    // When the hub stops, the feature gets no event per client; `.started` tells it that none is attached.
    if !isShuttingDown { notify(.detached(connection.client)) }
    guard liveSessions.removeValue(forKey: connection.session.id) != nil else { return }
    forgetForwarding(of: connection)
    retainScopes(of: connection)
    // Also a session that has processed nothing: its client may have sent actions that were lost, and may repeat them.
    detached.insert(connection.session)
    clientEffects.disconnected(connection.session.id)
    dropExcessSessions(after: connection.session.user)
  }

  /// Ends detached sessions beyond the limit.
  mutating func dropExcessSessions(after user: UInt32) {
    guard !isTakingOver else { return }
    while let dropped = detached.removeExcess(over: limits.detachedSessions, after: user) {
      noteEnd(of: dropped)
      forget(dropped.retained)
    }
  }

  /// Removes a connection from all lists and from the attendees.
  mutating func release(_ connection: LiveConnection) {
    outputs.close(connection)
    surroundings.forget(connection)
    attendance.remove(connection.attendee)
    connection.account.output.queuedBytes -= connection.queuedBytes
    if connection.isRemote { connection.account.remoteCount -= 1 }
    if connection.backlog != nil { backlogged.remove(connection) }
    connection.backlog = nil
  }

  // MARK: Helpers

  /// Tells the feature that a client is attached.
  mutating func announce(_ connection: LiveConnection) {
    notify(.attached(connection.client))
  }

  /// Writes one frame out of order: a welcome, or a last frame.
  mutating func write(_ frame: Range<Int>, to id: ConnectionID) {
    outgoing.begin()
    outgoing.add(frame)
    commandBuffer.append(.write(id, ranges: outgoing.run))
  }

  mutating func setDeadline(_ time: Duration, for connection: LiveConnection) {
    connection.deadline = time
    wake(by: time)
  }

  /// Sets `deadline` to a time unless it is earlier already.
  mutating func wake(by time: Duration) {
    deadline = deadline.map { min($0, time) } ?? time
  }
}
