package import TurnLog
import Wire

// The hub and its log. At the end of each turn its changes become a `LoggedTurn` for the log. In sync mode the
// acknowledgements, deltas and effects of a turn are released when the log has stored it. Meanwhile the loop continues
// with further turns, and the log stores all waiting turns in one commit.

extension HubCore {
  /// True if the hub does no work that could change the state, until the log has stored some turns, or until another hub
  /// leads (`beginHandOver`). Clients' frames and the hub's own actions wait in order.
  package var isLogBehind: Bool {
    guard let turns else { return false }
    return turns.byteCount > limits.unstoredBytes || turns.count > limits.unstoredTurns || turns.isHandingOver
  }

  /// True if the log has too many turns to store for a new session.
  var refusesSessions: Bool { isLogBehind && turns?.isHandingOver == false }

  /// The number of turns that wait to be stored.
  package var unstoredTurnCount: Int { turns?.count ?? 0 }

  /// The position of the last turn that the log has stored; nil for a hub without a log.
  package var storedTurn: UInt64? { turns?.storedPosition }

  /// The revision that clients may see: the last stored one, or the engine's.
  var visibleRevision: UInt64 {
    guard let turns, turns.isHolding else { return engine.revision }
    return turns.stored.revision
  }

  /// Records that the log has stored the turns up to a position. Their outputs are released at the end of this turn.
  ///
  /// - Parameters:
  ///   - position: The position of the last stored turn.
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the log, in milliseconds since 1970; evaluated only if the hub now ends its last turn.
  package mutating func stored(
    upTo position: UInt64, at now: Duration, wallTime: @autoclosure () -> Int64 = 0
  ) {
    guard let turns else { return }
    turns.release(upTo: position) { outcomes, commands in
      for (connection, processed) in outcomes where connection.isOpen {
        connection.session.settled = processed
        writeHeldWelcome(to: connection)
        outputs.wake(connection)
      }
      appendEffectCommands(commands)
    }
    if turns.storedByteCount >= limits.snapshotInterval, !turns.isSavingSnapshot {
      turns.isSavingSnapshot = true
      turns.storedByteCount = 0
      commandBuffer.append(.saveSnapshot)
    }
    if turns.count == 0, case .stopping(let reason?) = stage { sayGoodbye(reason: reason, at: now, wallTime()) }
  }

  /// Closes every connection after the log has failed. Turns that were not stored are never acknowledged.
  package mutating func logFailed(reason: String, at now: Duration) {
    turns?.abandon()
    // Nothing is recorded any more.
    sayGoodbye(reason: reason, at: now, 0)
  }

  /// True if output waits for the log.
  var isHolding: Bool { turns?.isHolding ?? false }

  /// Adopts the sessions and versions of the history.
  mutating func adopt(_ history: HubHistory) {
    if history.isContinued { stage = .takingOver }
    for (revision, version) in history.versions {
      publishers[StateRoot.feature.index].restore(version, at: revision)
    }
    guard !history.isReplicated else {
      // Another hub may lead. The log says who does.
      return role = .follower(FollowingHub(sessions: StoredSessions(history.sessions)))
    }
    for logged in history.sessions {
      var session = Session(id: logged.id, user: logged.user, name: logged.name)
      (session.processed, session.rejections) = (logged.processed, PendingRejections(logged: logged.rejections))
      session.isRecovered = true
      // Their effects have ended with the process.
      session.released = logged.processed
      detached.insert(session)
      dropExcessSessions(after: session.user)
    }
  }

  /// Passes the turn's changes to the log.
  mutating func recordTurn(at wallTime: Int64) {
    guard let turns, !turns.hasFailed else { return }
    let (base, revision) = (turns.revision, engine.revision)
    let effects = engine.hasEffectCommands ? engine.takeEffectChanges() : EffectChanges()
    guard revision != base || !turns.record.isEmpty || !effects.isEmpty else { return }
    var version = turns.version
    var delta: EncodedDelta?
    if revision != base {
      version = engine.currentVersion()
      var encoder = CBOREncoder()
      mark?.beginTurn()
      version.encodeDelta(from: turns.version, to: &encoder)
      mark?.end()
      delta = EncodedDelta(
        base: base, revision: revision, bytes: encoder.bytes, unsharedByteCount: encoder.unsharedByteCount)
      size.note(deltaByteCount: encoder.count, from: base, to: version, at: revision)
    }
    let outcomes = turns.record.connections.map { (connection: $0, processed: $0.session.processed) }
    var turn = turns.record.take(
      at: turnPosition, from: base, to: revision, time: surroundings.endTurn(at: wallTime), delta: delta?.bytes ?? [],
      effects: effects)
    turn.region = surroundings.regionalSettings
    turns.append(
      version, at: revision, delta, turn.effects, byteCount: turn.byteCount, outcomes: turns.isHolding ? outcomes : [])
    commandBuffer.append(turn)
  }

  /// The position in the log of the current turn; 1 for a hub without a log.
  var turnPosition: UInt64 { (turns?.position ?? 0) + 1 }

  /// Records a changed session for the log.
  func noteSession(of connection: LiveConnection) {
    guard !isFollowing else { return }
    turns?.record.noteSession(of: connection)
  }

  /// Records an ended session for the log.
  mutating func noteEnd(of session: Session) {
    guard !isFollowing else { return }
    turns?.record.noteEnd(of: session)
    releaseEffects(ofEnded: session.id)
  }

  /// Records for the log an action that did not come from a client.
  func noteOwnAction(_ encoded: CBOREncoder, from origin: LoggedActions.Origin) {
    turns?.record.note(origin, count: 1, encoded.span, seed: surroundings.seed)
  }

  /// Records for the log the actions that have followed the end of an effect.
  func noteSteps(_ encoded: CBOREncoder, count: Int) {
    turns?.record.note(.effect, count: count, encoded.span, seed: surroundings.seed)
  }

  // MARK: Snapshots

  /// The state of the last stored turn, for the log to save.
  ///
  /// The state is a value, so the log's thread reads it while the hub continues.
  package func snapshot() -> LogSnapshot {
    guard let turns else { preconditionFailure("a hub without a log takes no snapshots") }
    return turns.snapshot()
  }

  /// Records that the log has saved a snapshot, or failed to.
  package mutating func snapshotEnded() { turns?.isSavingSnapshot = false }
}
