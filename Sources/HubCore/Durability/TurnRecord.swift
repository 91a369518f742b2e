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
  mutating func note(_ origin: LoggedActions.Origin, count: Int, _ sequence: RawSpan) {
    LoggedActions.encode(origin, count: UInt64(count), sequence, to: &actions)
  }

  /// Records the actions of a batch, and that the session has changed.
  mutating func note(
    _ outcome: ActionBatch.Outcome, of payload: RawSpan, from offset: Int, by connection: LiveConnection
  ) {
    guard outcome.count > 0 else { return }
    let end = outcome.endOffset(in: payload)
    let origin = LoggedActions.Origin.session(connection.session.id, first: connection.session.processed + 1)
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
    let changed = connections.map {
      LoggedSession($0.session, process: $0.peer.process, inTurn: position)
    }
    var effects = effects
    if !restarted.isEmpty { effects.ended += restarted }
    return LoggedTurn(
      position: position, baseRevision: base, revision: revision, time: time, actions: actions.bytes, delta: delta,
      sessions: changed + ended, effects: effects)
  }
}

extension LoggedSession {
  /// The complete record of a session.
  init(_ session: Session, process: Int32) {
    self.init(
      id: session.id, user: session.user, process: process, name: session.name, processed: session.processed,
      rejections: session.rejections.all)
  }

  /// The record of a session for a turn, without the rejections that the log has.
  init(_ session: Session, process: Int32, inTurn turn: UInt64) {
    self.init(
      id: session.id, user: session.user, process: process, name: session.name, processed: session.processed)
    if !session.rejections.isEmpty { (rejections, firstKept) = session.rejections.unlogged(inTurn: turn) }
  }
}
