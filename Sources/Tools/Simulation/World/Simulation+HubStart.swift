import HubCore
import TurnLog
import Wire

// The start of a hub's process: the recovery from the log, and its checks.

extension Simulation {
  func startHub() throws {
    hubCount += 1
    if hubCount > 1 { changeProgram() }
    // Without awkward values every state can be read back, and the hub works as one whose types have none.
    let readsBack = plan.awkwardness > 0 && bug != .hubDoesNotReadBack
    let recorder = Recorder(notesAttendance: plan.notesAttendance, epoch: hubCount, readsBack: readsBack)
    recorder.mixesUpParameters = bug == .viewMixesUpParameters
    let engine = hubProgram.makeEngine(recorder)
    let random = chance.fork()
    let legacy = self.legacy.take()
    let recovered = plan.storage == .memory ? nil : try recover(engine)
    let (history, handOver) = try accept(legacy, engine, recovered?.history)
    let truth = try makeTruth(engine, history, recovered, legacy)
    let log = SimulatedLog(disk, hubProgram.schema, truth)
    if let conversion = recovered?.conversion { log.store(conversion) }
    let isSync = plan.storage == .sync && bug != .hubDoesNotWait
    var limits = plan.limits(ofHub: hubCount)
    if bug == .hubHasNoStateLimit { limits.stateBytes = HubLimits().stateBytes }
    if bug == .hubSendsNoBookmarks { limits.bookmarkInterval = 1 << 32 }
    if bug == .hubHoldsForever { limits.holdTimeout = .seconds(1 << 40) }
    if bug == .hubHasNoRate { limits.actionsPerSecond = nil }
    if bug == .hubIgnoresASlowLog { (limits.unstoredTurns, limits.unstoredBytes) = (.max, .max) }
    let core = HubCore(
      engine: engine.engine, limits: limits, policy: policy, name: "hub", history: history,
      durability: isSync ? .sync : .async,
      random: random)
    let hub = HubProcess(
      hubCount, hubProgram, engine, recorder, truth, log, TurnScheduler(plan.thresholds), core)
    if plan.storage != .memory {
      hub.audit = try LogAudit(hubProgram, engine.state(), at: engine.engine.revision, disk.sessions)
    }
    hub.suspendsGuests = isGuestSuspended
    stopped = nil
    self.hub = hub
    let effects = hub.core.effectsInFlight
    hub.inform { $0.start() }
    try checkRestarts(of: effects, in: hub)
    trace.note(now, "hub starts", Int(hubCount), Int(engine.engine.revision))
    trace.explain("\(hubProgram.name), recovered from \(disk.stored.count) turns and \(disk.snapshots.count) snapshots")
    if let legacy { try takeOver(legacy, handOver, in: hub) }
  }

  /// Installs the newer version, or the older one again.
  private func changeProgram() {
    if hubProgram.encodeLabel == nil {
      guard chance.hits(plan.faults.upgrade) else { return }
      hubProgram = plan.migrates ? .migrating : .newer
      report.upgrades += 1
    } else if plan.faults.downgrade > 0, chance.hits(plan.faults.downgrade) {
      hubProgram = .older
      report.downgrades += 1
    }
  }

  /// The truth with which a hub begins, after a check of its state.
  private func makeTruth(
    _ engine: SimulatedEngine, _ history: HubHistory?, _ recovered: Recovered?, _ legacy: Legacy?
  ) throws -> HubTruth {
    guard history != nil else {
      seenRevision = 0
      return HubTruth(engine.state())
    }
    let last = plan.storage == .memory ? legacy?.truth ?? disk.truth : disk.truth
    let revision = recovered?.revision ?? engine.engine.revision
    let truth = HubTruth(last, upTo: revision)
    // A log without turns and snapshots has nothing to migrate: the hub begins with its own initial state.
    let isMigrated = recovered.map { $0.conversion != nil } ?? true
    try checkRecovery(engine, truth, at: revision, by: isMigrated ? hubProgram.migrated : hubProgram.view)
    truth.convert(to: engine.state(), at: engine.engine.revision)
    return truth
  }

  /// A state that was recovered from the log.
  private struct Recovered {
    /// The revision of the last turn in the log.
    let revision: UInt64
    let history: HubHistory
    /// What the hub stores before it serves; nil if the state had its schema already.
    let conversion: SimulatedLog.Conversion?
  }

