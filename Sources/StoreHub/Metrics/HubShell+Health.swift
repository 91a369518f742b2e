internal import EventLoop
internal import ServiceProcess

extension HubShell {
  /// The time after which a turn that is not stored makes the hub degraded.
  static var longWait: Duration { .seconds(5) }

  /// The time for which the oldest turn has waited for the log; zero if none waits.
  var oldestWait: Duration {
    .nanoseconds(Int64(clamping: beingStored.first.map { loop.nanoseconds - $0.start } ?? 0))
  }

  /// The condition of the hub for `/health`.
  var health: MetricsEndpoint.Health {
    if isStopping { return .stopping }
    if let logBlockade { return .degraded("turns wait to be stored: \(logBlockade)") }
    if oldestWait >= Self.longWait {
      return .degraded("turns have waited for \(oldestWait.components.seconds) s to be stored")
    }
    if let problem = socket?.problem { return .degraded(problem) }
    return .ok
  }
}
