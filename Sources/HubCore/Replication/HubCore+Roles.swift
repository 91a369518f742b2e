import FeatureCore
package import TurnLog
import Wire

// The changes of a hub's role in a replicated log, and the turns of the log.

extension HubCore {
  /// Leads from the last applied turn on. For the feature this is a start: it begins its timers and streams, and learns
  /// of all clients anew. Effects wait for `startEffects`.
  ///
  /// The log has what clients have sent so far (`takeForwarding`): it comes before what this hub reads from now on.
  ///
  /// - Parameters:
  ///   - now: A monotonic time.
  ///   - wallTime: The time for the log, in milliseconds since 1970.
  package mutating func lead(at now: Duration, wallTime: Int64) {
    guard case .follower(let follower) = role, let turns else { preconditionFailure("only a follower takes over") }
    precondition(!commandBuffer.isForwarding, "a follower passes on what it has read before it leads")
    role = .leader(LeadingHub(sessions: follower.sessions))
    leaderRegion = nil
    turns.forwardedByteCount = 0
    engine.recordRestarts(after: turns.effects.lastNumber)
    engine.recordSteps()
    if turns.position == 0 { recordInitialState(at: wallTime) }
    for connection in connections.live {
      connection.isForwarding = false
      connection.backlog?.beginAnew()
    }
    start()
    for connection in connections.live { announce(connection) }
  }

  /// Follows another hub: discards all that the log has not stored, and passes on what clients have sent of it. A client
  /// that has sent a part on an earlier connection loses the present one, and can resume its session. A hub that follows
  /// already goes on.
  ///
  /// The shell has cancelled all effects.
  package mutating func follow(at now: Duration) {
    guard case .leader(let leader) = role, let turns else { return }
    role = .follower(FollowingHub(sessions: leader.sessions))
    forgetEffects()
    turns.discard()
    engine.restore(turns.version, at: turns.revision)
    beginSize(bound: nil)
    for connection in connections.live {
      guard !connection.isRemote else {
        removeRemote(connection)
        continue
      }
      let stored = leader.sessions[connection.session.id]
      let unstored = takeFrames(of: connection)
      let isComplete = unstored.isComplete(from: stored?.processed ?? 0, to: connection.session.processed)
      connection.session.adopt(stored)
      connection.isRecorded = false
      connection.backlog?.beginAnew()
      guard isComplete else {
        close(connection.id, at: now)
        continue
      }
      connection.session.settled = connection.session.processed
      connection.sentRejections = min(connection.sentRejections, connection.session.rejections.count)
      writeHeldWelcome(to: connection)
      beginForwarding(of: connection)
      forward(unstored, from: connection, at: now)
      outputs.wake(connection)
    }
    for session in detached.all { detached.update(session.id) { $0.adopt(leader.sessions[session.id]) } }
    // Nothing is left to wait for.
    if case .stopping(let reason?) = stage { sayGoodbye(reason: reason, at: now, 0) }
  }

  private mutating func forgetEffects() {
    let last = engine.lastEffect.number
    engine.forgetEffects()
    engine.recordRestarts(after: last)
    clientEffects = ClientEffects()
  }

  /// Gives the log the state with which it begins, because other hubs may have another initial state: one with dates or
  /// random numbers.
  private mutating func recordInitialState(at wallTime: Int64) {
    guard let turns else { return }
    let (base, delta) = (engine.revision, engine.replacement(byteLimit: limits.stateBytes))
    engine.restore(engine.currentVersion(), at: base + 1)
    let turn = LoggedTurn(
      position: turnPosition, baseRevision: base, revision: base + 1, time: surroundings.endTurn(at: wallTime),
      delta: delta, region: surroundings.regionalSettings)
    turns.append(
      engine.currentVersion(), at: base + 1,
      EncodedDelta(base: base, revision: base + 1, bytes: delta, unsharedByteCount: delta.count), EffectChanges(),
      byteCount: turn.byteCount, outcomes: [])
    commandBuffer.append(turn)
  }

  // MARK: Turns

  /// Applies turns of the leader: their changes of the state and of the sessions, exactly as they are.
  ///
  /// - Returns: The error if a turn does not follow, or cannot be read; this hub's state is then not that of the log.
  package mutating func apply(_ logged: [LoggedTurn], at now: Duration) -> RecoveryError? {
    guard case .follower(let follower) = role, let turns else { preconditionFailure("only a follower applies turns") }
    for turn in logged {
      guard turn.position == turnPosition, turn.baseRevision == turns.revision else {
        return .gap(
          position: turn.position, base: turn.baseRevision, expected: turnPosition, revision: turns.revision)
      }
      var delta: EncodedDelta?
      if turn.revision != turn.baseRevision {
        do throws(WireError) { try engine.restore(delta: turn.delta.span.bytes, to: turn.revision) } catch {
          return .malformed(position: turn.position, error)
        }
        delta = EncodedDelta(
          base: turn.baseRevision, revision: turn.revision, bytes: turn.delta, unsharedByteCount: turn.delta.count)
        size.note(
          deltaByteCount: turn.delta.count, from: turn.baseRevision, to: engine.currentVersion(), at: turn.revision)
      }
      surroundings.note(timeOfTurn: turn.time)
      leaderRegion = turn.region
      turns.append(
        engine.currentVersion(), at: turn.revision, delta, turn.effects, byteCount: turn.byteCount, outcomes: [])
      for session in turn.sessions { apply(session, to: follower.sessions, at: now) }
      stored(upTo: turn.position, at: now)
    }
    return nil
  }

