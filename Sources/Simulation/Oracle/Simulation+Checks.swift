import HubCore
import ReplicaCore
import Wire

// The checks of the oracles other than `HubTruth` and `WireTap`.

extension Simulation {
  /// Checks that each mirror equals the hub's state at its revision.
  func checkMirrors(of client: ClientProcess) throws {
    guard let hub = client.link?.hub else { return }
    for index in client.watched.indices {
      let watched = client.watched[index]
      guard let revision = watched.mirror.revision, revision != watched.revision else { continue }
      if let last = watched.revision, last > revision, plan.storage == .sync || watched.hub === hub {
        throw Violation(.revisionWentBack, "client \(client.number) went from \(last) to \(revision)")
      }
      (client.watched[index].revision, client.watched[index].hub) = (revision, hub)
      seenRevision = max(seenRevision, revision)
      guard let spoken = client.spoken else { continue }
      let (there, isKnown) = try part(watched.path, spoken, hub.truth, at: revision)
      // A hub of the older version has no value at places that only the newer one has.
      if !isKnown, hub.program.encodeLabel == nil { continue }
      guard watched.bytes() == there else {
        throw Violation(
          .stateDiffers,
          "client \(client.number) at revision \(revision), path \(watched.path): \(text(watched.bytes())), not \(text(there))"
        )
      }
    }
  }

  /// Checks that a client shows all of its pending actions on top of the hub's state, and no others.
  func checkPrediction(of client: ClientProcess) throws {
    guard let prediction = client.prediction, let whole = client.watched.first else { return }
    let (count, bytes) = prediction.shown()
    guard count <= client.waiting.count, count > 0 || bytes == whole.bytes() else {
      throw Violation(
        .stateDiffers,
        "client \(client.number) predicts \(count) of \(client.waiting.count) actions: \(text(bytes)), not \(text(whole.bytes()))"
      )
    }
  }

  /// The bytes at a place in a client's version, and whether all versions have such a place.
  private func part(
    _ path: [PathStep], _ program: SimulatedProgram, _ truth: HubTruth, at revision: UInt64
  ) throws -> (bytes: [UInt8]?, isKnown: Bool) {
    guard let state = truth.states[revision] else {
      throw Violation(.stateDiffers, "a client is at revision \(revision), at which no turn ended")
    }
    let isKnown = program.encodeLabel == nil || SimulatedProgram.sharedPaths.contains(path)
    return (bytes(at: path, of: program.view(state)), isKnown)
  }

  private func bytes(at path: [PathStep], of state: any SimulatedState) -> [UInt8]? {
    state.part(at: path[...])?.encoded()
  }

  private func text(_ bytes: [UInt8]?) -> String {
    guard let bytes else { return "nothing" }
    let digits = bytes.prefix(80).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
    return "\(digits.joined()) (\(bytes.count) bytes)"
  }

  /// Checks that an acknowledgement does not precede its effect, except those of an earlier connection, which come with
  /// the welcome.
  func checkEffectIsThere(_ revision: UInt64, of client: ClientProcess, _ truth: HubTruth) throws {
    guard let watched = client.watched.first, watched.path.isEmpty, let own = watched.mirror.revision, own < revision,
      let spoken = client.spoken, let link = client.link, link.hub.truth === truth, revision > link.welcomeRevision,
      client.replica.isSubscribed(watched.mirror)
    else { return }
    // The acknowledgement covers all turns up to its own revision, which may be later. If these turns cancel each other
    // out, the client already has the whole state, and nothing need be sent before.
    guard let acknowledged = link.tap.appliedRevisions.first(where: { $0 >= revision }),
      watched.bytes() == (try part([], spoken, truth, at: acknowledged).bytes)
    else {
      throw Violation(
        .framesOutOfOrder, "client \(client.number) is at \(own), and an action of \(revision) is acknowledged")
    }
  }

  /// Checks that neither side has reason to complain about the other.
  func checkConnection(of client: ClientProcess) throws {
    trace.explain("client \(client.number) is \(client.replica.connection)")
    switch client.replica.connection {
    case .connecting(_, let failure?): try check(failure, client)
    case .stale(_, _, let reason): try check(reason, client)
    case .refused(let reason): throw Violation(.protocolBroken, "client \(client.number) is refused: \(reason)")
    case .connecting, .closed: break
    case .live:
      guard let link = client.link else { return }
      if link.tap.isResumed { report.resumptions += 1 }
      try checkSession(of: client, link)
    }
  }

  private func check(_ reason: String, _ client: ClientProcess) throws {
    for complaint in ["the hub sent", "a piece of a snapshot", "the hub does not confirm"]
    where reason.hasPrefix(complaint) {
      throw Violation(.protocolBroken, "client \(client.number): \(reason)")
    }
  }

