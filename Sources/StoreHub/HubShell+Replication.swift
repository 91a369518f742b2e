internal import EventLoop
internal import HubCore
internal import TurnLog

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
    case .lead: inform { $0.lead(at: loop.now, wallTime: wallTime()) }
    case .apply(let turns):
      if let error = inform({ $0.apply(turns, at: loop.now) }) {
        leaveCluster(LogError(.damaged, "the log of the cluster cannot be applied: \(error)"))
      }
    case .stored(let turns):
      if let last = turns.last { noteStored(last.position) }
      inform { $0.stored(turns, at: loop.now, wallTime: wallTime()) }
      if onStopped != nil { finishIfStopped() }
    case .perform(let session, let first, let actions):
      inform {
        $0.perform(session, first: first, actions, limit: scheduler.readLimit, at: loop.now, wallTime: wallTime())
      }
    case .leave(let session): inform { $0.remoteEnded(session) }
    case .startEffects: inform { $0.startEffects() }
    case .cancelEffects:
      cancelEffects()
      inform { $0.cancelEffects() }
    case .refused(let reason): leaveCluster(LogError(.inUse, reason))
    }
    noteForwarded()
  }

  private func leaveCluster(_ error: LogError) {
    fail(error, telling: "the hub can no longer take part in its cluster")
  }

  /// Tells the log what a client of this hub does.
  func perform(_ command: ForwardingCommand) {
    guard let replication = recording?.replication else { return }
    switch command {
    case .open(let session, let processed): replication.open(session, processed: processed)
    case .close(let session): replication.close(session)
    case .forward(let action, let session): replication.forward(action, of: session)
    }
    noteForwarded()
  }

  private func noteForwarded() {
    guard let count = recording?.replication?.forwardedByteCount else { return }
    inform { $0.noteForwarded(byteCount: count) }
  }
}
