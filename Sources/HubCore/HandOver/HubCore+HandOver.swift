import TurnLog
import Wire

// One process hands its connections to the next process of the same hub, and no client notices. The shell stops
// reading, lets the log store all turns, brings all clients up to date, and asks for the record. Input that was read
// but not handled is passed on as bytes. A frame of actions that was partly handled is handled again from its start;
// the sequence numbers of the actions that took effect are skipped.

extension HubCore {
  /// Returns the record for the next process. Call it after the last turn has ended and its commands were executed.
  ///
  /// - Parameter describe: Returns the shell's token for a connection and the bytes that its socket has not accepted,
  ///   or nil for a connection that has gone.
  /// - Returns: The record, or nil while turns wait for the log or after the log has failed.
  /// - Complexity: O(connections), and O(state) for a hub without a log.
  package borrowing func handOver(_ describe: (ConnectionID) -> (token: UInt64, unsent: [UInt8])?) -> HandOver? {
    guard unstoredTurnCount == 0, turns?.hasFailed != true, !isShuttingDown else { return nil }
    let described = connections.indices.compactMap { index in
      handed(connections[index], connections.id(at: index), describe)
    }
    let isLogged = turns != nil
    return HandOver(
      schema: schemaFingerprint, history: historyID, position: turns?.position, revision: engine.revision,
      hubRevision: max(attendance.revision, metricsSource.revision), state: isLogged ? nil : stateToHandOver(),
      sessions: isLogged ? [] : detached.all.map { LoggedSession(detached: $0) },
      connections: described, lastConnection: lastConnection, views: views.fingerprint)
  }

  private borrowing func stateToHandOver() -> HandOver.State {
    HandOver.State(schema: engine.schema, bytes: engine.encodedState())
  }

  private borrowing func handed(
    _ phase: ConnectionPhase, _ id: ConnectionID, _ describe: (ConnectionID) -> (token: UInt64, unsent: [UInt8])?
  ) -> HandedConnection? {
    if case .free = phase { return nil }
    guard let (token, unsent) = describe(id) else { return nil }
    switch phase {
    case .free: return nil
    case .greeting(let greeting):
      return HandedConnection(
        token: token, user: greeting.peer.user, phase: .greeting, unread: greeting.decoder.partialFrame, unsent: unsent)
    case .closing:
      return HandedConnection(token: token, user: 0, phase: .closing, unread: [], unsent: unsent)
    case .live(let connection):
      var refusals = FrameWriter()
      for scope in connection.replies.refused { scope.write(limits, to: &refusals) }
      return HandedConnection(
        token: token, user: connection.peer.user, phase: .live(handed(connection)),
        unread: (connection.backlog?.unhandledBytes ?? []) + connection.decoder.partialFrame,
        unsent: unsent + refusals.bytes)
    }
  }

  borrowing func handed(_ connection: LiveConnection) -> HandedSession {
    HandedSession(
      session: LoggedSession(of: connection),
      knowsHistory: connection.knowsHistory, sentProcessed: connection.sentProcessed,
      sentRejections: connection.sentRejections, pong: connection.replies.pong,
      detached: connection.replies.detached,
      requestedSchemas: connection.replies.schemas.map { StateRoot(rawValue: UInt64($0.root)) },
      scopes: connection.scopes.compactMap { publishers[$0.publisher].handed($0) },
      hasEffects: clientEffects.hasEffects(of: connection.session.id))
  }
}

// MARK: - Taking over

/// The reasons why the connections of the previous process cannot be taken over.
package enum HandOverRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The schema of this program's feature, or of its views, differs from the one that the clients were sent.
  case otherSchema
  /// The end of the log is not the one that the previous process left.
  case otherLog
  /// The state in the record cannot be decoded.
  case malformed(String)

  /// A description of the problem.
  package var description: String {
    switch self {
    case .otherSchema: "the feature or its views have another schema than before"
    case .otherLog: "the journal does not end where the previous process left it"
    case .malformed(let problem): problem
    }
  }
}

extension HandOver {
  /// Decodes the bytes that the previous process left.
  package init(reading bytes: [UInt8]) throws(HandOverRefusal) {
    do throws(WireError) {
      try self.init(decoding: bytes.span.bytes)
    } catch {
      throw .malformed("the record of the previous process cannot be read: \(error)")
    }
  }

  /// Restores an engine, for a hub without a log, to the state in the record.
  ///
  /// - Parameters:
  ///   - engine: The engine, at revision 0.
  ///   - id: An id for the history, for a hub that does not continue the previous one.
  /// - Returns: The starting point of the hub, whether or not its connections can be taken over too. Nil if the record
  ///   has no state because its hub has a log.
  package func restore<S, A>(_ engine: FeatureEngine<S, A>, id: UInt64) throws(HandOverRefusal) -> HubHistory? {
    try restore(engine: engine, id: id)
  }

