import HubCore
import ReplicaCore
import TurnLog
import Wire

// The last check: when all sessions have ended, the hub has kept nothing of them.

extension Simulation {
  /// Ends all sessions, also those of clients that have crashed.
  func endAllSessions() throws {
    for client in clients {
      client.replica.close()
      try turn(client)
      if let link = client.link { closeAtClient(link) }
      client.isAlive = false
    }
    try runUntilAsleep()
    let users = openedSessions.merging(disk.sessions.map { ($0.id, $0.user) }) { $1 }
    for (session, user) in users.sorted(by: { $0.key.high < $1.key.high }) {
      let link = try open(Hello(session: session), user: user)
      try end(link)
    }
    // The last subscriber of the state: after it, the next change discards the versions.
    let link = try open(Hello(), user: Self.owner)
    var writer = FrameWriter()
    writer.frame(Attach(path: []), scope: 0)
    try write(writer.bytes, on: link)
    try end(link)
    guard let hub else { throw Violation(.notAtRest, "no hub runs") }
    let action = hub.program.effect("timer").action
    let isChanged = action.map { action in hub.inform { $0.apply(action, from: nil) } } ?? false
    try runUntilAsleep()
    try checkNothingIsKept(of: hub, isChanged: isChanged)
  }

  private func checkNothingIsKept(of hub: HubProcess, isChanged: Bool) throws {
    func check(_ count: Int, _ what: String) throws {
      if count > 0 { throw Violation(.notReleased, "\(count) \(what) are left when all sessions have ended") }
    }
    try check(hub.core.connectionCount, "connections")
    try check(hub.core.closingCount, "closing connections")
    try check(hub.core.detachedSessionCount, "detached sessions")
    try check(plan.storage == .memory ? 0 : disk.sessions.count, "sessions in the log")
    try check(hub.engine.state().attached.count, "attached clients in the feature's state")
    try check(hub.core.cancellableCount, "actions whose effects clients may cancel")
    try check(hub.effects.count { if case .shared = $0.effect.watch { true } else { false } }, "shared effects")
    if isChanged { try check(hub.core.keptVersionCount, "versions") }
  }

  private func open(_ hello: Hello, user: UInt32) throws -> Link {
    guard let hub else { throw Violation(.notAtRest, "no hub runs") }
    let client = ClientProcess(0, .older, isTool: false, user: user, options: ReplicaOptions(), seed: 0)
    client.isAlive = false
    let link = connect(client, to: hub)
    var writer = FrameWriter()
    writer.frame(hello)
    try write(writer.bytes, on: link)
    return link
  }

  private func end(_ link: Link) throws {
    var writer = FrameWriter()
    writer.frame(FrameHeader(kind: .leave)) { _ in }
    try write(writer.bytes, on: link)
    closeAtClient(link)
    try runUntilAsleep()
  }

  private func write(_ bytes: [UInt8], on link: Link) throws {
    try link.tap.clientWrote(bytes)
    _ = link.toHub.write(bytes, limit: socketBytes, notBefore: now)
    try runUntilAsleep()
  }

  /// Runs the hub until it sleeps and its log has stored everything.
  private func runUntilAsleep() throws {
    for _ in 0..<10_000 {
      for link in links { try deliverToHub(link) }
      guard let hub else { throw Violation(.notAtRest, "no hub runs") }
      for _ in 0..<2 { try useLog(of: hub) }
      now += .milliseconds(hub.nextTurnAt.map { $0 > now } == true ? 20 : 1)
      try turn(hub)
      for link in links where link.toHub.isEmpty { try deliverToClient(link) }
      links.removeAll { !$0.isOpenAtHub && !$0.isOpenAtClient }
      if hub.isAsleep, !hub.log.isBusy,
        links.allSatisfy({ $0.toHub.isEmpty && (!$0.toHub.hasEnded || !$0.isOpenAtHub) })
      {
        return
      }
    }
    throw Violation(.notAtRest, "the hub does not come to rest when all sessions end")
  }
}
