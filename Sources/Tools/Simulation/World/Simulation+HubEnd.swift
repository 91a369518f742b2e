import HubCore
import TurnLog

// The end of a hub's process: a crash, a stop, and another hub on the same log.

extension Simulation {
  func crashHub() throws {
    guard let hub else { return }
    try crash(hub)
  }

  private func crash(_ hub: HubProcess) throws {
    trace.note(now, "hub crashes")
    report.hubCrashes += 1
    let surviving = chance.hits(plan.faults.unsyncedSurvives) ? chance.number(0...hub.log.unsynced.count) : 0
    hub.log.crash(surviving: surviving)
    let resting = hub === self.hub ? hub.links.compactMap { $0 }.filter { $0.restingRecord != nil } : []
    if !resting.isEmpty {
      legacy = Legacy(record: .resting(resting.compactMap(\.restingRecord)), links: resting, truth: hub.truth)
    }
    endProcess(hub)
  }

  func stopHub() throws {
    guard let hub, hub.endsBy == nil, !hub.isHandingOver else { return }
    trace.note(now, "hub stops")
    report.hubStops += 1
    hub.inform { $0.performAllPostponed() }
    try noteTruth(of: hub, isLast: true)
    hub.effects = []
    hub.inform { $0.shutDown(reason: "the simulated operator stops it", at: now, wallTime: wallTime) }
    hub.noteCause()
    hub.endsBy = now + .seconds(30)
    try turn(hub)
  }

  /// Ends a process that has said goodbye.
  func end(_ hub: HubProcess, orderly: Bool) throws {
    trace.note(now, "hub has ended", orderly ? 1 : 0)
    if orderly, plan.storage != .memory {
      // The feature's reactions to the end of the last connections are not stored.
      if hub === self.hub { stopped = (hub.truth.revision, hub.log.tail) }
      try hub.log.close()
    } else {
      hub.log.crash(surviving: chance.hits(plan.faults.unsyncedSurvives) ? hub.log.unsynced.count : 0)
    }
    endProcess(hub)
  }

  /// Ends a process. Its connections end too, except those that it leaves to the next one.
  func endProcess(_ hub: HubProcess) {
    hub.isAlive = false
    hub.effects = []
    let kept = legacy?.links ?? []
    for link in links where link.hub === hub && link.isOpenAtHub && !kept.contains(where: { $0 === link }) {
      link.isOpenAtHub = false
      (link.toClient.rest, link.toClient.hasEnded) = ([], true)
    }
    (hub.links, hub.waitingReaders) = ([], [])
    guard hub === self.hub else { return overtaken = nil }
    self.hub = nil
    hubStartsAt = now + chance.time(upTo: .seconds(chance.pick([0, 2])))
  }

  // MARK: Another hub on the same log

  /// Halts the hub's process, and lets another hub continue its log, as when several machines have a replicated log.
  ///
  /// Only in sync mode: in async mode a hub answers its clients before it learns of a conflict.
  func overtakeHub() {
    guard plan.storage == .sync, let hub, overtaken == nil, hub.endsBy == nil, !hub.isHandingOver else { return }
    trace.note(now, "hub halts")
    report.overtakings += 1
    hub.continuesAt = now + chance.time(upTo: .seconds(3))
    (overtaken, self.hub) = (hub, nil)
    hubStartsAt = now + chance.time(upTo: .milliseconds(chance.pick([0, 500])))
  }

  /// A step of the process that was halted. It serves its connections until its log reports a conflict. If it stores
  /// a turn first, the other hub has the conflict.
  func turnOvertakenHub() throws {
    guard let hub = overtaken, hub.continuesAt <= now else { return }
    guard !chance.hits(20) else { return try crash(hub) }
    try runEffects(of: hub)
    try turn(hub)
    if hub.isAlive { try useLog(of: hub) }
  }

  /// Leaves one hub, which has the whole log.
  func endSuccessions() throws {
    if let overtaken { try crash(overtaken) }
    if let hub, plan.storage == .sync, hub.log.tail != disk.tail { try crash(hub) }
  }
}