  private func recover(_ engine: SimulatedEngine) throws -> Recovered {
    do {
      var recovery = Recovery(engine: engine.engine, versionLimit: plan.limits(ofHub: hubCount).versions)
      // Usually from the newest snapshot, otherwise from an older one, or from the first turn if all turns are kept.
      let first = disk.stored.first?.turn.position ?? disk.tail + 1
      let usable = disk.snapshots.filter { $0.position + 1 >= first && isExact(from: $0) }
      var snapshot = usable.last
      if chance.hits(300) {
        let index = chance.number(0...usable.count)
        if index < usable.count { snapshot = usable[index] } else if first == 1, isExact(from: nil) { snapshot = nil }
      }
      if let snapshot {
        report.snapshotRecoveries += 1
        try recovery.restore(
          snapshot: snapshot.bytes.span.bytes, writtenFor: snapshot.schema, at: snapshot.revision,
          position: snapshot.position,
          effects: bug == .recoveryForgetsEffects ? EffectsInFlight() : snapshot.effects)
      }
      let start = (snapshot?.position ?? 0) + 1
      let turns = try disk.read(from: start)
      let schemas = disk.stored.filter { $0.turn.position >= start }.map(\.schema)
      let isConverted = (schemas.last ?? snapshot?.schema ?? hubProgram.schema) != hubProgram.schema
      // Planted bugs: the change of one turn, or that of each turn before a migration, is skipped.
      let skipped = bug == .recoverySkipsAChange ? turns.lastIndex { $0.revision != $0.baseRevision } : nil
      for (index, turn) in turns.enumerated() {
        var turn = turn
        if index == skipped || bug == .migrationIgnoresTurns && plan.migrates && isConverted {
          turn.delta = [0xa0]
        }
        report.turnsRecovered += 1
        let delta = turn.delta
        try recovery.apply(
          delta: delta.span.bytes, writtenFor: schemas[index], from: turn.baseRevision, to: turn.revision,
          position: turn.position, byteCount: turn.byteCount,
          effects: bug == .recoveryForgetsEffects ? EffectChanges() : turn.effects)
      }
      let revision = recovery.revision
      // The turn, and then the snapshot, as in `StoreHub/Recording`.
      let turn = bug == .recoveryKeepsTheRevision ? nil : try recovery.renumber(at: wallTime)
      let conversion = isConverted ? SimulatedLog.Conversion(turn: turn, snapshot: recovery.snapshot()) : nil
      if isConverted, recovery.migration != nil { report.migrations += 1 }
      if bug == .migrationRunsTwice, !isConverted, hubProgram.encodeLabel != nil {
        let again = hubProgram.migrated(SimulatedProgram.older.view(engine.state())).encoded()
        try engine.engine.restore(again.span.bytes, at: engine.engine.revision)
      }
      // In sync mode, all output of a hub is stored, so the history continues; in async mode it may be lost.
      let id = plan.storage == .sync ? 1 : 1 + UInt64(hubCount)
      return Recovered(
        revision: revision, history: recovery.history(id: id, sessions: disk.recoveredSessions), conversion: conversion)
    } catch {
      throw Violation(.recoveryFailed, "\(error)")
    }
  }

  /// True if a recovery from a snapshot, or from the first turn, leads to the state of the last hub.
  ///
  /// It does not if the older version has run since: the fields that only the newer one has then keep their values, while
  /// the hub that followed the older one has begun with their default values, and has saved these in a snapshot.
  private func isExact(from snapshot: SimulatedDisk.Snapshot?) -> Bool {
    let turns = disk.stored.filter { $0.turn.position > snapshot?.position ?? 0 }
    let schemas = (snapshot.map { [$0.schema] } ?? []) + turns.map(\.schema)
    guard let upgrade = schemas.firstIndex(of: SimulatedProgram.newer.schema) else { return true }
    return !schemas[upgrade...].contains(SimulatedProgram.older.schema) || hubProgram.encodeLabel == nil
  }

  private func checkRecovery(
    _ engine: SimulatedEngine, _ truth: HubTruth, at revision: UInt64,
    by convert: (any SimulatedState) -> any SimulatedState
  ) throws {
    if let stopped, stopped.tail == disk.tail, revision != stopped.revision {
      throw Violation(.acknowledgedLost, "a hub was stopped at \(stopped.revision), and the next begins at \(revision)")
    }
    guard let state = truth.states[revision] else {
      throw Violation(.recoveredWrongly, "no turn ended at the recovered revision \(revision)")
    }
    guard convert(state).encoded() == engine.state().encoded() else {
      throw Violation(.recoveredWrongly, "the state of revision \(revision) is not the one that was stored")
    }
    guard plan.storage == .sync else {
      seenRevision = min(seenRevision, revision)
      return
    }
    guard seenRevision <= revision else {
      throw Violation(.acknowledgedLost, "revision \(seenRevision) was seen, and \(revision) was recovered")
    }
    if let tag = refused.filter(truth.isApplied).min() {
      throw Violation(.refusedTookEffect, "\(Tag.text(tag)) was refused, and is in the recovered state")
    }
    // The first one, so that the reported one is always the same.
    if let tag = acknowledged.filter({ !truth.isApplied($0) }).min() {
      throw Violation(.acknowledgedLost, "\(Tag.text(tag)) was acknowledged, and is not in the recovered state")
    }
  }
}
