import HubCore
internal import RandomNumbers
import Wire

/// The connections that one process of a hub passes to the next one, with their record.
struct Legacy {
  /// The records of the connections.
  enum Record {
    /// The record of all connections, after a restart.
    case all([UInt8])
    /// The records of the connections at rest, after a crash.
    case resting([[UInt8]])
  }

  let record: Record
  /// The connections, whose sockets are open without a process that uses them.
  let links: [Link]
  /// The truth of the hub, which for one in memory mode is nowhere else.
  let truth: HubTruth
}

// Connections that pass from one process of the hub to the next, as in `StoreHub/HubShell+HandOver` and
// `StoreHub/RestingConnections`.

extension Simulation {
  // MARK: The last process

  /// Begins a restart: the hub reads no more, and passes its connections on when its log has stored everything.
  func restartHub() throws {
    guard let hub, hub.endsBy == nil, !hub.isHandingOver else { return }
    trace.note(now, "hub restarts")
    report.hubRestarts += 1
    (hub.isHandingOver, hub.effects, hub.hasNews) = (true, [], true)
    try endTurn(of: hub)
    try finishHandOver(of: hub)
  }

  /// Passes the connections on, unless turns wait for the log.
  func finishHandOver(of hub: HubProcess) throws {
    guard hub.core.unstoredTurnCount == 0 else { return }
    let old = bug == .shellHandsOverAnOldRecord ? record(of: hub) : nil
    // As in the shell: what the feature does when a connection ends meanwhile belongs to the record.
    var revision: UInt64
    repeat {
      hub.inform { $0.performAllPostponed() }
      try noteTruth(of: hub)
      revision = hub.core.revision
      hub.inform { $0.endTurn(at: now, wallTime: wallTime, flushing: true) }
      try performCommands(of: hub)
    } while hub.core.revision != revision
    guard hub.core.unstoredTurnCount == 0, let record = old ?? record(of: hub) else { return }
    let links = hub.links.compactMap { $0 }
    for link in links {
      let unsent = link.toClient.takeRest()
      if bug != .shellForgetsUnsentOutput { link.inheritedOutput = unsent }
      if bug == .shellReadsAfterHandingOver { _ = link.toHub.read(atMost: 40, limit: socketBytes) }
    }
    trace.note(now, "hub hands over", links.count)
    trace.note(record)
    legacy = Legacy(record: .all(record), links: links, truth: hub.truth)
    stopped = (hub.truth.revision, hub.log.tail)
    try hub.log.close()
    endProcess(hub)
  }

  private func record(of hub: HubProcess) -> [UInt8]? {
    let record = hub.core.handOver { id in
      hub.link(id).map { (UInt64($0.number), bug == .shellForgetsUnsentOutput ? [] : $0.toClient.rest) }
    }
    return record?.encoded()
  }

  /// Records the connections at rest. A record is valid until the shell reads from the connection or writes to it.
  func noteResting(of hub: HubProcess) {
    guard plan.storage == .sync, plan.faults.restingRecord > 0, !isSettling, chance.hits(plan.faults.restingRecord)
    else { return }
    for case let link? in hub.links where link.restingRecord == nil {
      link.restingRecord = hub.core.resting(link.id, token: UInt64(link.number))
    }
  }

  // MARK: The next process

  /// Decides whether the next hub can take over the connections.
  ///
  /// - Returns: The starting point of the hub, and the record; nil if the connections must be closed.
  func accept(
    _ legacy: Legacy?, _ engine: SimulatedEngine, _ logged: HubHistory?
  ) throws -> (HubHistory?, HandOver?) {
    guard let legacy else { return (logged, nil) }
    var (history, read) = (logged, HandOver?.none)
    do throws(HandOverRefusal) {
      let handOver: HandOver
      switch legacy.record {
      case .all(let bytes):
        handOver = try HandOver(reading: bytes)
        read = handOver
        if logged == nil { history = try handOver.restore(engine: engine.engine, id: chance.next()) }
      case .resting(let records):
        say(HandOver.goodbyes(resting: records, engine: engine.engine, logged), to: legacy)
        guard let logged,
          let resting = HandOver(resting: records, engine: engine.engine, history: logged, random: &chance)
        else { return (logged, nil) }
        handOver = resting
      }
      try handOver.check(engine: engine.engine, history)
      return (history?.continuing(handOver), handOver)
    } catch {
      trace.explain("\(error)")
      say(read?.goodbyes(engine: engine.engine, history ?? logged) ?? [:], to: legacy)
      let isOtherLog = plan.storage != .memory && stopped.map { $0.tail != disk.tail } ?? true
      switch error {
      case .otherSchema where legacy.links.contains { $0.hub.program.schema != hubProgram.schema }: break
      case .otherLog where isOtherLog: break
      default: if !legacy.links.isEmpty { throw Violation(.connectionLost, "the record is refused: \(error)") }
      }
      return (history, nil)
    }
  }

  /// Writes the last bytes to connections that cannot be continued.
  private func say(_ goodbyes: [UInt64: [UInt8]], to legacy: Legacy) {
    for link in legacy.links where link.isOpenAtHub {
      guard let bytes = goodbyes[UInt64(link.number)] else { continue }
      report.goodbyes += 1
      _ = link.toClient.write(bytes, limit: socketBytes, notBefore: now)
    }
  }

  /// Continues the connections, and closes those that cannot be continued.
  func takeOver(_ legacy: Legacy, _ handOver: HandOver?, in hub: HubProcess) throws {
    var rest = legacy.links
    for (index, token) in (handOver?.tokens ?? []).enumerated() {
      guard let place = rest.firstIndex(where: { UInt64($0.number) == token }) else { continue }
      let link = rest.remove(at: place)
      // It may have ended in the meantime.
      guard link.isOpenAtHub, let handOver else { continue }
      try takeOver(link, handOver, index, in: hub)
    }
    for link in rest { drop(link) }
  }

  private func takeOver(_ link: Link, _ handOver: HandOver, _ index: Int, in hub: HubProcess) throws {
    let wasClosing = link.isClosing
    let id = hub.inform { $0.connected(link.client.peer, at: now, wallTime: wallTime, isTakenOver: true) }
    link.passes(to: hub, as: id)
    hub.add(link)
    trace.note(now, "hub takes over", link.number)
    let limit = chance.pick([1, 5, .max])
    let isReadable = hub.inform { $0.takeOver(handOver, index, on: id, at: now, limit: limit) }
    try performCommands(of: hub)
    link.isPaused = !isReadable
    guard !wasClosing else { return }
    let isOpen = link.isOpenAtHub && !link.isClosing
    if handOver.isAfterCrash { report.keptAtRest += isOpen ? 1 : 0 } else { report.handedOver += isOpen ? 1 : 0 }
    // Frames that the last process had read may exceed a small limit.
    let hasSmallLimit = plan.limits.detachedSessions <= 100 || plan.limits.rejections <= 100 || plan.hasSmallShares
    if !isOpen, link.isOpenAtClient, !hasSmallLimit {
      throw Violation(.connectionLost, "connection \(link.number) was closed by the process that took it over")
    }
  }
}
