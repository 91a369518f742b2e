internal import EventLoop
internal import FeatureCore
internal import HubCore
internal import TurnLog

// The turns of the loop, and the core's commands.

extension HubShell {
  /// Ends the turn: all callbacks have run, and the loop has updated its clock.
  func willWait() {
    if let start = turnStart {
      turnStart = nil
      let time = loop.turnMilliseconds - start
      core.noteTurn(milliseconds: time)
      turnWatch.end(
        milliseconds: time, at: loop.turnMilliseconds, begin: start * 1_000_000, now: loop.nanoseconds)
      // Reading the clock costs more than a short turn, so only long turns are measured exactly.
      if time > 0 { core.noteLongTurn(microseconds: (loop.nanoseconds - start * 1_000_000) / 1000) }
      if time >= Self.longTurn { reportLongTurn(time) }
      if slowReads.isOn { _ = slowReads.take() }
      lastSender = nil
      if core.lastWork != nil { core.forgetLastWork() }
    }
    endTurn()
    turnStart = nil
    turnWatch.forget()
  }

  func endTurn() {
    guard hasNews || continues else { return }
    let continues = continues
    self.continues = false
    if awaitsActivity { activityBegan() }
    turnStart = loop.turnMilliseconds
    if turnWatch.isOn { turnWatch.begin(loop.nanoseconds) }
    let plan = plan(continues)
    guard perform(plan.work) else {
      turnTimer?.start(after: .zero)
      return
    }
    hasNews = false
    scheduler.beginTurn()
    if suspendsEffects, core.postponedCount < core.limits.postponedActions { resumeEffects() }
    let now = core.mayCoalesce(in: plan) ? loop.preciseNow : loop.now
    guard core.endTurn(at: now, wallTime: wallTime(), plan: plan) else {
      if admission.count > 0 || !waitingReaders.isEmpty { turnTimer?.start(after: .zero) }
      return
    }
    performCommands()
    if core.hasPublished { core.published(from: now, to: loop.preciseNow) }
    if let deadline = core.takeNewDeadline() { deadlineTimer?.arm(deadline) }
    // Waiting frames and snapshots continue as soon as everything else was served.
    if core.needsAnotherTurn || !waitingReaders.isEmpty || admission.count > 0, handingOver == nil {
      turnTimer?.start(after: .zero)
    } else if core.publicationDue != nil || core.allowanceDue != nil || core.metricsDue != nil
      || core.clientsDue != nil
    {
      // Only in this case: allocating an array in every turn would cost hundreds of instructions.
      let due = [core.publicationDue, core.allowanceDue, core.metricsDue, core.clientsDue].compactMap(\.self).min()
      if let due { turnTimer?.start(after: due - loop.preciseNow) }
    }
  }

  func performCommands() {
    var next = 0
    // Executing a command may add more.
    while next < core.commandCount {
      for index in next..<core.commandCount {
        let command = core.command(index)
        // Nearly all commands of a busy hub, so they do not pass through a table of jumps.
        if case .write(let id, let run) = command { write(run, to: id) } else { perform(command) }
        next = index + 1
      }
    }
    if next > 0 { core.clear() }
  }

  @inline(__always)
  private func write(_ run: Range<Int>, to id: ConnectionID) {
    guard let connection = connection(id) else { return }
    do throws(UVError) {
      if try !connection.stream.write(core.outputBytes, ranges: core.ranges(run)) { becameBusy(id) }
    } catch {
      writingFailed(id, error)
    }
  }

  @inline(never)
  private func becameBusy(_ id: ConnectionID) {
    guard let connection = connection(id) else { return }
    inform { $0.noteBusy(id, queuedBytes: connection.stream.queuedByteCount, at: loop.now) }
  }

  @inline(never)
  private func writingFailed(_ id: ConnectionID, _ error: UVError) {
    log.write(.debug, "connection \(id.index): \(error)")
    drop(id)
  }

  private func perform(_ command: HubCommand) {
    switch command {
    case .write: preconditionFailure("performCommands writes")
    case .resumeReading(let id):
      resumeReading(id)
    case .close(let id):
      guard let connection = connection(id) else { return }
      connection.stream.stopReading()
      connection.stream.finishWriting { self.drop(id) }
    case .abort(let id):
      drop(id)
    case .store:
      if let last = core.turnsToStore.last { beingStored.append((last.position, loop.nanoseconds)) }
      recording?.turnLog.append(core.turnsToStore)
    case .saveSnapshot:
      recording?.turnLog.save(core.snapshot())
    case .releaseMemory:
      releaseMemory()
    case .report(let index):
      let report = core.reports[index]
      log.write(report.level, cause: report.cause, report.text, report.details(at: core.revision))
    case .effect(let index):
      runner?.execute([core.effectCommands[index]])
    case .forwarding(let index):
      passOn(through: index)
    }
  }
}
