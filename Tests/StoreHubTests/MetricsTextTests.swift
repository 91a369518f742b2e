import EventLoop
import Features
import Foundation
import HubCore
import ReplicaCore
import StoreClient
import TestSupport
import Testing
import TurnLog
import Wire

@testable import StoreHub

/// The hub's metrics for Prometheus.
@Suite(.serialized, .timeLimit(.minutes(30))) struct MetricsTextTests {
  /// The samples of a text by name and labels.
  private func samples(_ text: String) -> [String: Double] {
    var samples: [String: Double] = [:]
    for line in text.split(separator: "\n") where !line.hasPrefix("#") {
      let words = line.split(separator: " ")
      samples[words.dropLast().joined(separator: " ")] = words.last.flatMap { Double($0) }
    }
    return samples
  }

  @Test func aDurationIsCountedInItsBucket() {
    var histogram = DurationHistogram()
    #expect(DurationHistogram.bound(0) == 0.00000390625 && DurationHistogram.bound(8) == 0.001)
    #expect(DurationHistogram.bound(DurationHistogram.bucketCount - 2) == 0.512)
    for (index, time) in [0, 3906, 3907, 999_999, 1_000_000, 511_999_999, 512_000_000, UInt64.max].enumerated() {
      histogram.note(time, count: UInt64(1) << UInt64(index))
    }
    let counts = (0..<DurationHistogram.bucketCount).map { histogram.counts[$0] }
    #expect((counts[0], counts[1], counts[8], counts[9]) == (3, 4, 8, 16))
    #expect((counts[17], counts[18]) == (32, 64 + 128))
    #expect(counts.reduce(0, +) == 255)
  }

  /// Few turns are measured each; of many, some stand for the others.
  @Test func everyTurnIsCounted() {
    var watch = TurnWatch()
    var clock: UInt64 = 5_000_000
    func turn(_ nanoseconds: UInt64) {
      let start = clock
      watch.begin(clock)
      clock += nanoseconds
      let ticks = clock / 1_000_000 - start / 1_000_000
      watch.end(milliseconds: ticks, at: clock / 1_000_000, begin: start / 1_000_000 * 1_000_000, now: clock)
      watch.forget()
    }
    func count() -> UInt64 { (0..<DurationHistogram.bucketCount).reduce(0) { $0 + watch.times.counts[$1] } }
    for _ in 0..<10 {
      turn(20_000)
      clock += 3_000_000
    }
    #expect(count() == 10 && watch.times.counts[3] == 10)
    #expect(watch.times.sum == 200_000)
    // 50 turns in each millisecond: a few of them are measured.
    for _ in 0..<5000 { turn(20_000) }
    #expect(watch.times.counts[3] == count() && count() > 4900 && count() <= 5010)
    turn(40_000_000)
    #expect(watch.times.counts[14] == 1)
    // What begins outside of a turn is no part of the next one.
    clock += 1_000_000
    watch.begin(clock)
    watch.forget()
    clock += 900_000_000
    turn(20_000)
    #expect(watch.times.counts[18] == 0)
  }

  @Test func theTextHasTheMetricsOfTheHubTheJournalAndTheProcess() async throws {
    let bench = try Bench()
    let engine = bench.engine
    let log = Log(program: "test", level: .error)
    let recording = try Recording.open(engine, directory: bench.directory + "/state", log: log)
    let server = try HubServer(engine, loop: bench.loop, path: bench.path, recording: recording, log: log)
    let metrics = PrometheusMetrics(of: ServiceDescription("testhub", version: "1.2 \"x\""))
    let client = try bench.attach()
    #expect(await bench.until { client.connection == .live })
    engine.send(.counter(.incrementButtonTapped))
    #expect(await bench.until { server.metrics.revision == 1 && server.metrics.unstoredTurns == 0 })
    let text = metrics.text(of: server)
    let values = samples(text)
    #expect(values[#"storehub_build_info{program="testhub",version="1.2 \"x\""}"#] == 1)
    #expect(values[#"storehub_info{durability="sync"}"#] == 1)
    #expect(values["storehub_actions_total"] == 1 && values["storehub_connections"] == 1)
    #expect(values["storehub_healthy"] == 1 && values["storehub_journal_blocked"] == 0)
    for name in ["storehub_turn_seconds", "storehub_store_seconds"] {
      let count = try #require(values[name + "_count"])
      #expect(count > 0 && values[name + #"_bucket{le="+Inf"}"#] == count && values[name + "_sum"] ?? 0 > 0, "\(name)")
      #expect(values[name + #"_bucket{le="0.001"}"#] != nil && values[name + #"_bucket{le="3.90625e-06"}"#] != nil)
    }
    #expect(values["storehub_journal_turns_total"] ?? 0 > 0 && values["storehub_journal_last_commit_seconds"] ?? 0 > 0)
    #expect(values[#"storehub_journal_bytes{file="wal"}"#] ?? 0 > 0)
    #expect(values["storehub_journal_turns_after_snapshot"] ?? -1 >= 1)
    let now = Date().timeIntervalSince1970
    let start = try #require(values["process_start_time_seconds"])
    #expect(start <= now && start > now - 24 * 3600)
    #expect(values["process_resident_memory_bytes"] ?? 0 > 1e6 && values["process_cpu_seconds_total"] ?? 0 > 0)
    let open = try #require(values["process_open_fds"])
    #expect(open > 3 && open < values["process_max_fds"] ?? 0)
    // A metric is described once.
    let described = text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    #expect(Set(described).count == described.count)
    for file in ["storehub.rules.yml", "storehub.dashboard.json"] {
      let used = RepositoryFiles.lines("systemd/examples/prometheus/" + file).joined(separator: "\n")
        .matches(of: /(storehub|process)_[a-z_]+/).map { String($0.output.0) }
      #expect(used.count > 5)
      for name in used where !text.contains("\n\(name) ") && !text.contains("\n\(name){") {
        Issue.record("\(file) uses \(name), which a hub does not have")
      }
    }
    client.close()
    #expect(await bench.stop(server))
    #expect(recording.close() == nil)
    bench.clean()
  }

  @Test func theTextHasThePartOfAHubInItsCluster() {
    var status = ClusterStatus(node: "b")
    (status.leader, status.term, status.condition, status.staleSince) = ("a", 3, "waiting", 1500)
    (status.position, status.lag, status.heldBytes, status.takeovers) = (7, 2, 40, 1)
    (status.snapshotsGiven, status.snapshotsTaken) = (3, 1)
    (status.upstream, status.level) = ("d", 2)
    status.linkedNodes = ["a", "c"]
    var text = PrometheusText(prefix: "storehub_")
    PrometheusMetrics.add(status, to: &text)
    let values = samples(text.text)
    #expect(values[#"storehub_cluster_info{node="b",leader="a"}"#] == 1)
    #expect(values[#"storehub_cluster_upstream_info{node="b",upstream="d"}"#] == 1)
    #expect(values["storehub_cluster_relay_level"] == 2)
    #expect(values["storehub_cluster_leads"] == 0 && values["storehub_cluster_term"] == 3)
    #expect(values["storehub_cluster_waiting"] == 1)
    #expect(values["storehub_cluster_stale_since_timestamp_seconds"] == 1.5)
    #expect(values["storehub_cluster_position"] == 7 && values["storehub_cluster_lag_entries"] == 2)
    #expect(values["storehub_cluster_snapshots_given_total"] == 3)
    #expect(values["storehub_cluster_snapshots_taken_total"] == 1)
    #expect(values["storehub_cluster_held_bytes"] == 40 && values["storehub_cluster_takeovers_total"] == 1)
    #expect(values["storehub_cluster_linked_nodes"] == 2 && values["storehub_cluster_clock_difference_seconds"] == 0)
    status.clockDifferences = ["a": 2100, "c": -10_000]
    text = PrometheusText(prefix: "storehub_")
    PrometheusMetrics.add(status, to: &text)
    #expect(samples(text.text)["storehub_cluster_clock_difference_seconds"] == -10)
  }

  /// Prometheus scrapes the port on which the socket unit listens.
  @Test func theExamplesNameThePortOfTheUnit() throws {
    let line = try #require(
      RepositoryFiles.lines("systemd/storehub-metrics.socket").first { $0.hasPrefix("ListenStream=") })
    let address = String(line.dropFirst("ListenStream=".count))
    let configuration = RepositoryFiles.lines("systemd/examples/prometheus/prometheus.yml")
    #expect(configuration.contains { $0.contains("\"\(address)\"") })
    #expect(RepositoryFiles.lines("docs/SERVICE.md").contains { $0.contains("http://\(address)/metrics") })
  }
}
