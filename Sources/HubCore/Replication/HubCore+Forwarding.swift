import FeatureCore
package import TurnLog
import Wire

// Actions of clients that are connected to another hub than the one which reduces them.

// MARK: The hub of the client

extension HubCore {
  /// Passes the actions of a frame on to the leader, except those that were passed on before.
  ///
  /// - Parameters:
  ///   - payload: The whole frame, whose first action's number says where it begins.
  ///   - header: The frame's header.
  mutating func forward(
    _ payload: RawSpan, _ header: FrameHeader, from connection: LiveConnection, at now: Duration
  ) throws(WireError) {
    var decoder = CBORDecoder(payload)
    var number = try decoder.unsigned()
    _ = try decoder.unsigned()
    var actions: [[UInt8]] = []
    // Also those before one that is malformed.
    defer { pass(actions, of: connection) }
    while !decoder.isAtEnd {
      let start = decoder.offset
      try decoder.skipAction()
      if number > connection.forwarded {
        guard connection.rights.permittedCount(in: payload, from: start, limit: 1) == 1 else {
          // Before the session is closed.
          pass(actions, of: connection)
          actions = []
          return fail(connection.id, notPermitted(connection, toSend: payload, from: start..<decoder.offset), at: now)
        }
        actions.append(
          ForwardedAction.encoded(
            payload.extracting(start..<decoder.offset), seen: header.seenRevision, mayCancel: header.mayCancel))
        connection.forwarded = number
      }
      number += 1
    }
  }

  private mutating func pass(_ actions: [[UInt8]], of connection: LiveConnection) {
    guard !actions.isEmpty else { return }
    commandBuffer.append(.forward(actions, connection.forwardedSession))
  }

  /// The error for an action that its user may not send. A hub that leads rejects the action instead: only its turns
  /// have outcomes.
  private func notPermitted(
    _ connection: LiveConnection, toSend payload: RawSpan, from range: Range<Int>
  ) -> PeerError {
    let name = name(ofActionIn: payload.extracting(range)) ?? "this action"
    return PeerError(
      .notPermitted, "user \(connection.peer.uid) may not send \(name); the hub's operator can grant it")
  }

  /// Passes the following actions of a connection on.
  mutating func beginForwarding(of connection: LiveConnection) {
    connection.isForwarding = true
    connection.forwarded = connection.session.processed
    commandBuffer.append(.open(connection.forwardedSession, processed: connection.session.processed))
  }
}

extension HubCore {
  /// Forgets what the log keeps for a client of this hub that is gone.
  mutating func forgetForwarding(of connection: LiveConnection) {
    if case .alone = role { return }
    _ = takeFrames(of: connection)
    if !connection.isRemote { commandBuffer.append(.close(connection.forwardedSession)) }
  }
}

extension HubCore {
  /// Takes a session that only the replicated log has: it was last used on another hub, or before this one's start.
  func resumeStored(_ id: SessionID, _ hello: Hello, of user: UInt32) -> Session? {
    guard liveSessions[id] == nil, let record = storedSessions?[id], record.user == user,
      hello.acknowledged <= record.processed
    else { return nil }
    var session = Session(id: id, user: user, name: record.name)
    session.adopt(record)
    return session
  }
}

/// What a hub asks of its replicated log for its clients.
package enum ForwardingCommand: Equatable, Sendable {
  /// Call `ReplicatedLog.open`.
  case open(ForwardedSession, processed: UInt64)
  /// Call `ReplicatedLog.close`.
  case close(ForwardedSession)
  /// Call `ReplicatedLog.forward`.
  case forward([[UInt8]], ForwardedSession)
  /// Call `ReplicatedLog.cancel`.
  case cancel(action: UInt64, ForwardedSession)
  /// Call `ReplicatedLog.handOver`, and `transferRefused` if it throws. Nil stands for any node.
  case handOver(to: String?, for: ConnectionID)
}

// MARK: The hub that leads

extension HubCore {
  /// Performs actions of a session that another hub has passed on, or this one when it followed. They take the way of a
  /// connection without a socket: its user's rights, its limits and its place in the order of turns.
  ///
  /// - Parameters:
  ///   - session: The session.
  ///   - first: The number of the first action. If earlier ones are missing, nothing is performed.
  ///   - actions: The actions, encoded. If there are none, the feature only learns of the client.
  ///   - limit: The maximum number of actions to handle now.
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the list of clients, in milliseconds since 1970.
  package mutating func perform(
    _ session: ForwardedSession, first: UInt64, _ actions: [[UInt8]], limit: Int, at now: Duration,
    wallTime: Int64 = 0
  ) {
    guard isLeading, !isShuttingDown, let connection = connection(of: session, at: now, wallTime) else { return }
    trimRejections(of: connection)
    var work = postponesWork ? 0 : limit
    let forwarded = actions.compactMap { try? ForwardedAction($0) }
    // Bytes that no hub sends.
    guard forwarded.count == actions.count, !forwarded.isEmpty else { return }
    // What this hub's own client has sent since waits for these actions, which the hub has passed on as a follower.
    let later = connection.isRemote ? nil : connection.backlog?.removeFrames(after: first)
    defer { if let later { connection.backlog?.append(later) } }
    var start = 0
    while start < forwarded.count, connection.isOpen {
      let (seen, mayCancel) = (forwarded[start].seen, forwarded[start].mayCancel)
      let end = forwarded[start...].firstIndex { $0.seen != seen || $0.mayCancel != mayCancel } ?? forwarded.count
      var payload = CBOREncoder()
      payload.unsigned(first &+ UInt64(start))
      payload.unsigned(0)
      for action in forwarded[start..<end] { action.append(to: &payload) }
      var header = FrameHeader.actions(seen: seen, mayCancel: mayCancel)
      // A backlog finds the next frame by it.
      header.length = UInt32(payload.span.byteCount)
      handleOrPostpone(header, payload.span, from: connection, at: now, &work)
      start = end
    }
  }

