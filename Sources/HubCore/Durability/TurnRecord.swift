import Senders
import TurnLog
import Wire

/// The record of the current turn for the log.
struct TurnRecord {
  private var actions = CBOREncoder()
  /// The connections whose sessions have changed, in the order of the changes.
  private(set) var connections: [LiveConnection] = []
  /// The sessions that have ended.
  private var ended: [LoggedSession] = []
  /// The effects of the previous process whose restart was sent.
  private var restarted: [UInt64] = []

  /// True if there is nothing to store besides changes of the state and of the effects.
  var isEmpty: Bool { actions.count == 0 && connections.isEmpty && ended.isEmpty && restarted.isEmpty }

  /// Records actions that took effect.
  ///
  /// - Parameter seed: The key of the random numbers that an action of the hub itself has drawn.
  mutating func note(
    _ origin: LoggedActions.Origin, count: Int, _ sequence: RawSpan, seed: [UInt8]? = nil
  ) {
    LoggedActions.encode(origin, count: UInt64(count), sequence, seed: seed, to: &actions)
  }

  /// Records the actions of a batch, and that the session has changed.
  mutating func note(
    _ outcome: ActionBatch.Outcome, of payload: RawSpan, from offset: Int, by connection: LiveConnection
  ) {
    guard outcome.count > 0 else { return }
    let end = outcome.endOffset(in: payload)
    let origin = LoggedActions.Origin.session(
      connection.session.id, first: connection.session.processed + 1, connection: connection.client.connection)
    note(origin, count: outcome.count, payload.extracting(offset..<end))
    noteSession(of: connection)
  }

  /// Records that a session has changed.
  mutating func noteSession(of connection: LiveConnection) {
    guard !connection.isRecorded else { return }
    connection.isRecorded = true
    connections.append(connection)
  }

  /// Records that a session has ended and cannot be resumed.
  mutating func noteEnd(of session: Session) {
    ended.append(
      LoggedSession(
        id: session.id, user: session.user, process: 0, name: session.name, processed: session.processed,
        hasEnded: true))
  }

  /// Records that the restart of an effect was sent.
  mutating func noteRestart(of effect: UInt64) { restarted.append(effect) }

  /// Returns the turn, and starts a new record.
  ///
  /// - Parameter effects: The effects that have begun or ended.
  mutating func take(
    at position: UInt64, from base: UInt64, to revision: UInt64, time: Int64, delta: [UInt8], effects: EffectChanges
  ) -> LoggedTurn {
    defer {
      actions = CBOREncoder()
      for connection in connections { connection.isRecorded = false }
      connections.removeAll(keepingCapacity: true)
      ended.removeAll()
      if !restarted.isEmpty { restarted.removeAll() }
    }
    let changed = connections.map { LoggedSession(of: $0, inTurn: position) }
    var effects = effects
    if !restarted.isEmpty { effects.ended += restarted }
    return LoggedTurn(
      position: position, baseRevision: base, revision: revision, time: time, actions: actions.bytes, delta: delta,
      sessions: changed + ended, effects: effects)
  }
}

extension LoggedSession {
  /// The complete record of a session without a connection.
  init(detached session: Session) {
    self.init(
      id: session.id, user: session.user, process: 0, name: session.name, processed: session.processed,
      rejections: session.rejections.all)
  }

  /// The complete record of a connection's session.
  init(of connection: LiveConnection) {
    let (session, client) = (connection.session, connection.client)
    self.init(
      id: session.id, user: session.user, process: client.process, name: session.name, processed: session.processed,
      rejections: session.rejections.all, connection: client.connection, userName: client.user.name,
      groups: client.user.groups)
  }

  /// The record of a connection's session for a turn, without the rejections that the log has.
  init(of connection: LiveConnection, inTurn turn: UInt64) {
    let (session, client) = (connection.session, connection.client)
    self.init(
      id: session.id, user: session.user, process: client.process, name: session.name, processed: session.processed,
      connection: client.connection, userName: client.user.name, groups: client.user.groups)
    if !session.rejections.isEmpty { (rejections, firstKept) = session.rejections.unlogged(inTurn: turn) }
  }
}
