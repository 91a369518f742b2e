import TurnLog
import Wire

// One process hands its connections to the next, which runs the same hub: no client notices. The shell stops reading,
// lets the log store what waits, brings everyone up to date, and asks for the record. What was read and not handled
// travels as bytes: a frame of actions that was begun is handled again from its start, and the sequence numbers skip
// what took effect.

extension HubCore {
  /// What the next process needs, after the last turn has ended and its commands were carried out.
  ///
  /// - Parameter describe: The shell's token for a connection, and the bytes that its socket has not taken; nil for a
  ///   connection that has gone.
  /// - Returns: The record; nil while turns wait for the log, or when the log has failed.
  /// - Complexity: O(connections), and O(state) for a hub without a log.
  public borrowing func handOver(_ describe: (ConnectionID) -> (token: UInt64, unsent: [UInt8])?) -> HandOver? {
    guard unstoredTurnCount == 0, turns?.hasFailed != true, !isShuttingDown else { return nil }
    var connections: [HandedConnection] = []
    for index in slots.indices {
      let id = ConnectionID(slot: Int32(index), generation: slots[index].generation)
      if let connection = handed(slots[index].phase, id, describe) { connections.append(connection) }
    }
    let isLogged = turns != nil
    return HandOver(
      schema: schemaFingerprint, history: historyID, position: turns?.position, revision: engine.revision,
      hubRevision: attendance.revision, state: isLogged ? nil : stateToHandOver(),
      sessions: isLogged ? [] : detached.all.map { LoggedSession($0, process: 0, hasEnded: false) },
      connections: connections)
  }

  private borrowing func stateToHandOver() -> HandOver.State {
    let pieces = engine.currentVersion().pieces()
    var bytes: [UInt8] = []
    while let piece = pieces.next(limit: 1 << 20) { bytes += piece }
    return HandOver.State(schema: engine.schema, bytes: bytes)
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
      return HandedConnection(
        token: token, user: connection.peer.user, phase: .live(handed(connection)),
        unread: (connection.backlog?.unhandledBytes ?? []) + connection.decoder.partialFrame, unsent: unsent)
    }
  }

  private borrowing func handed(_ connection: LiveConnection) -> HandedSession {
    HandedSession(
      session: LoggedSession(connection.session, process: connection.peer.process, hasEnded: false),
      knowsHistory: connection.knowsHistory, sentProcessed: connection.sentProcessed,
      sentRejections: connection.sentRejections, pong: connection.pong, detached: connection.detached,
      requestedSchemas: connection.requestedSchemas.map { StateRoot(rawValue: UInt64($0)) },
      scopes: connection.scopes.compactMap { publishers[$0.publisher].handed($0) })
  }
}

// MARK: - Taking over

/// Why the connections of the process before cannot be taken over.
public enum HandOverRefusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// This program's feature has another schema than the one before, which the clients were told.
  case otherSchema
  /// The log does not end where the process before has left it.
  case otherLog
  /// The state that was handed over cannot be read.
  case malformed(String)

  /// What does not fit.
  public var description: String {
    switch self {
    case .otherSchema: "the feature has another schema than before"
    case .otherLog: "the journal does not end where the process before has left it"
    case .malformed(let problem): problem
    }
  }
}

extension HandOver {
  /// Reads the bytes that the process before has left.
  public init(reading bytes: [UInt8]) throws(HandOverRefusal) {
    do throws(WireError) {
      try self.init(decoding: bytes.span.bytes)
    } catch {
      throw .malformed("what the process before has left cannot be read: \(error)")
    }
  }

  /// Brings the engine of a hub without a log to the state that was handed over.
  ///
  /// - Parameters:
  ///   - engine: The engine, at revision 0.
  ///   - id: A name for the history, for a hub that does not continue the one before.
  /// - Returns: What the hub goes on from, whether or not its connections can go on too; nil if there is no state, as from
  ///   a hub with a log.
  public func restore<S, A>(_ engine: FeatureEngine<S, A>, id: UInt64) throws(HandOverRefusal) -> HubHistory? {
    try restore(engine: engine, id: id)
  }

  package func restore(engine: any Engine, id: UInt64) throws(HandOverRefusal) -> HubHistory? {
    guard let state else { return nil }
    var recovery = Recovery(engine: engine)
    do throws(RecoveryError) {
      try recovery.restore(snapshot: state.bytes.span.bytes, writtenFor: state.schema, at: revision, position: 0)
    } catch {
      throw .malformed("\(error)")
    }
    return HubHistory(
      id: id, isLogged: false, position: 0, sessions: sessions,
      versions: [(revision, engine.currentVersion())])
  }