  /// Cancels the effects of an action of a session of another hub, behind the actions that it has passed on before.
  package mutating func cancel(action: UInt64, of session: ForwardedSession, at now: Duration) {
    guard isLeading, !isShuttingDown, let connection = liveSessions[session.id], connection.isRemote,
      connection.session.user == session.user
    else { return }
    let payload = action.encoded()
    var header = FrameHeader(kind: .cancel)
    header.length = UInt32(payload.count)
    var work = postponesWork ? 0 : 1
    handleOrPostpone(header, payload.span.bytes, from: connection, at: now, &work)
  }

  /// The client of a session of another hub is gone.
  package mutating func remoteEnded(_ session: ForwardedSession) {
    guard let connection = liveSessions[session.id], connection.isRemote else { return }
    ended(connection.id)
  }

  /// The connection of a session: that of its client, or one without a socket. Nil if the session is another user's.
  private mutating func connection(
    of session: ForwardedSession, at now: Duration, _ wallTime: Int64
  ) -> LiveConnection? {
    if let live = liveSessions[session.id] { return live.session.user == session.user ? live : nil }
    let known = detached.remove(session.id, of: session.user)
    if known == nil, let stored = storedSessions?[session.id], stored.user != session.user { return nil }
    return openRemote(session, known ?? stored(session), at: now, wallTime)
  }

  /// A session as the log has it, or a new one.
  private func stored(_ forwarded: ForwardedSession) -> Session {
    let record = storedSessions?[forwarded.id]
    var session = Session(id: forwarded.id, user: forwarded.user, name: record?.name ?? "")
    session.adopt(record)
    return session
  }

  private mutating func openRemote(
    _ forwarded: ForwardedSession, _ session: Session, at now: Duration, _ wallTime: Int64
  ) -> LiveConnection {
    let peer = Peer(of: forwarded, userName: userNumbers.name(of: forwarded.user))
    var session = session
    // The client may have another name than before, as with a hello.
    if !forwarded.name.isEmpty { session.name = forwarded.name }
    let account = accounts.open(peer.user, at: now)
    account.connectionCount += 1
    account.remoteCount += 1
    // Its own hub has checked the rights, by the credentials that only the kernel of its machine knows.
    let rights = AccessRights(.readAndAct, schema: featureSchema)
    let greeting = Greeting(
      peer: peer, decoder: FrameDecoder(payloadLimit: limits.payloadBytes), deadline: .zero, since: wallTime,
      account: account, rights: rights)
    let connection = LiveConnection(
      id: connections.add(greeting), peer: peer, account: account, rights: rights, decoder: greeting.decoder,
      session: session, knowsHistory: false, attendee: attendance.add(peer, name: session.name, since: wallTime),
      number: nextConnection(), sentProcessed: session.processed, isRemote: true)
    // Nothing is ever written to it: its client's hub writes the outcomes, when it applies the turn.
    connection.isBusy = true
    connections.open(connection)
    liveSessions[session.id] = connection
    noteSession(of: connection)
    announce(connection)
    return connection
  }

  /// Removes the connection of a session of another hub without a trace: its session is in the log.
  mutating func removeRemote(_ connection: LiveConnection) {
    leave(connection.account, heldBytes: connection.chargedBytes)
    release(connection)
    liveSessions[connection.session.id] = nil
    connections.remove(connection.id)
  }

  /// Forgets the oldest rejections of a session of another hub, which does not say which ones its client has seen.
  private func trimRejections(of connection: LiveConnection) {
    let excess = connection.session.rejections.count - limits.rejections / 2
    guard connection.isRemote, excess > 0 else { return }
    connection.acknowledge(connection.session.rejections[excess - 1].sequence)
  }
}

extension LiveConnection {
  /// The session, for a replicated log.
  var forwardedSession: ForwardedSession {
    ForwardedSession(id: session.id, user: peer.user, group: peer.groupNumber, name: session.name)
  }
}

extension Session {
  /// Takes the numbers that the log has; a session that the log does not have has performed nothing.
  mutating func adopt(_ record: LoggedSession?) {
    processed = record?.processed ?? 0
    rejections = PendingRejections(logged: record?.rejections ?? [])
    (settled, released, isRecovered) = (0, processed, true)
  }
}
