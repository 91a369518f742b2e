import TurnLog
import Wire

/// The record of a connection at rest, with all data that the next process needs to continue it after a crash.
///
/// A connection is at rest under three conditions:
/// - All output was sent to the client.
/// - No input of the client is unhandled or incomplete.
/// - The log has stored the outcome of each of the client's actions.
///
/// The shell keeps the record in memory that survives the process, and invalidates it *before* it reads from the socket
/// or writes to it again. A valid record is therefore correct at whatever moment the process crashes. The next process
/// closes the connections without a record, and their clients resume their sessions.
struct RestingConnection: Equatable, Sendable {
  /// The version of the encoding. A process that does not support it closes the connection.
  static let form: UInt64 = 1

  /// The schema that the client uses to decode the hub's output.
  var schema: SchemaFingerprint
  /// The history to which the client's revisions belong.
  var history: UInt64
  /// The revision of the hub's own state.
  var hubRevision: UInt64
  var connection: HandedConnection
  /// The schema of the views that the client was told of; nil if the hub declared none, or was of a version without them.
  var views: SchemaFingerprint?
}

extension RestingConnection: WireValue {
  /// Writes `[form, schema, history, hub's revision, connection, ? schema of the views]`.
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: views == nil ? 5 : 6)
    encoder.unsigned(Self.form)
    schema.encode(to: &encoder)
    encoder.unsigned(history)
    encoder.unsigned(hubRevision)
    connection.encode(to: &encoder)
    views?.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    let count = try decoder.arrayHeader()
    guard 5...6 ~= count else {
      throw WireError(.typeMismatch(expected: "an array of 5 or 6 items"), at: start)
    }
    guard try decoder.unsigned() == Self.form else {
      throw WireError(.outOfRange(type: "form of a connection at rest"), at: start)
    }
    schema = try SchemaFingerprint(from: &decoder)
    history = try decoder.unsigned()
    hubRevision = try decoder.unsigned()
    connection = try HandedConnection(from: &decoder)
    if count == 6 { views = try SchemaFingerprint(from: &decoder) }
  }
}

extension HubCore {
  /// True if connections can survive a crash of the process. The log must store each turn before its output is sent.
  package var keepsConnectionsAtRest: Bool { isHolding && turns?.hasFailed == false && storedSessions == nil }

  /// Returns the record of a connection. Call it between turns.
  ///
  /// - Parameters:
  ///   - id: A connection whose socket has accepted all output.
  ///   - token: The shell's number for the connection.
  /// - Returns: The record; nil if the connection is not at rest.
  /// - Complexity: O(scopes of the connection).
  package borrowing func resting(_ id: ConnectionID, token: UInt64) -> [UInt8]? {
    guard keepsConnectionsAtRest, !isShuttingDown, case .live(let connection) = connections[id], isAtRest(connection)
    else { return nil }
    let session = handed(connection)
    guard session.scopes.count == connection.scopes.count,
      zip(session.scopes, connection.scopes).allSatisfy({ isAtRest($0, $1) })
    else { return nil }
    let record = RestingConnection(
      schema: schemaFingerprint, history: historyID,
      hubRevision: max(attendance.revision, metricsSource.revision),
      connection: HandedConnection(
        token: token, user: connection.peer.user, phase: .live(session), unread: [], unsent: []),
      views: views.fingerprint)
    return record.encoded()
  }

  /// A scope without a version is in the middle of a snapshot, but for a view, which the next process sends anew.
  private borrowing func isAtRest(_ handed: HandedSession.Scope, _ scope: LiveConnection.Scope) -> Bool {
    handed.version != nil || handed.root == .views && !publishers[scope.publisher].isUnfinished(scope.subscriber)
  }