  package func restore(engine: any Engine, id: UInt64) throws(HandOverRefusal) -> HubHistory? {
    guard let state else { return nil }
    var recovery = Recovery(engine: engine)
    do throws(RecoveryError) {
      try recovery.restore(snapshot: state.bytes.span.bytes, writtenFor: state.schema, at: revision, position: 0)
      if recovery.mustMigrate { try recovery.convertForeignState() }
    } catch {
      throw .malformed("\(error)")
    }
    // The conversion of a state that has a value which the feature lacks is postponed, and no turns follow here.
    guard engine.revision == revision else {
      throw .malformed("the state of the previous process has a value that this feature does not have")
    }
    // If the connections cannot be taken over, their clients resume these sessions.
    let connected = connections.compactMap { connection in
      if case .live(let live) = connection.phase { live.session } else { nil }
    }
    return HubHistory(
      id: id, isLogged: false, position: 0,
      stateBound: state.schema == engine.schema ? state.bytes.count : nil, sessions: sessions + connected,
      versions: [(revision, engine.currentVersion())])
  }

  /// Checks that the clients can continue with a hub.
  ///
  /// - Parameters:
  ///   - engine: The hub's engine, in the hub's initial state.
  ///   - history: The starting point of the hub, if it has a log.
  package func check<S, A>(against engine: FeatureEngine<S, A>, _ history: HubHistory?) throws(HandOverRefusal) {
    try check(engine: engine, history)
  }

  package func check(engine: any Engine, _ history: HubHistory?) throws(HandOverRefusal) {
    guard fits(engine) else { throw .otherSchema }
    let logged = history.flatMap { $0.isLogged ? $0.position : nil }
    guard engine.revision == revision, position == logged else { throw .otherLog }
  }

  /// True if the clients were told the schemas of an engine.
  private func fits(_ engine: any Engine) -> Bool {
    engine.schema.fingerprint == schema && engine.views.fingerprint == views
  }

  /// The last bytes for clients that cannot continue because they were told another schema: the rest of the earlier
  /// output, and a *goodbye* that names the first difference. None if the schema is the same.
  ///
  /// - Parameters:
  ///   - engine: The hub's engine.
  ///   - history: The starting point of the hub.
  /// - Returns: The bytes by the tokens of the connections.
  package func goodbyes<S, A>(_ engine: FeatureEngine<S, A>, _ history: HubHistory?) -> [UInt64: [UInt8]] {
    goodbyes(engine: engine, history)
  }

  package func goodbyes(engine: any Engine, _ history: HubHistory?) -> [UInt64: [UInt8]] {
    guard !fits(engine) else { return [:] }
    let goodbye = Self.goodbye(to: schema, from: engine, earlier: state?.schema ?? history?.earlierSchema)
    var bytes: [UInt64: [UInt8]] = [:]
    for connection in connections {
      if case .closing = connection.phase {
        bytes[connection.token] = connection.unsent
      } else {
        bytes[connection.token] = connection.unsent + goodbye
      }
    }
    return bytes
  }

  /// The *goodbye* to clients that were told another schema, of the state or of the views.
  ///
  /// - Parameters:
  ///   - schema: The fingerprint of the state's that they were told.
  ///   - engine: The hub's engine.
  ///   - earlier: The schema with which the state was stored, if it was another.
  static func goodbye(to schema: SchemaFingerprint, from engine: any Engine, earlier: Schema?) -> [UInt8] {
    var writer = FrameWriter()
    writer.frame(Goodbye(.otherSchema, reasonOfGoodbye(to: schema, from: engine, earlier: earlier)))
    return writer.bytes
  }

  private static func reasonOfGoodbye(
    to schema: SchemaFingerprint, from engine: any Engine, earlier: Schema?
  ) -> String {
    guard engine.schema.fingerprint != schema else {
      return "this hub was upgraded, and its feature declares other views now; connect again"
    }
    let upgraded = "this hub was upgraded to another version of the feature"
    guard let earlier, earlier.fingerprint == schema else {
      return "\(upgraded); connect again"
    }
    return switch earlier.compatibility(with: engine.schema) {
    case .incompatible(let difference):
      "\(upgraded), which refuses clients with the earlier schema: \(difference); others connect again"
    case .same, .compatible, .compatibleByName: "\(upgraded), which clients with the earlier schema fit; connect again"
    }
  }
}

