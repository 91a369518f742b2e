import Wire

extension HubCore {
  /// Opens a session, or resumes one, and answers with a welcome or an error.
  mutating func openSession(
    _ hello: Hello, on id: ConnectionID, _ greeting: Greeting, at now: Duration
  ) throws(WireError) {
    guard hello.oldestVersion <= ProtocolVersion.newest, hello.newestVersion >= ProtocolVersion.oldest else {
      let reason = """
        this hub speaks protocol versions \(ProtocolVersion.oldest) to \(ProtocolVersion.newest), the client \
        \(hello.oldestVersion) to \(hello.newestVersion); use a client and a hub of the same release
        """
      return fail(id, PeerError(.unsupportedVersion, reason), at: now)
    }
    guard let rights = greeting.rights else { return refuse(id, greeting.peer, at: now) }
    guard !refusesSessions else {
      let reason = "this hub waits for its disk and opens no sessions now; try again later"
      return fail(id, PeerError(.overloaded, reason), at: now)
    }
    if let processed = hello.session.flatMap({ processed(in: $0, of: greeting.peer.user) }),
      hello.acknowledged > processed
    {
      let reason = "the hello acknowledges action \(hello.acknowledged), and \(processed) were processed"
      return fail(id, PeerError(.sequenceGap, reason), at: now)
    }
    let resumed = hello.session.flatMap {
      resume($0, hello, of: greeting.peer.user, at: now) ?? resumeStored($0, hello, of: greeting.peer.user)
    }
    var session =
      resumed
      ?? Session(
        id: SessionID.random(using: &random), user: greeting.peer.user, name: hello.name)
    // A session of this process knows this history; one from before a restart must name it.
    let knowsHistory = resumed.map { !$0.isRecovered || hello.history == historyID } ?? false
    (session.settled, session.name) = (0, hello.name)
    // From now on the client's revisions and acknowledgements are those of this process.
    if knowsHistory { session.isRecovered = false }
    let connection = LiveConnection(
      id: id, peer: greeting.peer, account: greeting.account, rights: rights,
      decoder: FrameDecoder(payloadLimit: limits.payloadBytes), session: session, knowsHistory: knowsHistory,
      attendee: attendance.add(greeting.peer, name: hello.name, since: greeting.since), number: nextConnection(),
      // Outcomes that the client may have missed are repeated: rejections, then the processed sequence number.
      sentProcessed: resumed == nil ? 0 : hello.acknowledged)
    connection.replies.released = session.released
    if staleSince != nil { connection.replies.standing = standing(at: now) }
    connection.chargedBytes = greeting.chargedBytes
    connections.open(connection)
    liveSessions[session.id] = connection
    clientEffects.connected(session.id)
    if resumed != nil {
      connection.acknowledge(hello.acknowledged)
      report(.resumed(id, session.id, greeting.peer, name: hello.name))
    } else {
      report(.opened(id, session.id, greeting.peer, name: hello.name))
    }
    let welcome = HeldWelcome(
      version: min(hello.newestVersion, ProtocolVersion.newest), isResumed: resumed != nil,
      processed: session.processed)
    if isHolding, !isFollowing {
      outputs.holdWelcome(welcome, of: connection)
    } else {
      write(welcome, to: connection)
    }
    if isFollowing {
      connection.session.settled = connection.session.processed
      beginForwarding(of: connection)
    }
    noteSession(of: connection)
    announce(connection)
    outputs.wake(connection)
  }

  /// The number of the next connection, which no other one in the hub's history has.
  ///
  /// Opening a session is part of a turn. So the turn's position tells the connections of this process from those of
  /// earlier ones, whose turns are stored: a turn that was lost has shown its connections to nobody.
  mutating func nextConnection() -> UInt64 {
    lastConnection = max(lastConnection + 1, turns == nil ? 0 : turnPosition << 16)
    return lastConnection
  }

  /// Writes the welcome that has waited for the log to store the session.
  mutating func writeHeldWelcome(to connection: LiveConnection) {
    if let welcome = outputs.releaseWelcome(of: connection) { write(welcome, to: connection) }
  }

  private mutating func write(_ held: HeldWelcome, to connection: LiveConnection) {
    let welcome = Welcome(
      version: held.version, session: connection.session.id, isResumed: held.isResumed, processed: held.processed,
      payloadLimit: UInt64(limits.payloadBytes), hub: name, schema: schemaFingerprint, history: historyID,
      mayReadHub: connection.rights.permitsAttaching([], of: .hub),
      stateDirectory: journalPlace.flatMap { $0.isReadable(by: connection.peer) ? $0.path : nil },
      cancelsEffects: true, windowElements: UInt64(max(limits.windowElements, 0)),
      rights: connection.rights.told, client: connection.client, views: views.fingerprint,
      region: leaderRegion ?? surroundings.regionalSettings)
    write(outgoing.writer.frame(welcome, revision: visibleRevision), to: connection.id)
  }

  /// The number of processed actions in a session of the user; nil for an unknown one, and for one that was detached
  /// before a restart, whose last outcomes may be lost.
  private func processed(in id: SessionID, of user: UInt32) -> UInt64? {
    if let live = liveSessions[id]?.session { return live.user == user ? live.processed : nil }
    return detached.session(id, of: user).flatMap { $0.isRecovered ? nil : $0.processed }
  }

  /// Takes a detached session, or the session of a connection that may be dead but has not ended; that connection is
  /// closed.
  ///
  /// Only the user that opened a session can resume it; for others it does not exist.
  private mutating func resume(
    _ id: SessionID, _ hello: Hello, of user: UInt32, at now: Duration
  ) -> Session? {
    if let session = detached.remove(id, of: user) {
      // The log has lost outcomes that the client knows, so the fate of its unacknowledged actions is unknown too.
      guard !session.isRecovered || hello.acknowledged <= session.processed else {
        noteEnd(of: session)
        forget(session.retained)
        return nil
      }
      return session
    }
    guard let old = liveSessions[id], old.session.user == user else { return nil }
    guard !old.isRemote else {
      ended(old.id)
      return detached.remove(id, of: user)
    }
    liveSessions[id] = nil
    forgetForwarding(of: old)
    retainScopes(of: old)
    fail(old.id, PeerError(.sessionResumedElsewhere, "the session was resumed on another connection"), at: now)
    return old.session
  }

  /// Ends a session at the client's request.
  mutating func leave(_ connection: LiveConnection, at now: Duration) {
    forgetForwarding(of: connection)
    report(.left(connection.id, connection.session.id))
    liveSessions[connection.session.id] = nil
    noteEnd(of: connection.session)
    removeScopes(of: connection)
    close(connection.id, at: now)
  }
}