  /// Checks that in sync mode no session is removed while there is room for all.
  private func checkSession(of client: ClientProcess, _ link: Link) throws {
    defer { client.hasOpenedSession = true }
    sessionCount += link.tap.isResumed ? 0 : 1
    guard plan.storage == .sync, client.hasOpenedSession, !link.tap.isResumed else { return }
    if plan.limits.detachedSessions > 100 {
      throw Violation(.sessionForgotten, "client \(client.number) comes back, and its session is unknown")
    }
  }

  /// Checks that the hub does not accuse a correct client of violating the protocol.
  func check(_ report: HubReport) throws {
    guard case .failed(let id, _, let error) = report else { return }
    trace.explain("connection \(id.index): \(error)")
    switch error.code {
    case .unsupportedVersion, .malformed, .frameTooLarge, .unexpectedMessage, .sequenceGap, .unknownScope,
      .tooManyScopes, .scopeInUse:
      throw Violation(.protocolBroken, "connection \(id.index): \(error.reason)")
    // The hub is overloaded, or the client was too slow.
    default: return
    }
  }

  /// Checks that every queue is bounded.
  func checkBounds(of hub: HubProcess) throws {
    func check(_ count: Int, _ limit: Int, _ what: String) throws {
      if count > limit { throw Violation(.queueTooLong, "\(count) \(what), and the limit is \(limit)") }
    }
    let limits = plan.limits
    try check(hub.core.keptVersionCount, limits.versions, "versions")
    try check(hub.core.detachedSessionCount, limits.detachedSessions, "detached sessions")
    // New sessions, effects and a stop add turns whatever the log does.
    try check(hub.core.unstoredTurnCount, limits.unstoredTurns + 3 + hub.turnsWhileBehind, "turns wait for the log")
    for link in hub.links {
      guard let link else { continue }
      // The write of one turn, and the last one before the connection is closed.
      try check(link.toClient.rest.count, 4 << 20, "bytes wait for a client")
      // A hub that stops leaves the rest to its clients, who repeat it.
      if link.isPaused, !link.isClosing, !hub.core.hasBacklog, hub.endsBy == nil {
        throw Violation(.notAtRest, "connection \(link.number) is not read from, and nothing of it waits")
      }
    }
  }

  /// Checks that, at rest, all clients have the hub's state and every action has one outcome.
  func checkConvergence() throws {
    guard let hub else { throw Violation(.notAtRest, "no hub runs") }
    for client in clients {
      guard client.waiting.isEmpty else {
        throw Violation(.wrongOutcome, "\(client.waiting.count) actions of client \(client.number) have no outcome")
      }
      guard let spoken = client.spoken else { continue }
      let state = spoken.view(hub.engine.state())
      if let prediction = client.prediction, prediction.shown() != (0, bytes(at: [], of: state)) {
        throw Violation(.stateDiffers, "in the end client \(client.number) does not show the hub's state")
      }
      for watched in client.watched {
        let isKnown = spoken.encodeLabel == nil || SimulatedProgram.sharedPaths.contains(watched.path)
        if !isKnown, hub.program.encodeLabel == nil { continue }
        guard watched.bytes() == bytes(at: watched.path, of: state) else {
          throw Violation(
            .stateDiffers, "in the end client \(client.number) has not the hub's state at \(watched.path)")
        }
        guard !client.isTool, let part = state.part(at: watched.path[...]), let hash = watched.mirror.hash() else {
          continue
        }
        guard part.stateHash() == hash else {
          throw Violation(.hashDiffers, "in the end the hash of client \(client.number) differs at \(watched.path)")
        }
      }
    }
    try checkSessions(of: hub)
    if plan.storage == .sync {
      for tag in acknowledged.sorted() where !hub.truth.isApplied(tag) {
        throw Violation(.acknowledgedLost, "\(Tag.text(tag)) was acknowledged and is gone in the end")
      }
    }
  }

  /// Checks that the log has the hub's sessions, and that all clients know the attendees.
  private func checkSessions(of hub: HubProcess) throws {
    let count = hub.core.detachedSessionCount + hub.core.connectionCount
    if plan.storage != .memory, disk.sessions.count != count {
      throw Violation(.sessionForgotten, "the log has \(disk.sessions.count) sessions, and the hub \(count)")
    }
    for client in clients {
      guard let attendees = client.attendees else { continue }
      let names = attendees.part?.attendees.map(\.name).sorted() ?? []
      guard names == clients.map(\.name).sorted() else {
        throw Violation(.stateDiffers, "client \(client.number) believes that \(names) are attached")
      }
    }
  }
}