extension HubCore {
  /// Takes over a connection of the previous process, after `connected` and before its first `received`. The first
  /// turn ends the taking over. A connection that is not permitted or exceeds a limit is refused after the rest of its
  /// earlier output.
  ///
  /// - Parameters:
  ///   - handOver: The record.
  ///   - index: The index of the connection in the record.
  ///   - id: The connection's id in this process.
  ///   - now: A monotonic time.
  ///   - limit: The maximum number of frames and actions to handle, of those that were read already.
  /// - Returns: True if the shell should read from the connection; if false, it waits for the command `resumeReading`.
  package mutating func takeOver(
    _ handOver: HandOver, _ index: Int, on id: ConnectionID, at now: Duration, limit: Int = .max
  ) -> Bool {
    guard case .greeting(let greeting) = phase(of: id) else { return true }
    let handed = handOver.connections[index]
    if !handed.unsent.isEmpty { write(outgoing.writer.part { $0.append(handed.unsent.span.bytes) }, to: id) }
    switch handed.phase {
    case .closing:
      close(id, at: now)
      return false
    case .greeting:
      guard admit(id, greeting, at: now) != nil else { return false }
      // Its gateway had named another user, and will not do so again.
      guard handed.user == greeting.peer.user else {
        close(id, at: now)
        return false
      }
    case .live(let session):
      guard let rights = admit(id, greeting, at: now) else { return false }
      guard handed.user == greeting.peer.user, !handOver.isAfterCrash || isInLog(session.session) else {
        close(id, at: now)
        return false
      }
      continueSession(session, on: id, greeting, rights, at: now)
    }
    guard !handed.unread.isEmpty else { return true }
    return received(handed.unread.span.bytes, on: id, at: now, limit: limit).isComplete
  }

  /// Ends the taking over of connections. The sessions of those that were not taken over count as detached now.
  mutating func endTakeOver() {
    stage = .serving
    dropExcessSessions(after: 0)
  }

  /// Returns true if the log has the session in the state of the connection's record.
  private func isInLog(_ recorded: LoggedSession) -> Bool {
    guard let logged = detached.session(recorded.id, of: recorded.user) else { return false }
    return logged.processed == recorded.processed
  }

  private mutating func continueSession(
    _ handed: HandedSession, on id: ConnectionID, _ greeting: Greeting, _ rights: AccessRights, at now: Duration
  ) {
    // With a log, the session was restored from it.
    let logged = detached.remove(handed.session.id, of: greeting.peer.user)
    var session = Session(id: handed.session.id, user: greeting.peer.user, name: handed.session.name)
    session.processed = handed.session.processed
    session.rejections = PendingRejections(logged: handed.session.rejections)
    (session.settled, session.released, session.isRecovered) = (session.processed, session.processed, true)
    if let logged { forget(logged.retained) }
    let connection = LiveConnection(
      id: id, peer: greeting.peer, account: greeting.account, rights: rights, decoder: greeting.decoder,
      session: session, knowsHistory: handed.knowsHistory,
      attendee: attendance.add(greeting.peer, name: session.name, since: greeting.since),
      number: handed.session.connection == 0 ? nextConnection() : handed.session.connection,
      sentProcessed: handed.sentProcessed)
    connection.chargedBytes = greeting.chargedBytes
    connection.sentRejections = min(handed.sentRejections, session.rejections.count)
    connection.replies = PendingReplies(
      pong: handed.pong, detached: handed.detached,
      schemas: handed.requestedSchemas.map { SchemaRequest(root: $0.index) },
      released: handed.hasEffects ? session.released : 0)
    connections.open(connection)
    liveSessions[session.id] = connection
    noteSession(of: connection)
    announce(connection)
    for scope in handed.scopes {
      guard rights.permitsAttaching(scope.path, of: scope.root) else {
        return fail(id, notPermitted(connection.peer, toAttach: scope.path, of: scope.root), at: now)
      }
      do throws(PlaceError) { try continueScope(scope, of: connection) } catch {
        switch error {
        case .unknown(let error): return fail(connection.id, error, at: now)
        case .refused(let refusal): refuse(scope.number, refusal, of: connection, at: now)
        }
      }
    }
    outputs.wake(connection)
  }

  private mutating func continueScope(
    _ scope: HandedSession.Scope, of connection: LiveConnection
  ) throws(PlaceError) {
    guard scope.root.rawValue < UInt64(schemas.count) else { return }
    let known = scope.version == nil ? nil : scope.sentRevision
    let request = Attach(root: scope.root, path: scope.path, knownRevision: known)
    // The previous process had accepted it, perhaps with another limit for parameters, or another decoder of them.
    let place = try place(of: request, for: connection)
    // The versions of the hub's own state are not handed over; its subscribers get a snapshot.
    let retained = scope.version.flatMap { version in
      scope.root == .feature
        ? RetainedScope(
          publisher: place.publisher, path: scope.path, sentRevision: scope.sentRevision, version: version,
          hasValue: scope.hasValue) : nil
    }
    let subscriber = subscribe(request, at: place, scope: scope.number, connection, retained)
    if scope.isHashDue { publishers[place.publisher].verify(subscriber) }
  }
}
