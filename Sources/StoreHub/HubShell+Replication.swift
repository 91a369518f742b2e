internal import EventLoop
internal import HubCore
internal import ServiceProcess
internal import TurnLog
internal import Wire

// A hub that shares its log with others.

extension HubShell {
  /// True if other hubs share the log.
  var isReplicated: Bool { recording?.replication != nil }

  /// Handles an event of the replicated log.
  func receive(_ event: ReplicationEvent) {
    switch event {
    case .follow:
      cancelEffects()
      beingStored = []
      inform { $0.follow(at: loop.now) }
      handOverEnded()
    case .lead:
      // What clients have sent in this turn comes before what they send after it.
      passOn()
      inform { $0.lead(at: loop.now, wallTime: wallTime()) }
    case .apply(let turns):
      if let error = inform({ $0.apply(turns, at: loop.now) }) {
        leaveCluster(
          LogError(
            .damaged,
            """
            the log of the cluster cannot be applied: \(error). See by `storectl cluster verify` whether this journal and \
            the log are whole
            """))
      }
    case .stored(let turns):
      if let last = turns.last { noteStored(last.position) }
      inform { $0.stored(turns, at: loop.now, wallTime: wallTime()) }
      if onStopped != nil { finishIfStopped() }
    case .perform(let session, let first, let actions):
      inform {
        $0.perform(session, first: first, actions, limit: scheduler.readLimit, at: loop.now, wallTime: wallTime())
      }
    case .cancel(let session, let action): inform { $0.cancel(action: action, of: session, at: loop.now) }
    case .leave(let session): inform { $0.remoteEnded(session) }
    case .startEffects(let term):
      // None runs: a term's effects begin after those of an earlier one were cancelled.
      beginEffects(inTerm: term)
      inform { $0.startEffects() }
    case .cancelEffects:
      cancelEffects()
      inform { $0.cancelEffects() }
    case .statusChanged: inform { $0.noteClusterChange(staleFor: staleTime, at: loop.now) }
    case .refused(let reason): leaveCluster(LogError(.inUse, reason))
    }
    noteForwarded()
  }

  /// The time that a hub which stops waits for the log to take its handover. Without it, the others wait for silence.
  private static var handOverTime: Duration { .seconds(1) }

  /// Passes the leadership on before the hub stops, so that the clients of the others need not wait for its silence.
  func beginHandOver() {
    guard let replication = recording?.replication, core.isLeading else { return }
    do throws(HandOverError) {
      try replication.handOver(to: nil)
    } catch {
      return log.write(.info, "no other node is told to lead: \(error)")
    }
    // A handover that has ended already leaves a follower.
    guard core.isLeading else { return }
    let limit = try? Timer(on: loop) { [unowned self] in handOverEnded() }
    limit?.start(after: Self.handOverTime)
    handOverLimit = limit
  }

  /// The hub leads no more, or the log has not taken the handover in time.
  private func handOverEnded() {
    guard handOverLimit != nil else { return }
    handOverLimit = nil
    finishIfStopped()
  }

  /// The time for which the state may have been stale; nil if it is that of the cluster's log.
  private var staleTime: Duration? {
    guard let since = recording?.replication?.status.staleSince, since > 0 else { return nil }
    return .milliseconds(max(wallTime() - since, 0))
  }

  private func leaveCluster(_ error: LogError) {
    let status = recording?.replication?.status ?? ClusterStatus(node: "")
    let (text, details) = ClusterError.refused("\(error)", status).record
    log.write(.error, text, details)
    end(after: error, telling: "the hub can no longer take part in its cluster")
  }

  /// Tells the log what clients of this hub have done in this turn, up to the command with this index, or all.
  func passOn(through index: Int? = nil) {
    for command in core.takeForwarding(through: index) { perform(command) }
  }

  private func perform(_ command: ForwardingCommand) {
    guard let replication = recording?.replication else { return }
    switch command {
    case .open(let session, let processed): replication.open(session, processed: processed)
    case .close(let session): replication.close(session)
    case .forward(let actions, let session): replication.forward(actions, of: session)
    case .cancel(let action, let session): replication.cancel(action: action, of: session)
    case .handOver(let node, let connection):
      do throws(HandOverError) {
        try replication.handOver(to: node)
        inform { $0.beginHandOver() }
      } catch {
        inform { $0.transferRefused(for: connection, "\(error)", at: loop.now) }
      }
    }
    noteForwarded()
  }

  private func noteForwarded() {
    guard let count = recording?.replication?.forwardedByteCount else { return }
    inform { $0.noteForwarded(byteCount: count) }
  }
}
