import Wire

// Clients cancel the effects of their own actions. A session holds the shared effects of its actions while it has a
// connection, and for some time without one.

extension HubCore {
  /// Cancels the effects of an action of a client, at its request.
  mutating func cancelEffects(ofAction number: UInt64, from connection: LiveConnection) {
    if connection.isForwarding { return commandBuffer.append(.cancel(action: number, connection.forwardedSession)) }
    keepCancellation(ofAction: number, from: connection)
    guard let cascade = clientEffects.take(number, of: connection.session.id) else { return }
    performOrPostpone(.clientCancellation(cascade: cascade))
  }

  /// Lets go of the effects of a session that has ended. What its client alone has started goes on.
  mutating func releaseEffects(ofEnded session: SessionID) {
    for cascade in clientEffects.removeAll(of: session) { performOrPostpone(.release(cascade: cascade)) }
  }

  /// Sets the time at which the sessions that have lost their connections in this turn let go of shared effects.
  mutating func setHoldTimeouts(at now: Duration) {
    let time = now + limits.holdTimeout
    clientEffects.setTimeouts(time)
    wake(by: time)
  }

  /// Lets go of the shared effects of sessions that have had no connection for too long.
  mutating func expireHolds(at now: Duration) {
    let (sessions, next) = clientEffects.takeTimedOut(at: now)
    if let next { wake(by: next) }
    var released: [UInt64] = []
    for session in sessions {
      let all = clientEffects.cascades(of: session)
      let holding = all.filter { engine.holdsSharedEffects(cascade: $0) }
      // What goes on may start shared effects later.
      if holding != all { clientEffects.disconnected(session) }
      guard !holding.isEmpty else { continue }
      detached.update(session) { $0.released = $0.processed }
      released += holding
    }
    // They stay on the list: what the client alone has started goes on, and can be cancelled if the client returns.
    for cascade in released.sorted() { performOrPostpone(.release(cascade: cascade)) }
  }
}