  private mutating func apply(_ record: LoggedSession, to sessions: StoredSessions, at now: Duration) {
    sessions.apply(record)
    guard let connection = liveSessions[record.id] else {
      if record.hasEnded, let gone = detached.remove(record.id, of: record.user) { forget(gone.retained) }
      return detached.update(record.id) { $0.adopt(sessions[record.id]) }
    }
    guard !record.hasEnded else {
      let reason = "the session has ended on the hub that leads; open another one"
      return fail(connection.id, PeerError(.overloaded, reason), at: now)
    }
    let known = connection.session.processed
    connection.session.processed = record.processed
    connection.session.settled = record.processed
    connection.forwarded = max(connection.forwarded, record.processed)
    for rejected in record.rejections where rejected.sequence > known {
      connection.session.rejections.append(rejected, inTurn: turnPosition)
    }
    outputs.wake(connection)
  }

  /// Records that turns of this hub are stored. Their outputs are released at the end of this turn.
  package mutating func stored(_ logged: [LoggedTurn], at now: Duration, wallTime: @autoclosure () -> Int64 = 0) {
    guard let sessions = storedSessions, let last = logged.last else { return }
    for turn in logged {
      for session in turn.sessions {
        sessions.apply(session)
        forgetFrames(of: session.id, upTo: session.processed)
      }
    }
    stored(upTo: last.position, at: now, wallTime: wallTime())
  }

  /// Records the bytes of the actions that wait for the leader. Above `HubLimits.unstoredBytes`, the hub reads no more.
  package mutating func noteForwarded(byteCount: Int) {
    if isFollowing { turns?.forwardedByteCount = byteCount }
  }

  // MARK: Transfer

  /// Passes the leadership on at the request of a client, which must have the right `admin`.
  ///
  /// - Parameter node: The node that shall lead; empty for any.
  mutating func passLeadershipOn(to node: String, for connection: LiveConnection, at now: Duration) {
    guard connection.rights.isAdmin else {
      let reason = """
        user \(connection.peer.uid) may not pass the leadership on; the hub's operator can grant it with the right admin
        """
      return fail(connection.id, PeerError(.notPermitted, reason), at: now)
    }
    if case .alone = role {
      return transferRefused(for: connection.id, "this hub is in no cluster", at: now)
    }
    turns?.handOverRequests.append(.handOver(to: node.isEmpty ? nil : node, for: connection.id))
  }

  /// Passes the requests of the turn to the log, behind the turn itself, which this hub's log still takes.
  mutating func requestHandOver() {
    guard let turns, !turns.handOverRequests.isEmpty else { return }
    for request in turns.handOverRequests { commandBuffer.append(request) }
    turns.handOverRequests.removeAll()
  }

  /// The log passes the leadership on. Until `follow`, the work of clients and of the hub itself waits: turns would be
  /// discarded.
  package mutating func beginHandOver() {
    if isLeading { turns?.isHandingOver = true }
  }

  /// Ends the connection of a client that has asked for a change of the leadership which cannot be.
  package mutating func transferRefused(for connection: ConnectionID, _ reason: String, at now: Duration) {
    fail(connection, PeerError(.cannotTransfer, reason), at: now)
  }

  // MARK: Effects

  /// Starts the effects of the state and of the following turns. After `cancelEffects` this is a start for the feature,
  /// too.
  package mutating func startEffects() {
    guard case .leader(var leader) = role else { return }
    let phase = leader.effects
    leader.effects = .running
    role = .leader(leader)
    switch phase {
    case .waiting(let commands): appendEffectCommands(commands)
    case .running: break
    case .cancelled: start()
    }
  }

  /// Ends all effects, until `startEffects`. The shell has cancelled them.
  package mutating func cancelEffects() {
    guard case .leader(var leader) = role else { return }
    leader.effects = .cancelled
    role = .leader(leader)
    forgetEffects()
  }

  /// Returns true if the command of an effect was kept or dropped, because a leader's effects do not run.
  mutating func holdBack(_ command: EffectCommand<AnyAction>) -> Bool {
    guard case .leader(var leader) = role else { return false }
    switch leader.effects {
    case .running: return false
    case .cancelled: return true
    case .waiting(var commands):
      commands.append(command)
      leader.effects = .waiting(commands)
      role = .leader(leader)
      return true
    }
  }
}