  private borrowing func isAtRest(_ connection: LiveConnection) -> Bool {
    let session = connection.session
    return !connection.hasInputEnded
      // No input is pending,
      && connection.backlog == nil && !connection.decoder.isInsideFrame
      // no output is pending,
      && connection.standing == .idle && connection.replies.isEmpty && !connection.isBusy && connection.queuedBytes == 0
      && !connection.isRecorded
      // and the client knows the outcome of each action, which the log has stored.
      && connection.sentProcessed == session.processed && session.settled == session.processed
      && connection.sentRejections == session.rejections.count
  }
}

extension HandOver {
  /// Creates a hand-over from the connections at rest of a crashed process, for a hub that has recovered from its log.
  ///
  /// A record is skipped if it belongs to another schema, of the state or of the views, or to another history, or if its
  /// client knows a later revision than the log. A hub of a version without views has left records without their schema:
  /// its clients go on at a hub that declares none.
  ///
  /// - Parameters:
  ///   - records: The valid records of the crashed process.
  ///   - engine: The hub's engine, in the initial state of the hub.
  ///   - history: The log's history.
  ///   - random: The source of the gap after the revisions of the hub's own state that clients may know.
  /// - Returns: The hand-over for `takeOver`; nil if no connection can be continued.
  package init?<S, A>(
    resting records: [[UInt8]], engine: FeatureEngine<S, A>, history: HubHistory,
    random: inout some RandomNumberGenerator
  ) {
    self.init(resting: records, engine: engine as any Engine, history: history, random: &random)
  }

  package init?(
    resting records: [[UInt8]], engine: any Engine, history: HubHistory, random: inout some RandomNumberGenerator
  ) {
    let (schema, views) = (engine.schema.fingerprint, engine.views.fingerprint)
    let fitting = records.compactMap { try? RestingConnection(decoding: $0.span.bytes) }.filter {
      $0.schema == schema && $0.views == views && $0.history == history.id && $0.knowsNothingBeyond(engine.revision)
    }
    guard history.isLogged, let newest = fitting.map(\.hubRevision).max() else { return nil }
    // The hub's own state may have changed after the records were written, by an unknown number of revisions.
    let (hubRevision, overflow) = newest.addingReportingOverflow((random.next() % (1 << 20) + 1) << 20)
    guard !overflow, hubRevision < .max else { return nil }
    self.init(
      schema: schema, history: history.id, position: history.position, revision: engine.revision,
      hubRevision: hubRevision, state: nil, sessions: [], connections: fitting.map(\.connection), views: views)
    isAfterCrash = true
  }
}

extension HandOver {
  /// The last bytes for clients at rest of a crashed process that were told another schema: a *goodbye* that names the
  /// first difference. A client with a valid record is between two frames.
  ///
  /// - Parameters:
  ///   - records: The valid records of the crashed process.
  ///   - engine: The hub's engine.
  ///   - history: The log's history; nil for a hub without a log.
  /// - Returns: The bytes by the tokens of the connections; none for connections that were told the engine's schema.
  package static func goodbyes<S, A>(
    resting records: [[UInt8]], _ engine: FeatureEngine<S, A>, _ history: HubHistory?
  ) -> [UInt64: [UInt8]] {
    goodbyes(resting: records, engine: engine, history)
  }

  package static func goodbyes(
    resting records: [[UInt8]], engine: any Engine, _ history: HubHistory?
  ) -> [UInt64: [UInt8]] {
    let (schema, views) = (engine.schema.fingerprint, engine.views.fingerprint)
    var bytes: [UInt64: [UInt8]] = [:]
    for record in records {
      guard let resting = try? RestingConnection(decoding: record.span.bytes),
        resting.schema != schema || resting.views != views
      else { continue }
      bytes[resting.connection.token] = goodbye(to: resting.schema, from: engine, earlier: history?.earlierSchema)
    }
    return bytes
  }
}

extension RestingConnection {
  /// Returns true if the client knows no later revision of the feature's state, nor of its views, which have the same.
  fileprivate func knowsNothingBeyond(_ revision: UInt64) -> Bool {
    guard case .live(let session) = connection.phase else { return false }
    return session.scopes.allSatisfy { $0.root == .hub || $0.sentRevision <= revision }
  }
}
