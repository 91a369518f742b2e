import TurnLog
import Wire

/// The record of a connection at rest: everything that the next process needs to continue it after a crash.
///
/// A connection is at rest if its client was sent everything, nothing that it has sent is unhandled or cut, and the log
/// has stored the outcome of each of its actions. The shell keeps the record where it survives the process, and marks it
/// as invalid *before* it reads from the socket or writes to it again. Whatever the moment of the crash, a valid record is
/// therefore true; a connection without one is closed, and its client resumes its session.
struct RestingConnection: Equatable, Sendable {
  /// The form of the bytes; a process that does not know it closes the connection.
  static let form: UInt64 = 1

  /// The schema for which the client was told to read what the hub sends.
  var schema: SchemaFingerprint
  /// The history to which the client's revisions belong.
  var history: UInt64
  /// The revision of the hub's own state.
  var hubRevision: UInt64
  var connection: HandedConnection
}

extension RestingConnection: WireValue {
  func encode(to encoder: inout CBOREncoder) {
    encoder.arrayHeader(count: 5)
    encoder.unsigned(Self.form)
    schema.encode(to: &encoder)
    encoder.unsigned(history)
    encoder.unsigned(hubRevision)
    connection.encode(to: &encoder)
  }

  init(from decoder: inout CBORDecoder) throws(WireError) {
    let start = decoder.offset
    try decoder.tuple(5)
    guard try decoder.unsigned() == Self.form else {
      throw WireError(.outOfRange(type: "form of a connection at rest"), at: start)
    }
    schema = try SchemaFingerprint(from: &decoder)
    history = try decoder.unsigned()
    hubRevision = try decoder.unsigned()
    connection = try HandedConnection(from: &decoder)
  }
}

extension HubCore {
  /// Whether connections can survive a crash of the process: only if the log has stored everything that a client was
  /// sent.
  public var keepsConnectionsAtRest: Bool { isHolding && turns?.hasFailed == false }

  /// The record of a connection, between two turns.
  ///
  /// - Parameters:
  ///   - id: The connection, whose socket has taken everything.
  ///   - token: The shell's number for it.
  /// - Returns: The record; nil if the connection is not at rest.
  /// - Complexity: O(scopes of the connection).
  public borrowing func resting(_ id: ConnectionID, token: UInt64) -> [UInt8]? {
    guard keepsConnectionsAtRest, !isShuttingDown, slots.indices.contains(id.index),
      slots[id.index].generation == id.generation, case .live(let connection) = slots[id.index].phase,
      isAtRest(connection)
    else { return nil }
    let session = handed(connection)
    // A scope without a version is in the middle of a snapshot.
    guard session.scopes.count == connection.scopes.count, session.scopes.allSatisfy({ $0.version != nil }) else {
      return nil
    }
    let record = RestingConnection(
      schema: schemaFingerprint, history: historyID,
      hubRevision: max(attendance.revision, figures.revision),
      connection: HandedConnection(
        token: token, user: connection.peer.user, phase: .live(session), unread: [], unsent: []))
    return record.encoded()
  }

  private borrowing func isAtRest(_ connection: LiveConnection) -> Bool {
    let session = connection.session
    return connection.isOpen && !connection.hasInputEnded
      // Nothing on its way from the client,
      && connection.backlog == nil && !connection.decoder.isInsideFrame
      // nothing on its way to the client,
      && !connection.isBusy && connection.queuedBytes == 0 && !connection.isPending && !connection.isCoalescing
      && !connection.hasReplies && !connection.hasHeldWelcome && !connection.isRecorded
      // and the client knows the outcome of everything, which is in the log.
      && connection.sentProcessed == session.processed && session.settled == session.processed
      && connection.sentRejections == session.rejections.count
  }
}

extension HandOver {
  /// The connections at rest of a process that has crashed, for the hub that has recovered from its log.
  ///
  /// Records that do not fit the hub are left out: another feature, another history, or one that knows more than the log.
  ///
  /// - Parameters:
  ///   - records: The valid records that the process has left.
  ///   - engine: The hub's engine, in the state in which the hub begins.
  ///   - history: The log's history.
  ///   - random: The source of the gap to the revisions of the hub's own state that clients may have seen.
  /// - Returns: The record for `takeOver`; nil if no connection can be continued.
  public init?<S, A>(
    resting records: [[UInt8]], engine: FeatureEngine<S, A>, history: HubHistory,
    random: inout some RandomNumberGenerator
  ) {
    self.init(resting: records, engine: engine as any Engine, history: history, random: &random)
  }

  package init?(
    resting records: [[UInt8]], engine: any Engine, history: HubHistory, random: inout some RandomNumberGenerator
  ) {
    let schema = engine.schema.fingerprint
    let fitting = records.compactMap { try? RestingConnection(decoding: $0.span.bytes) }.filter {
      $0.schema == schema && $0.history == history.id && $0.knowsNothingBeyond(engine.revision)
    }
    guard history.isLogged, let newest = fitting.map(\.hubRevision).max() else { return nil }
    // The hub's own state has changed since the records were written, by an unknown number of revisions.
    let (hubRevision, overflow) = newest.addingReportingOverflow((random.next() % (1 << 20) + 1) << 20)
    guard !overflow, hubRevision < .max else { return nil }
    self.init(
      schema: schema, history: history.id, position: history.position, revision: engine.revision,
      hubRevision: hubRevision, state: nil, sessions: [], connections: fitting.map(\.connection))
    isAfterCrash = true
  }
}

extension RestingConnection {
  /// Whether the client was sent no later revision of the state than this.
  fileprivate func knowsNothingBeyond(_ revision: UInt64) -> Bool {
    guard case .live(let session) = connection.phase else { return false }
    return session.scopes.allSatisfy { $0.root != .feature || $0.sentRevision <= revision }
  }
}