  /// Checks that clients may go on with a hub.
  ///
  /// - Parameters:
  ///   - engine: The hub's engine, in the state in which the hub begins.
  ///   - history: What the hub goes on from, if it has a log.
  public func check<S, A>(against engine: FeatureEngine<S, A>, _ history: HubHistory?) throws(HandOverRefusal) {
    try check(engine: engine, history)
  }

  package func check(engine: any Engine, _ history: HubHistory?) throws(HandOverRefusal) {
    guard engine.schema.fingerprint == schema else { throw .otherSchema }
    let logged = history.flatMap { $0.isLogged ? $0.position : nil }
    guard engine.revision == revision, position == logged else { throw .otherLog }
  }
}

extension HubCore {
  /// Goes on with a connection of the process before, after `connected` and before its first `received`.
  ///
  /// - Parameters:
  ///   - handOver: The record.
  ///   - index: Which of its connections.
  ///   - id: The connection's id here.
  ///   - now: A monotonic time.
  ///   - limit: How many frames and actions to handle at most, of those that were read already.
  /// - Returns: Whether the shell should read from it; if not, it waits for the command `resumeReading`.
  public mutating func takeOver(
    _ handOver: HandOver, _ index: Int, on id: ConnectionID, at now: Duration, limit: Int = .max
  ) -> Bool {
    guard case .greeting(let greeting) = phase(of: id) else { return true }
    let handed = handOver.connections[index]
    if !handed.unsent.isEmpty { write(outgoing.writer.part { $0.append(handed.unsent.span.bytes) }, to: id) }
    switch handed.phase {
    case .closing:
      close(id, at: now)
      return false
    case .greeting: break
    case .live(let session):
      guard handed.user == greeting.peer.user else {
        close(id, at: now)
        return false
      }
      goOn(with: session, on: id, greeting, at: now)
    }
    guard !handed.unread.isEmpty else { return true }
    return received(handed.unread.span.bytes, on: id, at: now, limit: limit).isComplete
  }

  private mutating func goOn(with handed: HandedSession, on id: ConnectionID, _ greeting: Greeting, at now: Duration) {
    // The configuration may have changed in between.
    guard let rights = greeting.rights else { return refuse(id, greeting.peer, at: now) }
    // With a log, the session has come back with it.
    let logged = detached.remove(handed.session.id, of: greeting.peer.user)
    var session = Session(id: handed.session.id, user: greeting.peer.user, name: handed.session.name)
    (session.processed, session.rejections) = (handed.session.processed, handed.session.rejections)
    (session.settled, session.isRecovered) = (session.processed, true)
    if let logged { forget(logged.retained) }
    let connection = LiveConnection(
      id: id, peer: greeting.peer, account: greeting.account, rights: rights, decoder: greeting.decoder,
      session: session, knowsHistory: handed.knowsHistory, attendee: attendance.add(greeting.peer, name: session.name),
      sentProcessed: handed.sentProcessed)
    connection.chargedBytes = greeting.chargedBytes
    (connection.sentRejections, connection.pong) = (min(handed.sentRejections, session.rejections.count), handed.pong)
    connection.detached = handed.detached
    connection.requestedSchemas = handed.requestedSchemas.map(\.index)
    connection.hasReplies = connection.pong != nil || !(handed.detached.isEmpty && handed.requestedSchemas.isEmpty)
    slots[id.index].phase = .live(connection)
    liveSessions[session.id] = connection
    noteSession(of: connection)
    notify(.attached(HubClient(name: session.name, user: greeting.peer.user)))
    for scope in handed.scopes {
      guard rights.permitsAttaching(scope.path, of: scope.root) else {
        return fail(id, Self.notPermitted(toAttachOf: connection.peer), at: now)
      }
      goOn(with: scope, of: connection)
    }
    addPending(connection)
  }

  private mutating func goOn(with scope: HandedSession.Scope, of connection: LiveConnection) {
    guard scope.root.rawValue < UInt64(publishers.count) else { return }
    let publisher = scope.root.index
    // The versions of the hub's own state are not handed over: its clients get it anew.
    let retained = scope.version.flatMap { version in
      scope.root == .feature
        ? RetainedScope(
          publisher: publisher, path: scope.path, sentRevision: scope.sentRevision, version: version,
          hasValue: scope.hasValue) : nil
    }
    let known = scope.version == nil ? nil : scope.sentRevision
    let request = Attach(root: scope.root, path: scope.path, knownRevision: known)
    let subscriber = publishers[publisher].subscribe(
      request, as: scope.number, connection: connection, retained: retained)
    if scope.isHashDue { publishers[publisher].verify(subscriber) }
    subscriptionCount += 1
    connection.scopes.append(
      LiveConnection.Scope(number: scope.number, publisher: publisher, subscriber: subscriber))
  }
}
