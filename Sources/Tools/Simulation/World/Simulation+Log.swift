import HubCore
import TurnLog

// A hub's log: commits, snapshots, and their reports.

extension Simulation {
  /// Lets the log work if it has anything to do.
  func useLog(of hub: HubProcess) throws {
    guard plan.storage != .memory else { return }
    switch isSettling ? 3 : chance.number(0...2) {
    case 0: commit(hub.log)
    case 1: savePiece(hub.log)
    case 2: try handleLogEvents(hub)
    default:
      commit(hub.log)
      savePiece(hub.log)
      try handleLogEvents(hub)
    }
  }

  private func commit(_ log: SimulatedLog) {
    guard !log.unsynced.isEmpty, isSettling || chance.hits(plan.faults.commit) else { return }
    let count = isSettling ? Int.max : chance.pick([1, 2, .max])
    trace.note(now, "log commits", min(count, log.unsynced.count))
    if !log.commit(count) {
      trace.note(now, "log finds a turn of another hub", Int(log.tail), Int(disk.tail))
      report.conflicts += 1
    }
  }

  private func savePiece(_ log: SimulatedLog) {
    guard log.isSaving else { return }
    let fails = !isSettling && chance.hits(plan.faults.snapshotFailure)
    let trims = chance.hits(plan.faults.trim)
    if log.savePiece(limit: chance.pick([64, 1024, 1 << 20]), fails: fails, trims: trims) {
      trace.note(now, "log has a snapshot")
      report.snapshots += 1
    }
  }

  private func handleLogEvents(_ hub: HubProcess) throws {
    for event in hub.log.takeEvents() {
      // While saying goodbye, the core ends a turn by itself.
      if hub.endsBy != nil { try noteTruth(of: hub) }
      switch event {
      case .stored(let position):
        trace.note(now, "log has stored", Int(position))
        hub.inform { $0.stored(upTo: position, at: now, wallTime: wallTime) }
      case .saved, .snapshotFailed:
        hub.inform { $0.snapshotEnded() }
      // To a hub, a log that is blocked is a slow one, whose commits are delayed here.
      case .blocked, .unblocked: break
      case .conflict, .failed:
        trace.note(now, "hub learns that its log has failed")
        try noteTruth(of: hub)
        (hub.effects, hub.isHandingOver) = ([], false)
        hub.inform { $0.logFailed(reason: "the simulated log has failed", at: now) }
        hub.endsBy = now + .seconds(1)
      }
    }
    guard hub.isHandingOver else { return }
    if hub.hasNews { try endTurn(of: hub) }
    try finishHandOver(of: hub)
  }
}
