internal import HubCore
internal import ServiceProcess
internal import TurnLog

// The events of the log.

extension HubShell {
  func receiveLogEvents(_ recording: Recording) {
    for event in recording.mailbox.take() {
      switch event {
      case .stored(let position):
        if let replication = recording.replication {
          replication.journalStored(upTo: position)
          continue
        }
        noteStored(position)
        inform { $0.stored(upTo: position, at: loop.now, wallTime: wallTime()) }
      case .saved(let revision):
        inform { $0.snapshotEnded() }
        log.write(.debug, "saved a snapshot of revision \(revision)")
      case .snapshotFailed(let error):
        inform { $0.snapshotEnded() }
        log.write(.error, "cannot save a snapshot: \(error)", Log.Details(.snapshotFailed, ["REASON": "\(error)"]))
      case .blocked(let error):
        logBlockade = error
        log.write(
          .warning, cause: Log.Cause("a blocked journal"), "turns wait to be stored: \(error)",
          Log.Details(.logBlocked, ["REASON": "\(error)"]))
      case .unblocked:
        logBlockade = nil
        log.write(.info, cause: Log.Cause("a blocked journal"), "turns are stored again", Log.Details(.logUnblocked))
      case .conflict(let position, let tail):
        fail(LogError(.inUse, "another hub has written turn \(position) of the log, which now ends at \(tail)"))
      case .failed(let error):
        fail(error)
      }
    }
    if onStopped != nil { finishIfStopped() }
    if handingOver != nil {
      endTurn()
      finishHandOver()
    }
  }

  func noteStored(_ position: UInt64) {
    let now = loop.nanoseconds
    let count = beingStored.prefix { $0.position <= position }.count
    for (_, start) in beingStored[..<count] {
      core.noteStored(microseconds: (now - start) / 1000)
      storeTimes.note(now - start)
    }
    beingStored.removeFirst(count)
  }

  /// Ends the hub, because nothing more can be stored.
  ///
  /// - Parameter error: What has happened, for the operator.
  func fail(_ error: LogError) {
    log.write(
      .error, "nothing more is acknowledged: \(error)",
      Log.Details(.logFailed, ["REASON": "\(error)", "REVISION": "\(core.revision)"]))
    end(after: error, telling: "the hub cannot write its journal")
  }

  /// Ends the hub after an error that the operator's log has.
  ///
  /// - Parameters:
  ///   - error: What has happened.
  ///   - reason: What clients are told.
  func end(after error: LogError, telling reason: String) {
    runner?.cancelAll()
    inform { $0.logFailed(reason: "\(reason); an operator has to look at the hub's log", at: loop.now) }
    onLogFailed?(error)
  }
}
