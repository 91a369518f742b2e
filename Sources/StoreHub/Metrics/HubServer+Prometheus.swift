internal import Journal
internal import ServiceProcess
internal import Wire

/// The metrics of a hub for Prometheus: those of the hub, its journal and its process.
struct PrometheusMetrics {
  let about: ServiceDescription
  private let process = ProcessFigures()
  /// The start of the hub on the clock of `Log.monotonicTime`.
  private let start = Log.monotonicTime()

  init(of about: ServiceDescription) { self.about = about }

  /// Returns the text for a request.
  @MainActor
  func text(of server: HubServer) -> String {
    var text = PrometheusText(prefix: "storehub_")
    text.info("build_info", "The program of the hub.", [("program", about.name), ("version", about.version)])
    text.gauge("uptime_seconds", "The time since the start of the hub.", (Log.monotonicTime() - start).inSeconds)
    Self.add(server.metrics, to: &text)
    Self.add(server.shell.turnWatch.times, "turn_seconds", "The time that turns of the loop took.", to: &text)
    Self.add(server.shell.storeTimes, "store_seconds", "The time until the journal stored turns.", to: &text)
    text.gauge(
      "busy_poll_seconds", "The time for which the loop polls without sleeping after activity; 0 if it does not.",
      server.shell.loop.busyPoll.inSeconds)
    text.gauge("healthy", "1 if /health answers with ok, otherwise 0.", server.health == .ok ? 1 : 0 as UInt64)
    if let recording = server.shell.recording { add(recording, of: server, to: &text) }
    var others = PrometheusText()
    process.add(to: &others)
    text.append(others)
    return text.text
  }

  private static func add(_ metrics: HubMetrics, to text: inout PrometheusText) {
    text.info("info", "The durability mode of the hub.", [("durability", metrics.durability)])
    text.counter(
      "actions_total", "Actions that have taken effect, by the revision of the state.", metrics.revision)
    text.counter("reads_total", "Reads from clients.", metrics.reads)
    text.counter("connections_accepted_total", "Connections that were accepted.", metrics.accepted)
    text.counter("connections_refused_total", "Connections and scopes that users may not have.", metrics.refused)
    text.counter(
      "connections_failed_total", "Connections that were closed for an error of the client.", metrics.failed)
    text.counter("actions_rejected_total", "Actions that were rejected.", metrics.rejected)
    text.counter("sessions_opened_total", "Sessions that were opened.", metrics.opened)
    text.counter("sessions_resumed_total", "Sessions that were resumed.", metrics.resumed)
    text.gauge("connections", "Connections that are served.", metrics.connections)
    text.gauge("sessions_detached", "Sessions that are kept without a connection.", metrics.detachedSessions)
    text.gauge("held_bytes", "Bytes of incomplete frames and of unread output.", metrics.heldBytes)
    text.gauge("subscriptions", "Scopes that clients have attached.", metrics.subscriptions)
    text.gauge("state_bytes", "The approximate size of the encoded state.", metrics.stateBytes)
    text.gauge("versions", "Versions of the state that are kept.", metrics.keptVersions)
    text.gauge("turn_longest_seconds", "The longest turn of the loop.", Double(metrics.longestTurn) / 1e6)
    if let cluster = metrics.cluster { add(cluster, to: &text) }
  }

