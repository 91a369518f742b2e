import Wire

extension HubCore {
  /// Bytes came in on a connection.
  ///
  /// Whole frames are handled at once; a cut one is kept until the rest comes. A peer that breaks the protocol is
  /// told so and closed, and nobody else notices.
  /// - Complexity: O(bytes) and what the reducer does.
  public mutating func received(_ bytes: RawSpan, on connection: ConnectionID, at now: Duration) {
    guard let slot = openSlot(connection), connections[slot].phase != .closing else { return }
    var decoder = connections[slot].takeDecoder()
    do {
      try decoder.feed(bytes) { header, payload in handle(header, payload, from: slot, at: now) }
    } catch {
      fail(slot, Self.peerError(for: error, kind: nil), at: now)
    }
    guard connections[slot].phase != .closing else { return }
    connections[slot].decoder = decoder
    guard connections[slot].phase == .live else { return }
    // The clock for a cut frame starts with it and is not restarted by every further byte.
    if !decoder.isInsideFrame {
      connections[slot].deadline = nil
    } else if connections[slot].deadline == nil {
      setDeadline(now + limits.frame, for: slot)
    }
  }

  private mutating func handle(_ header: FrameHeader, _ payload: RawSpan, from slot: Int, at now: Duration) {
    guard connections[slot].phase != .closing else { return }
    let kind = FrameKind(rawValue: header.kind)
    do {
      switch (connections[slot].phase, kind) {
      case (.live, .actions):
        try handleActions(payload, from: slot, at: now)
      case (.greeting, .hello):
        try greet(try Hello(decoding: payload), from: slot, at: now)
      case (.live, .attach):
        attach(try Attach(decoding: payload), scope: header.scope, from: slot, at: now)
      case (.live, .detach):
        detach(header.scope, from: slot)
      case (.live, .verify):
        verify(header.scope, from: slot)
      case (.live, .describe):
        connections[slot].owesSchema = true
        owe(slot)
      case (.live, .ping):
        connections[slot].owedPong = try Ping(decoding: payload).number
        owe(slot)
      case (.live, .leave):
        leave(slot)
      case (.greeting, _):
        fail(slot, PeerError(.unexpectedMessage, "a connection begins with a hello (kind 1)"), at: now)
      default:
        let reason = "kind \(header.kind) is not a message that a client sends at this point"
        fail(slot, PeerError(.unexpectedMessage, reason), at: now)
      }
    } catch {
      fail(slot, Self.peerError(for: error, kind: kind), at: now)
    }
  }

  static func peerError(for error: WireError, kind: FrameKind?) -> PeerError {
    if kind == nil, case .tooLong(let length, let limit) = error.problem {
      return PeerError(.frameTooLarge, "a payload of \(length) bytes; this hub takes at most \(limit)")
    }
    let message = kind.map { "\($0)" } ?? "frame"
    return PeerError(.malformed, "the \(message) is malformed at \(error)")
  }

  // MARK: Sessions

  private mutating func greet(_ hello: Hello, from slot: Int, at now: Duration) throws(WireError) {
    guard hello.oldestVersion <= ProtocolVersion.newest, hello.newestVersion >= ProtocolVersion.oldest else {
      let reason = """
        this hub speaks protocol versions \(ProtocolVersion.oldest) to \(ProtocolVersion.newest), the client \
        \(hello.oldestVersion) to \(hello.newestVersion); use a client and a hub of the same release
        """
      return fail(slot, PeerError(.unsupportedVersion, reason), at: now)
    }
    connections[slot].deadline = nil
    connections[slot].phase = .live
    let connection = id(of: slot)
    let peer = connections[slot].peer
    if let wanted = hello.session, let session = resume(wanted, at: now) {
      connections[slot].session = session
      connections[slot].isResumed = true
      _ = connections[slot].session.acknowledge(hello.acknowledged)
      // Outcomes that the client may have missed are told again: refusals, and then what was processed.
      connections[slot].toldProcessed = hello.acknowledged
      commands.append(.report(.resumed(connection, session.id, peer, name: hello.name)))
    } else {
      connections[slot].session.id = SessionID.random(using: &random)
      let session = connections[slot].session.id
      commands.append(.report(.opened(connection, session, peer, name: hello.name)))
    }
    let session = connections[slot].session
    let welcome = Welcome(
      version: min(hello.newestVersion, ProtocolVersion.newest), session: session.id,
      isResumed: connections[slot].isResumed, processed: session.processed,
      payloadLimit: UInt64(limits.payloadBytes), hub: name, schema: schemaFingerprint)
    write(outgoing.writer.frame(welcome, revision: revision), to: slot)
    addAttendee(slot, name: hello.name)
    owe(slot)
  }

  /// Takes a session from where it is: among the detached ones, or from a connection that is not yet known to be
  /// dead, which is closed.
  private mutating func resume(_ id: SessionID, at now: Duration) -> Session? {
    // What a connection has that never got a session, or gave it away.
    guard id != Session().id else { return nil }
    if let session = detached.remove(id) { return session }
    for slot in connections.indices
    where [.live, .closing].contains(connections[slot].phase) && connections[slot].session.id == id {
      // With the session goes what the client has of the scopes.
      stopFollowing(slot, remembering: true)
      let session = connections[slot].session
      connections[slot].session = Session()
      // One that is closing has had its last word.
      guard connections[slot].phase == .live else { return session }
      fail(slot, PeerError(.sessionResumedElsewhere, "the session was resumed on another connection"), at: now)
      return session
    }
    return nil
  }

  private mutating func leave(_ slot: Int) {
    let connection = id(of: slot)
    commands.append(.report(.left(connection, connections[slot].session.id)))
    stopFollowing(slot, remembering: false)
    removeAttendee(slot)
    connections[slot].session = Session()
    connections[slot].phase = .closing
    commands.append(.close(connection))
  }
}