  /// Adds the part of a hub in its cluster.
  static func add(_ cluster: ClusterStatus, to text: inout PrometheusText) {
    text.info(
      "cluster_info", "The node of the hub, and the one that leads.",
      [
        ("node", cluster.node), ("leader", cluster.leader),
      ])
    text.gauge("cluster_leads", "1 if the hub leads its cluster, otherwise 0.", cluster.leads ? 1 : 0 as UInt64)
    text.gauge("cluster_term", "The term of the leader.", cluster.term)
    text.gauge(
      "cluster_waiting", "1 while the log of the cluster takes no entries, so that actions wait, otherwise 0.",
      cluster.condition == ClusterStatus.Condition.current.rawValue ? 0 : 1 as UInt64)
    text.gauge(
      "cluster_stale_since_timestamp_seconds",
      "The time since which the state may be stale, in seconds since the Unix epoch; 0 if it is current.",
      Double(cluster.staleSince) / 1e3)
    text.gauge("cluster_position", "The last entry of the log that the hub has applied.", cluster.position)
    text.gauge("cluster_lag_entries", "The entries that the leader has announced beyond it.", cluster.lag)
    text.gauge("cluster_held_bytes", "Bytes of clients' actions that the log does not have yet.", cluster.heldBytes)
    text.gauge("cluster_linked_nodes", "The nodes to which a link is open.", UInt64(cluster.linkedNodes.count))
    text.gauge(
      "cluster_clock_difference_seconds",
      "The greatest difference of a linked node's clock to this machine's; 0 if they agree to about a second.",
      Double(cluster.clockDifference) / 1e3)
    text.counter("cluster_takeovers_total", "How often the hub has become the leader.", cluster.takeovers)
    text.counter(
      "cluster_snapshots_given_total", "Snapshots that were sent to nodes that lacked entries.", cluster.snapshotsGiven)
    text.counter(
      "cluster_snapshots_taken_total", "Snapshots of other nodes that this process has begun with.",
      cluster.snapshotsTaken)
    text.gauge("cluster_relay_level", "The level of a relay; 0 for a member of the cluster.", cluster.level)
    text.info(
      "cluster_upstream_info", "The node that a relay follows.",
      [("node", cluster.node), ("upstream", cluster.upstream)])
  }

  private static func add(
    _ histogram: DurationHistogram, _ name: String, _ help: String, to text: inout PrometheusText
  ) {
    let buckets = 0..<DurationHistogram.bucketCount
    text.histogram(
      name, help, bounds: buckets.dropLast().map { DurationHistogram.bound($0) },
      counts: buckets.map { histogram.counts[$0] },
      sum: Double(histogram.sum) / 1e9)
  }

  @MainActor
  private func add(_ recording: Recording, of server: HubServer, to text: inout PrometheusText) {
    text.gauge(
      "journal_waiting_turns", "Turns that wait for the journal.", UInt64(server.metrics.unstoredTurns))
    text.gauge(
      "journal_oldest_waiting_seconds", "The time for which the oldest of them has waited; 0 if there is none.",
      server.shell.oldestWait.inSeconds)
    text.gauge(
      "journal_blocked", "1 while another program prevents the journal from storing turns, otherwise 0.",
      server.shell.logBlockade == nil ? 0 : 1 as UInt64)
    guard let journal = recording.journal else { return }
    let (statistics, sizes) = (journal.statistics, journal.fileBytes)
    text.gauges(
      "journal_bytes", "The size of the journal's files.", by: "file",
      [("database", UInt64(sizes.database)), ("wal", UInt64(sizes.log))])
    text.counter("journal_commits_total", "Commits of turns.", UInt64(statistics.commits))
    text.counter("journal_turns_total", "Turns that were stored.", statistics.turns)
    text.counter(
      "journal_checkpoints_total", "Copies of the write-ahead log into the database.", UInt64(statistics.checkpoints))
    if let time = statistics.lastCommit {
      text.gauge(
        "journal_last_commit_seconds", "The duration of the last commit, including its sync.", time.inSeconds)
    }
    guard let snapshot = statistics.snapshot else { return }
    // That of the initial state includes no turn.
    if snapshot.time > 0 {
      text.gauge(
        "journal_snapshot_timestamp_seconds",
        "The time of the last turn in the newest snapshot, in seconds since the Unix epoch.",
        Double(snapshot.time) / 1e3)
    }
    text.gauge(
      "journal_turns_after_snapshot", "The turns that the next start reads in addition to the newest snapshot.",
      journal.tail - min(snapshot.position, journal.tail))
  }
}

extension Duration {
  /// The duration in seconds.
  nonisolated fileprivate var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
